"""Files to and from this machine, whole and durable."""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from iogate.errors import RunError
from iogate.files.bounds import FETCHED_BYTES, ROOM_BYTES, size

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
_MAKE_ROOM = "make room where iogate runs, or measure into another folder with --output"
_GONE = (errno.ENOENT, errno.ELOOP, errno.ENOTDIR, errno.ENXIO)


def put_file(path: str, data: bytes, mode: int) -> None:
    """As ``Sut.put`` says, in a folder that is there. OSError."""
    place = Path(path)
    temporary = place.with_name(f".{place.name}.{secrets.token_hex(4)}")
    try:
        handle = os.open(temporary, _NEW, mode)
        with os.fdopen(handle, "wb") as out:
            os.fchmod(handle, mode)
            out.write(data)
            out.flush()
            os.fsync(handle)
        temporary.replace(place)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    sync_folder(str(place.parent))


def get_file(path: str, into: str, most: int) -> bool:
    """As ``Sut.get`` says."""
    source = open_regular(path)
    if source is None:
        return False
    with source:
        check_room(path, os.fstat(source.fileno()).st_size, most)
        with new_file(into, path) as out:
            shutil.copyfileobj(source, out)
    return True


def room_for(into: str) -> int:
    """How many bytes of a machine elsewhere a new file may have: not so many that they fill the
    filesystem, which others need as well. RunError where no room is left."""
    try:
        status = os.statvfs(Path(into).parent)
    except OSError as error:
        raise RunError(f"cannot write {into}: {error.strerror}") from error
    room = status.f_bavail * status.f_frsize - ROOM_BYTES
    if room <= 0:
        raise RunError(
            f"cannot write {into}: less than {size(ROOM_BYTES)} is free there", remedy=_MAKE_ROOM
        )
    return min(room, FETCHED_BYTES)


def check_room(path: str, has: int, most: int) -> None:
    """RunError for a file that is larger than what asks for it can keep."""
    if has > most:
        raise RunError(
            f"{path} has {has:,} bytes, and there is room for {most:,} where iogate runs",
            remedy=f"let the job log less (log_avg_msec=1000), or {_MAKE_ROOM}; of one file no more"
            f" than {size(FETCHED_BYTES)} is taken",
        )


def open_regular(path: str) -> IO[bytes] | None:
    """A regular file to copy from; None where there is none. RunError when it may not be read."""
    try:
        handle = os.open(path, _READ)
    except OSError as error:
        if error.errno in _GONE:
            return None
        raise RunError(f"cannot read {path}: {error.strerror}") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        return None
    return os.fdopen(handle, "rb")


@contextmanager
def new_file(into: str, source: str) -> Iterator[IO[bytes]]:
    """A new file that is durable when the block ends. RunError when ``source`` cannot be copied
    into it."""
    try:
        with os.fdopen(os.open(into, _NEW, 0o666), "wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        raise RunError(f"cannot copy {source} to {into}: {error.strerror}") from error


def sync_folder(path: str) -> None:
    """Make the names in a folder durable."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
