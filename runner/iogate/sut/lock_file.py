"""Files, folders and devices of this machine that are locked with flock."""

from __future__ import annotations

import fcntl
import os
import pwd
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from iogate.errors import RefusedError, RunError
from iogate.sut.base import FileStat
from iogate.sut.file_stat import file_stat

_OPEN = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
_MODE = 0o666
_LONGEST_BYTES = 4096


class LocalLock:
    """As ``LockFile`` says, of an open file."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def take(self, *, shared: bool) -> bool:
        kind = fcntl.LOCK_SH if shared else fcntl.LOCK_EX
        try:
            fcntl.flock(self._handle, kind | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        fcntl.flock(self._handle, fcntl.LOCK_UN)

    def stat(self) -> FileStat:
        return file_stat(os.fstat(self._handle))

    def stands_at(self, path: str) -> bool:
        with suppress(OSError):
            return os.path.samestat(os.fstat(self._handle), Path(path).lstat())
        return False

    def read(self) -> str:
        try:
            return os.pread(self._handle, _LONGEST_BYTES, 0).decode(errors="replace")
        except OSError:
            return ""

    def write(self, text: str) -> None:
        with suppress(OSError):  # another user's file that we may only read locks as well
            os.ftruncate(self._handle, 0)
            os.pwrite(self._handle, text.encode(), 0)

    def close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def open_node(path: str) -> LocalLock:
    """As ``Sut.lock_node`` says."""
    try:
        return LocalLock(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK))
    except OSError as error:
        raise RunError(f"cannot open {path} to lock it: {error.strerror}") from error


def open_lock_file(path: str, *, make: bool) -> LocalLock:
    """As ``Sut.lock_file`` says: what another user has put there is neither followed nor
    written."""
    place = Path(path)
    if make and os.geteuid() == 0:
        _clear(place)
    handle = _open_any(place, make=make)
    status = os.fstat(handle)
    if not _is_fit(status):
        os.close(handle)
        raise _unfit(place, "it is not a file of its own")
    if make:
        _adopt(handle, status)
    return LocalLock(handle)


def _open_any(path: Path, *, make: bool) -> int:
    """Without O_CREAT first: in a sticky directory the kernel forbids that flag on a file of
    another user, though opening it is allowed. To read is enough to lock."""
    made = (os.O_RDWR, os.O_RDWR | os.O_CREAT | os.O_EXCL, os.O_RDWR) if make else ()
    for flags in (*made, os.O_RDONLY):
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
        status = path.lstat()
        if stat.S_ISDIR(status.st_mode):
            path.rename(path.with_name(f"{path.name}.{secrets.token_hex(4)}"))
        elif not _is_fit(status) and not _is_held(path, status):
            path.unlink()


def _is_fit(status: os.stat_result) -> bool:
    """Whether it can be a lock: a file with one name, or root's own that all may write. Of such
    a one any user can make a second name, which neither frees it nor makes it anybody's."""
    is_roots = status.st_uid == 0 and stat.S_IMODE(status.st_mode) == _MODE
    return stat.S_ISREG(status.st_mode) and (status.st_nlink == 1 or is_roots)


def _is_held(path: Path, status: os.stat_result) -> bool:
    """Whether somebody measures under it: a lock that is held is never taken away."""
    if not stat.S_ISREG(status.st_mode):
        return False
    lock = LocalLock(os.open(path, os.O_RDONLY | _OPEN))
    try:
        return not lock.take(shared=False)
    finally:
        lock.close()


def _adopt(handle: int, status: os.stat_result) -> None:
    """Every user may open it, and once root has seen it, no other can remove it while it is
    held."""
    with suppress(OSError):
        if os.geteuid() == 0 and status.st_uid:
            os.fchown(handle, 0, 0)
        if os.geteuid() in (0, status.st_uid) and stat.S_IMODE(status.st_mode) != _MODE:
            os.fchmod(handle, _MODE)
