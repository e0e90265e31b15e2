"""What runs on a machine at the end of a line: its own calls (``LocalSut``, or with its helper),
asked for on standard input and answered on standard output.

It needs nothing of the machine but Python: it is sent over the line (``ssh``), and leaves no file.
When the line is cut it goes on, for as long as it was told to: whoever comes back asks once more
for what he has had no answer to, and gets it. It does no call twice. It ends when it is told to,
when nobody comes back, or asks for anything for an hour; engines that it has started end with it,
and what they have changed is put back by the next run, as after any crash.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from iogate.errors import IogateError, RunError
from iogate.files.bounds import FETCHED_BYTES
from iogate.sut import open_sut
from iogate.sut.calls import MACHINE, calls_of
from iogate.sut.door import Door
from iogate.sut.transfer import check_room, open_regular
from iogate.sut.wire import GOODBYE, MARK, WireError, plain, receive, send, send_bytes

IDLE_S = 3600.0
_CHUNK = 1 << 20


def serve(key: str = "", away_s: float = 0.0) -> None:
    """Answer until the line ends; with a ``key``, for ``away_s`` longer: somebody may come back
    and say it."""
    door = Door(key)
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(2, 1)  # what is printed here is no answer
    machine = open_sut()
    door.write(MARK)
    send(door, {"value": {"mounts": machine.mounts}})
    desk = _Desk(machine, door)
    while door.wait(IDLE_S, away_s):
        try:
            message = receive(door)
        except EOFError:
            door.drop()
            continue
        if message.get("call") == GOODBYE:
            return
        desk.answer(message)


class _Desk:
    """What has been given, by number, and who answers."""

    def __init__(self, machine: Any, door: Door) -> None:
        self._objects: dict[int, tuple[type, Any]] = {0: (MACHINE, machine)}
        self._next = 1
        self._door = door
        self._last: tuple[Any, dict[str, Any]] = (None, {})

    def answer(self, message: Mapping[str, Any]) -> None:
        """One call, and its answer; the same answer to a call that is asked once more."""
        number, before = self._last
        if number is None or message.get("number") != number:
            before = self._all(message) if "calls" in message else self._tried(message)
            # A file is sent anew: it is not kept.
            number = None if message.get("call") == "get" else message.get("number")
            self._last = number, before
        send(self._door, before)

    def _all(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Several calls, up to the first that goes wrong."""
        answers: list[dict[str, Any]] = []
        for each in message["calls"]:
            if not isinstance(each, dict) or each.get("call") == "get":
                answers.append({"error": ["RunError", "such a call is asked by itself", ""]})
            else:
                answers.append(self._tried(each))
            if "error" in answers[-1]:
                break
        return {"answers": answers}

    def _tried(self, message: Mapping[str, Any]) -> dict[str, Any]:
        try:
            return self._done(message)
        except IogateError as error:
            return {"error": [type(error).__name__, error.what, error.remedy]}
        except Exception as error:
            return {"error": ["RunError", f"{type(error).__name__}: {error}", ""]}

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
            return self._sent(given["path"], given.get("most", FETCHED_BYTES))
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

    def _sent(self, path: str, most: int) -> dict[str, Any]:
        """A file goes in frames between two answers; an empty frame ends it. One that grows
        meanwhile goes as it was."""
        file = open_regular(path)
        if file is None:
            return {"value": False}
        with file:
            left = os.fstat(file.fileno()).st_size
            check_room(path, left, most)
            send(self._door, {"value": True})
            try:
                while data := file.read(min(left, _CHUNK)):
                    left -= len(data)
                    send_bytes(self._door, data)
            except OSError as error:
                raise RunError(f"cannot read {path}: {error.strerror}") from error
            finally:
                send_bytes(self._door, b"")
        return {"value": True}
