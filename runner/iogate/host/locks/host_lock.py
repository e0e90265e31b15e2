"""One run measures at a time: a second one would measure the first. Runs whose specs all allow
it share the host, and keep it from every other.

The lock is that of the kernel (flock) on one file, the same for all users and whatever their
environment says; it goes with the process that holds it. What the file says is only told.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial

from iogate.errors import RefusedError
from iogate.host.locks.holder import holder_in_words, this_process, write_holder
from iogate.sut.base import LockFile, Sut
from iogate.sut.state_folder import HOST_LOCK

RETRY_S = 0.5
_TIDYING_S = 10.0  # a run that shares the host looks after it alone, for a moment


class HeldError(RefusedError):
    """Another run measures on this host."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for a lock. ``on_wait`` is told once who is waited for; ``give_up`` is
    asked meanwhile."""

    wait_s: float = 0.0
    on_wait: Callable[[str], None] = lambda _holder: None
    give_up: Callable[[], bool] = lambda: False


_NONE = Patience()


@contextmanager
def host_lock(sut: Sut, run_id: str, patience: Patience = _NONE) -> Iterator[None]:
    """Hold the host for measuring. HeldError, saying who holds it, when patience ends;
    RefusedError when the lock cannot be had at all."""
    with closing(_locked(sut, patience, shared=False)) as lock:
        write_holder(lock, this_process(sut, run_id))
        yield
        lock.write("")


@contextmanager
def shared_host_lock(
    sut: Sut, run_id: str, patience: Patience, tidy_alone: Callable[[], None]
) -> Iterator[None]:
    """Hold the host together with others that do so; errors as for ``host_lock``.
    ``tidy_alone`` is called first, with the host held for this process alone, where nobody else
    holds it. The file names the one that came last, and keeps that name when it leaves: a
    holder that is gone is not believed."""
    with suppress(HeldError), host_lock(sut, run_id):
        tidy_alone()
    wait_s = max(patience.wait_s, _TIDYING_S)
    with closing(_locked(sut, replace(patience, wait_s=wait_s), shared=True)) as lock:
        write_holder(lock, this_process(sut, run_id))
        yield


def acquire(
    lock: LockFile,
    patience: Patience,
    who: Callable[[], str],
    error: RefusedError,
    *,
    shared: bool = False,
) -> None:
    """Take a lock, for this process alone or with others that share it. ``error``, with ``who``
    holds it put behind what it says, when patience ends."""
    deadline = time.monotonic() + patience.wait_s
    told = False
    while not lock.take(shared=shared):
        holder = who()
        if time.monotonic() >= deadline or patience.give_up():
            raise type(error)(f"{error.what}: {holder}", remedy=error.remedy)
        if not told:
            patience.on_wait(holder)
            told = True
        time.sleep(RETRY_S)


def _locked(sut: Sut, patience: Patience, *, shared: bool) -> LockFile:
    """The file, open and locked. One that was removed or replaced meanwhile locks nothing."""
    held = HeldError(
        "another run is measuring on this host",
        remedy=f"wait for it (--wait 10m), or stop it; the lock is {HOST_LOCK}",
    )
    while True:
        lock = sut.lock_file(HOST_LOCK, make=True)
        try:
            acquire(lock, patience, partial(holder_in_words, sut, lock), held, shared=shared)
        except BaseException:
            lock.close()
            raise
        if lock.stands_at(HOST_LOCK):
            return lock
        lock.close()
