"""A file that nobody else has open: what an engine wrote, some process of it may still write."""

from __future__ import annotations

import errno
import os
import secrets
import sys
from contextlib import suppress
from pathlib import Path

from iogate.files import bounded
from iogate.files.whole_file import told_of

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW
_STEP = 1 << 20


def move_to_fresh(source: Path, into: Path) -> None:
    """Make ``into`` a durable copy of a regular file, of the size that it has now, and take
    ``source`` away; the two may be one. ``into`` is the old file or the new one, whole. OSError."""
    handle = bounded.open_file(source)
    temporary = into.with_name(f".{into.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with told_of(into):
            with os.fdopen(os.open(temporary, _NEW, 0o666), "wb") as out:
                _copy(handle, out.fileno(), os.fstat(handle).st_size)
                os.fsync(out.fileno())
            temporary.replace(into)
    finally:
        os.close(handle)
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
    if source != into:
        with suppress(OSError):
            source.unlink()


def _copy(source: int, into: int, size: int) -> None:
    """What is in the first ``size`` bytes: a file that grows meanwhile must not keep its reader for
    ever. Holes stay holes: a file of any size may be one, and would fill the disk."""
    at = 0
    while (begin := _data_from(source, at)) < size:
        at = min(os.lseek(source, begin, os.SEEK_HOLE), size)
        _copy_range(source, into, begin, at)
    os.ftruncate(into, min(size, os.fstat(source).st_size))


def _data_from(source: int, at: int) -> int:
    """Where the next data are; without end where there are no more."""
    try:
        return os.lseek(source, at, os.SEEK_DATA)
    except OSError as error:
        if error.errno != errno.ENXIO:
            raise
        return sys.maxsize


def _copy_range(source: int, into: int, at: int, end: int) -> None:
    while at < end and (part := os.pread(source, min(end - at, _STEP), at)):
        at += os.pwrite(into, part, at)
