"""The clock of this machine, set for a moment and put back."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_ADJ_SETOFFSET, _ADJ_NANO = 0x0100, 0x2000  # linux/timex.h
_LONGS = 40  # more than the rest of the struct


class _Timex(ctypes.Structure):
    _fields_ = (
        ("modes", ctypes.c_uint),
        ("before", ctypes.c_long * 4),  # offset, freq, maxerror, esterror
        ("status", ctypes.c_int),
        ("between", ctypes.c_long * 3),  # constant, precision, tolerance
        ("seconds", ctypes.c_long),
        ("nanoseconds", ctypes.c_long),
        ("after", ctypes.c_long * _LONGS),
    )


def step(seconds: float) -> None:
    """Set the time of day by so much, and leave the time that only runs. OSError without the
    right to."""
    asked = _Timex(modes=_ADJ_SETOFFSET | _ADJ_NANO)
    asked.seconds = int(seconds // 1)
    asked.nanoseconds = int((seconds % 1) * 1e9)
    if ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.byref(asked)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


@contextmanager
def stepped(seconds: float) -> Iterator[None]:
    """The clock as somebody has set it, for as long as the block goes."""
    step(seconds)
    try:
        yield
    finally:
        step(-seconds)
