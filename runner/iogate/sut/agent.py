"""What runs on a machine at the end of a line: its own calls (``LocalSut``, or with its helper),
one at a time, asked for on standard input and answered on standard output.

It needs nothing of the machine but Python: it is sent over the line (``ssh``), and leaves no file.
It ends with the line, or when nobody asks for anything for an hour; engines that it has started
end with it, and what they have changed is put back by the next run, as after any crash.
"""

from __future__ import annotations

import os
import select
from collections.abc import Mapping
from typing import IO, Any

from iogate.errors import IogateError, RunError
from iogate.sut import open_sut
from iogate.sut.calls import MACHINE, calls_of
from iogate.sut.transfer import open_regular
from iogate.sut.wire import MARK, WireError, plain, receive, send, send_bytes

IDLE_S = 3600.0
_CHUNK = 1 << 20


def serve() -> None:
    """Answer until the line ends."""
    asked, answers = os.fdopen(os.dup(0), "rb", buffering=0), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # what is printed here is no answer
    machine = open_sut()
    answers.write(MARK)
    send(answers, {"value": {"mounts": machine.mounts}})
    desk = _Desk(machine, answers)
    while _waits(asked):
        try:
            desk.answer(receive(_Whole(asked)))  # type: ignore[arg-type]
        except (EOFError, BrokenPipeError):
            return


def _waits(asked: IO[bytes]) -> bool:
    ready, _, _ = select.select([asked], [], [], IDLE_S)
    return bool(ready)


class _Whole:
    """Reads as much as is asked for, and no more: what comes next must stay to be waited for."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def read(self, length: int) -> bytes:
        parts = []
        while length and (part := self._raw.read(length)):
            parts.append(part)
            length -= len(part)
        return b"".join(parts)


class _Desk:
    """What has been given, by number, and who answers."""

    def __init__(self, machine: Any, answers: IO[bytes]) -> None:
        self._objects: dict[int, tuple[type, Any]] = {0: (MACHINE, machine)}
        self._next = 1
        self._answers = answers

    def answer(self, message: Mapping[str, Any]) -> None:
        """One call, and its answer."""
        try:
            done = self._done(message)
        except IogateError as error:
            done = {"error": [type(error).__name__, error.what, error.remedy]}
        except Exception as error:
            done = {"error": ["RunError", f"{type(error).__name__}: {error}", ""]}
        send(self._answers, done)

    def _done(self, message: Mapping[str, Any]) -> dict[str, Any]:
        number, name = message.get("on"), message.get("call")
        if number not in self._objects:
            raise WireError(f"there is no object {number!r}")
        protocol, called = self._objects[number]
        call = calls_of(protocol).get(str(name))
        if call is None:
            raise WireError(f"there is no call {name!r}")
        given = call.unpacked(message.get("with"))
        if protocol is MACHINE and name == "get":
            return self._sent(given["path"])
        value = getattr(called, str(name))(**given)
        if name == "close" and number:
            del self._objects[number]
        if call.gives is None or value is None:
            return {"value": plain(value)}
        return self._given(call.gives, value)

    def _given(self, protocol: type, value: Any) -> dict[str, Any]:
        number, self._next = self._next, self._next + 1
        self._objects[number] = protocol, value
        return {"object": number, "pid": getattr(value, "pid", 0)}

    def _sent(self, path: str) -> dict[str, Any]:
        """A file goes in frames between two answers; an empty frame ends it."""
        file = open_regular(path)
        if file is None:
            return {"value": False}
        send(self._answers, {"value": True})
        with file:
            try:
                while data := file.read(_CHUNK):
                    send_bytes(self._answers, data)
            except OSError as error:
                raise RunError(f"cannot read {path}: {error.strerror}") from error
            finally:
                send_bytes(self._answers, b"")
        return {"value": True}
