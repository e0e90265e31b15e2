"""An end to waiting for a server's answer, however it comes.

The timeout of a socket is for each piece that comes: who sends one in time, again and again, is
waited for without end. When a deadline is over, the connection is shut down, and who reads from it
or writes to it learns so at once.
"""

from __future__ import annotations

import os
import socket
import threading
import time
from contextvars import ContextVar
from http.client import HTTPConnection, HTTPSConnection
from typing import Any, Self


class Deadline:
    """A request and its answer with it, however often it is tried, end after so many seconds. For
    connections that are ``Timed``; a name server and a connection's beginning are only waited for
    by their own timeouts, which are no longer than what is left."""

    def __init__(self, seconds: float) -> None:
        self._began_s = time.monotonic()
        self._lasts_s = seconds
        self._connection: socket.socket | None = None
        self._lock = threading.Lock()
        self._done = threading.Event()

    def __enter__(self) -> Self:
        self._around = _CURRENT.set(self)
        threading.Thread(target=self._wait, name="deadline", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        _CURRENT.reset(self._around)
        self._done.set()
        with self._lock:
            self._let_go()

    @property
    def passed_s(self) -> float:
        """Since its beginning."""
        return time.monotonic() - self._began_s

    @property
    def left_s(self) -> float:
        return self._lasts_s - self.passed_s

    @property
    def over(self) -> bool:
        return self.left_s <= 0

    def move(self, seconds: float) -> None:
        """To so many seconds after its beginning."""
        self._lasts_s = seconds

    def watch(self, connection: socket.socket) -> None:
        """Shut this connection down when the time is over, instead of one before. A handle of its
        own: that of the connection changes hands when TLS begins."""
        with self._lock:
            self._let_go()
            self._connection = socket.socket(fileno=os.dup(connection.fileno()))
            if self.over:
                _shut(self._connection)

    def _let_go(self) -> None:
        if self._connection:
            self._connection.close()
        self._connection = None

    def _wait(self) -> None:
        while not self._done.wait(max(self.left_s, 0)):
            with self._lock:
                if self.over and not self._done.is_set():
                    if self._connection:
                        _shut(self._connection)
                    return


_CURRENT: ContextVar[Deadline | None] = ContextVar("deadline", default=None)


def current() -> Deadline | None:
    """The deadline that this code runs with."""
    return _CURRENT.get()


def _shut(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        return  # its other end has closed it


class Timed(HTTPConnection):
    """A connection that keeps to the deadline that is there when it is used."""

    def connect(self) -> None:
        if deadline := current():
            if deadline.over:
                raise TimeoutError("timed out")
            own_s = self.timeout
            self.timeout = deadline.left_s if own_s is None else min(own_s, deadline.left_s)
        super().connect()

    def send(self, data: Any) -> None:
        if self.sock is None:
            self.connect()
        if deadline := current():
            deadline.watch(self.sock)
        super().send(data)


class TimedTls(Timed, HTTPSConnection):
    """The same over TLS."""
