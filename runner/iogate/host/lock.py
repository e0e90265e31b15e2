"""One run measures at a time: a second one would measure the first."""

from __future__ import annotations

import fcntl
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

from iogate.errors import RefusedError

_NAME = "iogate.lock"
_RETRY_S = 0.5


class HeldError(RefusedError):
    """Another run measures on this host."""


@dataclass(frozen=True, slots=True)
class _Patience:
    wait_s: float
    on_wait: Callable[[str], None]
    give_up: Callable[[], bool]


@contextmanager
def host_lock(
    run_id: str,
    *,
    wait_s: float = 0.0,
    on_wait: Callable[[str], None] = lambda _holder: None,
    give_up: Callable[[], bool] = lambda: False,
) -> Iterator[None]:
    """Hold the host for measuring. HeldError, saying who holds it, when it is not free
    within ``wait_s`` seconds, or when ``give_up`` says so meanwhile; ``on_wait`` is told
    once who is waited for."""
    path = lock_path()
    handle = _open(path)
    try:
        _acquire(handle, path, _Patience(wait_s, on_wait, give_up))
        _sign(handle, run_id)
        yield
        os.ftruncate(handle, 0)
    finally:
        os.close(handle)


def lock_path() -> Path:
    """$IOGATE_LOCK; else /run/lock, which all users share; else the user's own folder."""
    if given := os.environ.get("IOGATE_LOCK"):
        return Path(given)
    for folder in ("/run/lock", os.environ.get("XDG_RUNTIME_DIR", "")):
        if folder and os.access(folder, os.W_OK):
            return Path(folder) / _NAME
    return Path(gettempdir()) / f"iogate-{os.getuid()}.lock"


def _open(path: Path) -> int:
    """Without O_CREAT first: in a sticky directory the kernel forbids that flag on a file
    of another user, though opening it is allowed."""
    with suppress(OSError):
        return os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW)
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    except OSError as error:
        raise RefusedError(
            f"cannot open the host lock {path}: {error.strerror}",
            remedy="set IOGATE_LOCK to a file that every run on this host can open",
        ) from error
    with suppress(PermissionError):
        os.fchmod(handle, 0o666)
    return handle


def _acquire(handle: int, path: Path, patience: _Patience) -> None:
    deadline = time.monotonic() + patience.wait_s
    told = False
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        holder = _holder(handle)
        if time.monotonic() >= deadline or patience.give_up():
            raise HeldError(
                f"another run is measuring on this host: {holder}",
                remedy=f"wait for it (--wait 10m), or stop it; the lock is {path}",
            )
        if not told:
            patience.on_wait(holder)
            told = True
        time.sleep(_RETRY_S)


def _sign(handle: int, run_id: str) -> None:
    text = json.dumps({"pid": os.getpid(), "run": run_id, "command": " ".join(sys.argv)[:200]})
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


def _holder(handle: int) -> str:
    try:
        who = json.loads(os.pread(handle, 4096, 0))
        return f"process {int(who['pid'])}, run {who['run']} ({who['command']})"
    except (ValueError, KeyError, TypeError):
        return "a process that has not said its name"
