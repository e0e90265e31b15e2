"""Calls of iogate, side by side: what they say as it comes, and none left behind."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from iogate.dispatch.base import Tell
from iogate.dispatch.words import LastWords
from iogate.engine.base import Stop
from iogate.errors import RunError
from iogate.sut.local_process import die_with_parent

_LOOK_S = 0.2
_LEAVE_S = 20.0
"""So long has a call that was asked to end, before it is ended."""
_CHUNK = 1 << 16


@dataclass(frozen=True, slots=True)
class Call:
    """A command line, and the name of the host it is for."""

    host: str
    words: Sequence[str]


@dataclass(frozen=True, slots=True)
class Answer:
    """How a call ended; ``said`` are its last words."""

    code: int
    said: str


@dataclass(slots=True)
class _Running:
    """A call that goes on."""

    host: str
    process: subprocess.Popen[bytes]
    words: LastWords = field(default_factory=LastWords)

    def take(self, chunk: bytes, tell: Tell) -> None:
        for line in self.words.take(chunk):
            tell(f"{self.host}: {line}")


def call_all(calls: Sequence[Call], tell: Tell, stop: Stop) -> list[Answer]:
    """All at once, and the answers in their order. Once ``stop`` is requested they are asked to
    end, and keep what they have; a second Ctrl-C ends them at once, and there are answers still."""
    running: list[_Running] = []
    try:
        for call in calls:
            running.append(_Running(call.host, _started(call)))  # noqa: PERF401 - to be ended
        with suppress(KeyboardInterrupt):
            _follow(running, tell, stop)
            _await(running)
    finally:
        _end(running)
    return [Answer(each.process.returncode, str(each.words)) for each in running]


def _started(call: Call) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            call.words,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env={k: v for k, v in os.environ.items() if k != "GITHUB_STEP_SUMMARY"},
            start_new_session=True,  # a Ctrl-C is told by us, once
            preexec_fn=die_with_parent(os.getpid()),  # noqa: PLW1509 - there are no threads
        )
    except OSError as error:
        raise RunError(f"cannot start {call.words[0]}: {error.strerror}") from error


def _follow(running: Sequence[_Running], tell: Tell, stop: Stop) -> None:
    """Until nobody says anything any more."""
    asked = False
    with selectors.DefaultSelector() as pipes:
        for each in running:
            pipes.register(each.process.stderr or 0, selectors.EVENT_READ, each)
        while pipes.get_map():
            if stop.requested and not asked:
                asked = True
                _signal(running, signal.SIGTERM)
            for key, _ in pipes.select(_LOOK_S):
                chunk = os.read(key.fd, _CHUNK)
                key.data.take(chunk or b"\n", tell)
                if not chunk:
                    pipes.unregister(key.fileobj)


def _await(running: Sequence[_Running]) -> None:
    """What has said its last is about to end: a signal would change its exit code."""
    deadline = time.monotonic() + _LEAVE_S
    for each in running:
        with suppress(subprocess.TimeoutExpired):
            each.process.wait(max(deadline - time.monotonic(), 0))


def _end(running: Sequence[_Running]) -> None:
    """Those that still run were not waited for, as something went wrong here."""
    _signal([each for each in running if each.process.poll() is None], signal.SIGTERM)
    _await(running)
    for each in running:
        if each.process.poll() is None:
            each.process.kill()
        each.process.wait()
        if each.process.stderr:
            each.process.stderr.close()


def _signal(running: Sequence[_Running], number: int) -> None:
    for each in running:
        with suppress(ProcessLookupError):
            each.process.send_signal(number)
