"""The line of an agent: the one that it was started with, and those by which the same user comes
back when that is cut. He comes by a socket without a file, and says the key that only he was told:
engines are of the same user, too, and may see the socket's name."""

from __future__ import annotations

import hashlib
import hmac
import os
import select
import socket
import struct
from contextlib import suppress

_CREDENTIALS = struct.Struct("3i")  # unix(7): pid, uid, gid
_CHUNK = 1 << 16
_HELLO_S = 10.0  # a round trip, on a slow line


class Door:
    """Bytes to and from whoever is there. Without a ``key`` nobody comes back."""

    def __init__(self, key: str = "") -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        self._key = key.encode()
        self._listener = _listener(socket_name(key)) if key else None
        self._back: socket.socket | None = None  # who has come back, and waits
        if self._listener:
            os.set_blocking(self._out, False)

    def wait(self, idle_s: float, away_s: float) -> bool:
        """Until something is asked. False when nothing was for ``idle_s``, or nobody has come back
        within ``away_s``."""
        while True:
            self._let_in()
            watched = self._watched()
            if not watched:
                return False
            ready, _, _ = select.select(watched, [], [], away_s if self._in < 0 else idle_s)
            if not ready:
                return False
            if self._in in ready:
                return True
            self._is_back()

    def read(self, length: int) -> bytes:
        """So many bytes, and no more: what comes next must stay to be waited for. Fewer where the
        line ended, or somebody has come back by another."""
        data = bytearray()  # of a file of a hundred megabytes in thousands of parts
        while len(data) < length and self._in >= 0:
            ready, _, _ = select.select(self._watched(), [], [])
            part = b""
            if self._in in ready:
                with suppress(OSError):
                    part = os.read(self._in, length - len(data))
            elif not self._is_back():
                continue
            if not part:
                break
            data += part
        return bytes(data)

    def write(self, data: bytes) -> None:
        """To whoever is there, which may be nobody."""
        left = memoryview(data)
        while left and self._out >= 0:
            coming = [self._listener] if self._listener else []
            arrived, ready, _ = select.select(coming, [self._out], [])
            if not ready:
                if arrived and self._is_back():  # whoever was there takes nothing any more
                    self.drop()
                continue
            try:
                left = left[os.write(self._out, left[:_CHUNK]) :]
            except BlockingIOError:
                continue
            except OSError:
                self.drop()

    def flush(self) -> None:
        """Nothing is held back."""

    def drop(self) -> None:
        """Whoever was there is gone."""
        for each in {self._in, self._out} - {-1}:
            os.close(each)
        self._in = self._out = -1

    def _watched(self) -> list[int | socket.socket]:
        each: list[int | socket.socket] = [self._in] if self._in >= 0 else []
        return [*each, self._listener] if self._listener else each

    def _is_back(self) -> bool:
        """Whether whoever knocks may come in; anybody else is sent away."""
        assert self._listener
        came, _ = self._listener.accept()
        said = came.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
        known = _CREDENTIALS.unpack(said)[1] in (0, os.geteuid())
        if not known or not hmac.compare_digest(_hello(came, len(self._key)), self._key):
            came.close()
            return False
        if self._back:
            self._back.close()
        self._back = came
        return True

    def _let_in(self) -> None:
        """In place of the line that was: it may only seem to be there."""
        if self._back:
            self.drop()
            self._in = self._out = self._back.detach()
            os.set_blocking(self._out, False)
            self._back = None


def socket_name(key: str) -> str:
    """Of the socket of the door with a key, which it does not give away."""
    return hashlib.sha256(b"iogate agent\0" + key.encode()).hexdigest()[:32]


def _hello(came: socket.socket, length: int) -> bytes:
    """The first bytes that somebody says, fewer where he stops; what comes next is not touched."""
    came.settimeout(_HELLO_S)
    said = b""
    with suppress(OSError):
        while len(said) < length and (part := came.recv(length - len(said))):
            said += part
    came.settimeout(None)
    return said


def _listener(name: str) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(f"\0{name}")
    listener.listen(1)
    return listener
