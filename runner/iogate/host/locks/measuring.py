"""Which run is being measured on this host: one whose process holds the host lock."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from iogate.files.state_folder import host_lock_path
from iogate.host.locks.holder import lockers, read_holder


def is_measuring(run_id: str) -> bool:
    """Whether a process of this host is at this run. A run that was killed has left its name
    in the lock, but not its process. While runs share the host, the lock names one of them, and
    any other may be measured, too: none is taken for ended until the last of them is."""
    with suppress(OSError):
        flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
        handle = os.open(host_lock_path(), flags)
        try:
            holder = read_holder(handle)
            named = holder is not None and holder.run == run_id
            return (named and _is_held(handle)) or _is_shared(handle)
        finally:
            os.close(handle)
    return False


def _is_held(handle: int) -> bool:
    """The kernel's list first: to try the lock keeps a run that starts just now from it."""
    return bool(lockers(handle)) or not _can_have(handle, fcntl.LOCK_SH)


def _is_shared(handle: int) -> bool:
    """Of holders that the kernel does not list here (another container's), the lock itself is
    asked: it can be had with others, and not alone."""
    if held := lockers(handle):
        return any(one.shared for one in held)
    return _can_have(handle, fcntl.LOCK_SH) and not _can_have(handle, fcntl.LOCK_EX)


def _can_have(handle: int, kind: int) -> bool:
    try:
        fcntl.flock(handle, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    fcntl.flock(handle, fcntl.LOCK_UN)
    return True
