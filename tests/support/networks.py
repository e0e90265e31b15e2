"""A network of a test's own: what it sets of ``net.*`` no other process has."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager

_CLONE_NEWNET = 0x40000000


@contextmanager
def own_network() -> Iterator[None]:
    """This thread is in a network namespace of its own while the block goes."""
    libc = ctypes.CDLL(None, use_errno=True)
    before = os.open("/proc/thread-self/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    try:
        if libc.unshare(_CLONE_NEWNET):
            raise OSError(ctypes.get_errno(), "no network namespace could be made")
        yield
    finally:
        libc.setns(before, _CLONE_NEWNET)
        os.close(before)
