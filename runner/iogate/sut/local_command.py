"""A command of this machine, run to its end: bounded in time, and in what it says."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from iogate.errors import RunError
from iogate.files.bounds import TOLD_BYTES, size
from iogate.sut.base import Completed
from iogate.sut.local_process import given

_STEP = 1 << 16


def run_command(
    argv: Sequence[str], *, timeout_s: float, env: Mapping[str, str] | None, stdin: str
) -> Completed:
    """As ``Sut.run`` says."""
    try:
        with (
            given(stdin) as source,
            subprocess.Popen(
                argv,
                stdin=source,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=None if env is None else {**os.environ, **env},
                start_new_session=True,  # a Ctrl-C is for iogate, which lets it end, or ends it
            ) as process,
        ):
            try:
                out, err = _said(argv[0], process, time.monotonic() + timeout_s)
            except BaseException:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(process.pid, signal.SIGKILL)
                raise
    except TimeoutError:
        raise RunError(f"{argv[0]} did not end within {timeout_s:g} s") from None
    except OSError as error:
        raise RunError(f"cannot run {argv[0]}: {error.strerror}") from error
    return Completed(tuple(argv), process.returncode, out, err)


def _said(program: str, process: subprocess.Popen[bytes], deadline: float) -> tuple[str, str]:
    """What it wrote to both outputs until it ended. TimeoutError past the deadline; RunError for
    more than TOLD_BYTES, which would take this process's memory."""
    assert process.stdout
    assert process.stderr
    parts: dict[object, list[bytes]] = {process.stdout: [], process.stderr: []}
    left = TOLD_BYTES
    with selectors.DefaultSelector() as pipes:
        for pipe in (process.stdout, process.stderr):
            pipes.register(pipe, selectors.EVENT_READ)
        while pipes.get_map():
            ready = pipes.select(max(deadline - time.monotonic(), 0.0))
            if not ready:
                raise TimeoutError
            for key, _ in ready:
                data = os.read(key.fd, _STEP)
                parts[key.fileobj].append(data)
                left -= len(data)
                if left < 0:
                    raise RunError(f"{program} says more than {size(TOLD_BYTES)}")
                if not data:
                    pipes.unregister(key.fileobj)
    try:
        process.wait(max(deadline - time.monotonic(), 0.0))
    except subprocess.TimeoutExpired:
        raise TimeoutError from None
    out, err = (b"".join(each).decode(errors="replace") for each in parts.values())
    return out, err
