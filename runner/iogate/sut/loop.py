"""What the kernel says a loop device stands on: its own word, not a path that may be stale."""

from __future__ import annotations

import fcntl
import os
import struct

from iogate.sut.base import LoopStatus

_GET_STATUS64 = 0x4C05  # linux/loop.h, as is the layout of struct loop_info64
_INFO = struct.Struct("=5Q4I64s64s32s2Q")


def loop_status(path: str) -> LoopStatus | None:
    """LOOP_GET_STATUS64 of the node at ``path``; None for one that is not attached, is no loop
    device, or may not be opened."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError:
        return None
    try:
        told = fcntl.ioctl(handle, _GET_STATUS64, bytes(_INFO.size))
    except OSError:
        return None
    finally:
        os.close(handle)
    device, inode, rdevice, offset, limit, *_ = _INFO.unpack(told)
    return LoopStatus(_numbers(device), inode, _numbers(rdevice) if rdevice else "", offset, limit)


def _numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
