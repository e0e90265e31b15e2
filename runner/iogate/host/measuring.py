"""Which run is being measured on this host: the one whose process holds the host lock."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from iogate.host.holder import locker, read_holder
from iogate.state import host_lock_path


def is_measuring(run_id: str) -> bool:
    """Whether a process of this host is at this run. A run that was killed has left its name
    in the lock, but not its process."""
    with suppress(OSError):
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(host_lock_path(), flags)
        try:
            holder = read_holder(handle)
            return holder is not None and holder.run == run_id and _is_held(handle)
        finally:
            os.close(handle)
    return False


def _is_held(handle: int) -> bool:
    """The kernel's list first: to try the lock keeps a run that starts just now from it."""
    if locker(handle):
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False
