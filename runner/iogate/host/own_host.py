"""The host of a run: held, and in order."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from iogate.host.leftovers import tidy
from iogate.host.locks.host_lock import Patience, host_lock, shared_host_lock
from iogate.sut.base import Sut


class Listener(Protocol):
    """Who is told what became of the host."""

    def told(self, text: str) -> None:
        """Something that people should know at once."""

    def noted(self, text: str) -> None:
        """Something that is in order."""


@contextmanager
def own_host(
    sut: Sut, run_id: str, patience: Patience, listener: Listener, *, shared: bool
) -> Iterator[None]:
    """The host, for this run or, ``shared``, for all that share it, with what killed runs have
    left put in order. While others are there, that waits: it may be theirs. Errors as for
    ``host_lock`` and ``tidy``."""

    def look_after() -> None:
        tidied = tidy(sut)
        for text in tidied.done:
            listener.noted(text)
        for text in tidied.left:
            listener.told(text)

    if shared:
        with shared_host_lock(sut, run_id, patience, look_after):
            listener.told("other runs may measure on this host meanwhile (exclusive: false)")
            yield
    else:
        with host_lock(sut, run_id, patience):
            look_after()
            yield
