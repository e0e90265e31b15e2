"""Which blocks of a file or a device of this machine hold nothing: holes, and zeros alone."""

from __future__ import annotations

import errno
import mmap
import os
import time
from collections.abc import Sequence
from contextlib import closing

_FLAGS = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOFOLLOW
_PATIENCE_S = 5.0


def blank_blocks(path: str, offsets: Sequence[int], length: int) -> int | None:
    """As ``Sut.blank_blocks`` says."""
    try:
        handle = os.open(path, _FLAGS | os.O_DIRECT)
    except OSError:
        return _holes_alone(path, offsets)
    try:
        with closing(mmap.mmap(-1, length)) as buffer:  # memory of a page's alignment
            return _counted(handle, offsets, buffer)
    except OSError:
        return None
    finally:
        os.close(handle)


def _counted(handle: int, offsets: Sequence[int], buffer: mmap.mmap) -> int | None:
    """None for a device that takes too long: a look must not take longer than the test."""
    count, until = 0, time.monotonic() + _PATIENCE_S
    for at in offsets:
        count += _is_blank(handle, at, buffer)
        if time.monotonic() > until:
            return None
    return count


def _is_blank(handle: int, at: int, buffer: mmap.mmap) -> bool:
    """OSError where it cannot be read past the page cache."""
    if _is_hole(handle, at):
        return True
    count = os.preadv(handle, [buffer], at)
    return not any(buffer[:count])


def _is_hole(handle: int, at: int) -> bool:
    """A device, and a filesystem that does not tell, have none."""
    try:
        return os.lseek(handle, at, os.SEEK_DATA) > at
    except OSError as error:
        return error.errno == errno.ENXIO  # nothing but a hole up to the end


def _holes_alone(path: str, offsets: Sequence[int]) -> int | None:
    """Where nothing can be read past the page cache: holes are known without reading."""
    try:
        handle = os.open(path, _FLAGS)
    except OSError:
        return None
    try:
        return sum(_is_hole(handle, at) for at in offsets)
    finally:
        os.close(handle)
