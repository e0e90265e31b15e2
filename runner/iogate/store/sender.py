"""From the spool to the server, in order, as often as it takes.

Points carry their own identity, so delivering twice changes nothing; what counts is that
nothing leaves the spool before the server has acknowledged it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from iogate.errors import StoreError
from iogate.store.base import Delivery
from iogate.store.server import RejectedError, Server, SetupError, UnreachableError
from iogate.store.spool import Spool, Waiting

_PAUSE_S = 5.0
_LONGEST_PAUSE_S = 60.0


class Sender:
    """Delivers when it is told to, between repetitions: nothing goes over the network, nor
    to the server's disk, while something is being measured."""

    def __init__(self, spool: Spool, server: Server, patience_s: float) -> None:
        self._spool = spool
        self._server = server
        self._patience_s = patience_s
        self._pause_s = 0.0
        self._not_before = 0.0

    def offer(self) -> None:
        """Deliver what waits if that is possible now. After a failure it is not tried for
        some time, so that a slow server costs a run little."""
        if time.monotonic() >= self._not_before:
            with suppress(UnreachableError, SetupError):
                self._deliver(patience_s=0.0)

    def deliver(self) -> None:
        """Deliver all that waits, or raise UnreachableError or SetupError. While another
        process is at it, wait for that one."""
        self._deliver(patience_s=self._patience_s)

    def sync(self, *, retry_refused: bool) -> Delivery:
        """The same, with a report instead of an exception."""
        if retry_refused:
            self._spool.retry_refused()
        before, problem = self._spool.waiting(), None
        refused = len(self._spool.refused())
        if before:
            try:
                self.deliver()
            except (UnreachableError, SetupError) as error:
                problem = error
        return self._report(before, refused, problem)

    def _report(self, before: int, refused: int, problem: StoreError | None) -> Delivery:
        kept_apart = self._spool.refused()
        waiting = self._spool.waiting()
        gone = max(before - waiting - (len(kept_apart) - refused), 0)
        return Delivery(gone, waiting, kept_apart, problem)

    def _deliver(self, patience_s: float) -> None:
        try:
            with self._spool.sole_sender(patience_s) as alone:
                while alone and (batch := self._spool.batch()):
                    self._send(batch)
            self._pause_s = 0.0
        except (UnreachableError, SetupError):
            self._pause_s = min(max(2 * self._pause_s, _PAUSE_S), _LONGEST_PAUSE_S)
            self._not_before = time.monotonic() + self._pause_s
            raise

    def _send(self, batch: Sequence[Waiting]) -> None:
        """One refused item makes a server refuse its whole batch: halve it until it is found."""
        try:
            self._server.write(b"\n".join(item.lines for item in batch))
        except RejectedError as error:
            if len(batch) == 1:
                self._spool.refuse(batch[0], error.what)
                return
            middle = len(batch) // 2
            self._send(batch[:middle])
            self._send(batch[middle:])
            return
        self._spool.delivered(batch)
