"""Connections of ``iogate serve``: one that asks for nothing gives way, and ends by itself."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

MOST = 200
"""Connections at a time; beyond them uvicorn answers 503."""
_MOST_OF_A_PEER = MOST // 2
_REQUEST_S = 10.0  # from its first byte, or the end of the answer before, to the end of its header
_ANSWERING = (h11.SEND_RESPONSE, h11.SEND_BODY)
_READ_S = 60.0  # without any of an answer being read


class Connection(H11Protocol):
    """uvicorn's, which waits for the rest of a request as long as a byte comes now and then."""

    _waits_since: float | None = None
    _deadline: asyncio.TimerHandle | None = None
    _unread: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._wait()
        others = self._open_ones()
        if len(others) >= MOST:
            _give_way(others)
        own = [each for each in others if each.peer == self.peer]
        if len(own) >= _MOST_OF_A_PEER and not _give_way(own):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._wait_no_longer()
        _cancel(self._unread)
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self.conn.our_state in _ANSWERING:
            self._wait_no_longer()

    def on_response_complete(self) -> None:
        self._wait()  # first: the next request may be here already
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        _cancel(self._unread)
        self._unread = self.loop.call_later(_READ_S, self.transport.abort)

    def resume_writing(self) -> None:
        _cancel(self._unread)
        super().resume_writing()

    @property
    def peer(self) -> str:
        """The address of who connected."""
        return self.client[0] if self.client else ""

    def waits_since(self) -> float | None:
        """When it began to wait for a request; None if it has one, or an answer to be read."""
        return None if self.transport.get_write_buffer_size() else self._waits_since

    def _wait(self) -> None:
        self._wait_no_longer()
        self._waits_since = self.loop.time()
        self._deadline = self.loop.call_later(_REQUEST_S, self.transport.close)

    def _wait_no_longer(self) -> None:
        self._waits_since = None
        _cancel(self._deadline)

    def _open_ones(self) -> list[Connection]:
        """All others."""
        known = [each for each in self.connections if isinstance(each, Connection)]
        return [each for each in known if each is not self and not each.transport.is_closing()]


def _give_way(connections: list[Connection]) -> bool:
    """End the one that has waited for a request the longest; whether there was one."""
    waiting = [(at, each) for each in connections if (at := each.waits_since()) is not None]
    if not waiting:
        return False
    _, longest = min(waiting, key=lambda pair: pair[0])
    longest.transport.abort()
    longest.connections.discard(longest)
    return True


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
