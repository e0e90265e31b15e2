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

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOFOLLOW
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


def get_file(path: str, into: str) -> bool:
    """As ``Sut.get`` says."""
    source = open_regular(path)
    if source is None:
        return False
    with source, new_file(into, path) as out:
        shutil.copyfileobj(source, out)
    return True


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
