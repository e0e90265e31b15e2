"""Which run is being measured on a host: one whose process holds the host lock."""

from __future__ import annotations

from contextlib import closing, suppress

from iogate.errors import RefusedError
from iogate.host.locks.holder import lockers, read_holder
from iogate.sut.base import LockFile, Sut
from iogate.sut.state_folder import HOST_LOCK


def is_measuring(sut: Sut, run_id: str) -> bool:
    """Whether a process of this host is at this run. A run that was killed has left its name
    in the lock, but not its process. While runs share the host, the lock names one of them, and
    any other may be measured, too: none is taken for ended until the last of them is."""
    with suppress(RefusedError), closing(sut.lock_file(HOST_LOCK, make=False)) as lock:
        holder = read_holder(sut, lock)
        named = holder is not None and holder.run == run_id
        return (named and _is_held(sut, lock)) or _is_shared(sut, lock)
    return False


def _is_held(sut: Sut, lock: LockFile) -> bool:
    """The kernel's list first: to try the lock keeps a run that starts just now from it."""
    return bool(lockers(sut, lock)) or not _can_have(lock, shared=True)


def _is_shared(sut: Sut, lock: LockFile) -> bool:
    """Of holders that the kernel does not list here (another container's), the lock itself is
    asked: it can be had with others, and not alone."""
    if held := lockers(sut, lock):
        return any(locker.shared for locker in held)
    return _can_have(lock, shared=True) and not _can_have(lock, shared=False)


def _can_have(lock: LockFile, *, shared: bool) -> bool:
    if not lock.take(shared=shared):
        return False
    lock.release()
    return True
