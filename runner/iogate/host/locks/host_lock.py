"""One run measures at a time: a second one would measure the first. Runs whose specs all allow
it share the host, and keep it from every other.

The lock is that of the kernel (flock) on one file, the same for all users and whatever their
environment says; it goes with the process that holds it. What the file says is only told.
"""

from __future__ import annotations

import fcntl
import os
import pwd
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from iogate.errors import RefusedError
from iogate.files.state_folder import host_lock_path
from iogate.host.locks.holder import holder_in_words, this_process, write_holder

RETRY_S = 0.5
_TIDYING_S = 10.0  # a run that shares the host looks after it alone, for a moment
_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MODE = 0o666


class HeldError(RefusedError):
    """Another run measures on this host."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a lock. ``on_wait`` is told once who is waited for; ``give_up`` is
    asked meanwhile."""

    wait_s: float = 0.0
    on_wait: Callable[[str], None] = lambda _holder: None
    give_up: Callable[[], bool] = lambda: False


_NONE = Patience()


@contextmanager
def host_lock(run_id: str, patience: Patience = _NONE) -> Iterator[None]:
    """Hold the host for measuring. HeldError, saying who holds it, when patience ends;
    RefusedError when the lock cannot be had at all."""
    path = host_lock_path()
    handle = _locked(path, patience, fcntl.LOCK_EX)
    try:
        with suppress(OSError):  # another user's file that we may only read holds as well
            write_holder(handle, this_process(run_id))
        yield
        with suppress(OSError):
            os.ftruncate(handle, 0)
    finally:
        os.close(handle)


@contextmanager
def shared_host_lock(
    run_id: str, patience: Patience, tidy_alone: Callable[[], None]
) -> Iterator[None]:
    """Hold the host together with others that do so; errors as for ``host_lock``.
    ``tidy_alone`` is called first, with the host held for this process alone, where nobody else
    holds it. The file names the one that came last, and keeps that name when it leaves: a
    holder that is gone is not believed."""
    with suppress(HeldError), host_lock(run_id):
        tidy_alone()
    wait_s = max(patience.wait_s, _TIDYING_S)
    path = host_lock_path()
    handle = _locked(path, replace(patience, wait_s=wait_s), fcntl.LOCK_SH)
    try:
        with suppress(OSError):
            write_holder(handle, this_process(run_id))
        yield
    finally:
        os.close(handle)


def acquire(
    handle: int,
    patience: Patience,
    who: Callable[[], str],
    error: RefusedError,
    kind: int = fcntl.LOCK_EX,
) -> None:
    """Lock an open file, for this process alone or, by ``LOCK_SH``, with others that do so.
    ``error``, with ``who`` holds it put behind what it says, when patience ends."""
    deadline = time.monotonic() + patience.wait_s
    told = False
    while True:
        with suppress(BlockingIOError):
            fcntl.flock(handle, kind | fcntl.LOCK_NB)
            return
        holder = who()
        if time.monotonic() >= deadline or patience.give_up():
            raise type(error)(f"{error.what}: {holder}", remedy=error.remedy)
        if not told:
            patience.on_wait(holder)
            told = True
        time.sleep(RETRY_S)


def _locked(path: Path, patience: Patience, kind: int) -> int:
    """The file, open and locked. One that was removed or replaced meanwhile locks nothing."""
    held = HeldError(
        "another run is measuring on this host",
        remedy=f"wait for it (--wait 10m), or stop it; the lock is {path}",
    )
    while True:
        handle = _open(path)
        try:
            acquire(handle, patience, partial(holder_in_words, handle), held, kind)
        except BaseException:
            os.close(handle)
            raise
        if _is_at(handle, path):
            return handle
        os.close(handle)


def _open(path: Path) -> int:
    """The file, made where it is missing. RefusedError for anything that cannot be the lock:
    what another user has put there is neither followed nor written."""
    if os.geteuid() == 0:
        _clear(path)
    handle = _open_any(path)
    found = os.fstat(handle)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
        os.close(handle)
        raise _unfit(path, "it is no file of its own")
    _adopt(handle, found)
    return handle


def _open_any(path: Path) -> int:
    """Without O_CREAT first: in a sticky directory the kernel forbids that flag on a file of
    another user, though opening it is allowed. To read is enough to lock."""
    for flags in (os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR, os.O_RDONLY):
        try:
            return os.open(path, flags | _OPEN, _MODE)
        except OSError as error:
            reason = error
    raise _unfit(path, reason.strerror) from reason


def _unfit(path: Path, reason: str | None) -> RefusedError:
    owner, anew = "", f"rm -rf {path}; mkdir -p {path.parent}; install -m 666 /dev/null {path}"
    with suppress(OSError, KeyError):
        owner = f" (it belongs to {pwd.getpwuid(path.lstat().st_uid).pw_name})"
    return RefusedError(
        f"cannot open the host lock {path}: {reason}{owner}", remedy=f"as root: {anew}"
    )


def _clear(path: Path) -> None:
    """As root: what cannot be a lock is removed, and the folder made. A directory with something
    in it takes another name: nothing in it is touched, as it may be anybody's."""
    with suppress(OSError):
        path.parent.mkdir(mode=0o755, exist_ok=True)
        found = path.lstat()
        if stat.S_ISDIR(found.st_mode):
            path.rename(path.with_name(f"{path.name}.{secrets.token_hex(4)}"))
        elif not stat.S_ISREG(found.st_mode) or found.st_nlink > 1:
            path.unlink()


def _adopt(handle: int, found: os.stat_result) -> None:
    """Every user may open it, and once root has seen it, no other can remove it while it is
    held."""
    with suppress(OSError):
        if os.geteuid() == 0 and found.st_uid:
            os.fchown(handle, 0, 0)
        if os.geteuid() in (0, found.st_uid) and stat.S_IMODE(found.st_mode) != _MODE:
            os.fchmod(handle, _MODE)


def _is_at(handle: int, path: Path) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(handle), path.lstat())
    return False
