"""What goes over a line to a machine: frames of JSON.

A call is ``{"number": COUNT, "on": NUMBER, "call": NAME, "with": {PARAMETER: VALUE}}``; number 0
is the machine, others are what it gave: processes, locks, logs. Several go together as
``{"number": COUNT, "calls": [{"on": …}, …]}``. A message with the count of the last
one is that one, asked once more. The answer is ``{"value": …}``, ``{"object":
NUMBER, "pid": …}`` or ``{"error": [KIND, WHAT, REMEDY]}``; of several ``{"answers": [ANSWER, …]}``,
up to the first that is an error. Both sides read values by the types of
the protocols in ``base``: what comes over a line becomes nothing else, whatever is at its end.
"""

from __future__ import annotations

import base64
import json
import math
import struct
import types
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Protocol, Union, get_args, get_origin, get_type_hints

from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.files.bounds import LINE_BYTES

MARK = b"\0iogate: the line is open\n"
"""Stands before the first message."""
GOODBYE = "goodbye"
"""A call that ends the agent, and has no answer."""
_LENGTH = struct.Struct("<I")
_UNIONS = (Union, types.UnionType)
_SEQUENCES = (list, tuple, Sequence)


class Readable(Protocol):
    """What gives as many bytes as are asked for, fewer only at its end."""

    def read(self, length: int, /) -> bytes: ...


class Writable(Protocol):
    """What takes bytes."""

    def write(self, data: bytes, /) -> object: ...

    def flush(self) -> None: ...


class WireError(RunError):
    """What came over the line is not what was agreed."""


def send(stream: Writable, message: Mapping[str, Any]) -> None:
    """One message. OSError where nobody listens any more."""
    send_bytes(stream, json.dumps(message).encode())


def receive(stream: Readable) -> dict[str, Any]:
    """The next message. EOFError at the end; WireError for what is none."""
    try:
        message = parse_json(receive_bytes(stream))
    except ValueError as error:
        raise WireError(f"the line carries no message: {error}") from error
    if not isinstance(message, dict):
        raise WireError("the line carries no message")
    return message


def send_bytes(stream: Writable, data: bytes) -> None:
    """One frame."""
    stream.write(_LENGTH.pack(len(data)) + data)
    stream.flush()


def receive_bytes(stream: Readable) -> bytes:
    """The next frame. EOFError at the end; WireError for one that is too long."""
    (length,) = _LENGTH.unpack(_exactly(stream, _LENGTH.size))
    if length > LINE_BYTES:
        raise WireError(f"a message of {length:,} bytes is more than {LINE_BYTES:,}")
    return _exactly(stream, length)


def _exactly(stream: Readable, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise EOFError
    return data


def plain(value: Any) -> Any:
    """A value as JSON has it."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def typed(value: Any, hint: Any) -> Any:
    """What JSON has as a value of a type; WireError where it is none."""
    kind: Any = get_origin(hint) if get_args(hint) else hint
    if kind in _UNIONS:
        (other,) = (each for each in get_args(hint) if each is not type(None))
        return None if value is None else typed(value, other)
    if kind is bytes:
        return _bytes(value)
    if kind in _SEQUENCES:
        return _sequence(value, kind, get_args(hint))
    if kind in (dict, Mapping):
        _, item = get_args(hint)
        return {key: typed(each, item) for key, each in _checked(value, dict).items()}
    if is_dataclass(kind):
        return _record(value, kind)
    return _scalar(value, type(None) if kind is None else kind)


def _bytes(value: Any) -> bytes:
    try:
        return base64.b64decode(_checked(value, str), validate=True)
    except ValueError as error:
        raise WireError("the line carries bytes that are none") from error


def _sequence(value: Any, kind: Any, items: tuple[Any, ...]) -> Any:
    values = _checked(value, list)
    if kind is tuple and Ellipsis not in items:
        if len(values) != len(items):
            raise WireError(f"the line carries {len(values)} values in place of {len(items)}")
        return tuple(typed(each, item) for each, item in zip(values, items, strict=True))
    made = [typed(each, items[0]) for each in values]
    return made if kind is list else tuple(made)


def _record(value: Any, kind: Any) -> Any:
    hints = get_type_hints(kind)
    known = {name: each for name, each in _checked(value, dict).items() if name in hints}
    if len(known) != len(hints):
        raise WireError(f"the line carries no whole {kind.__name__}")
    return kind(**{name: typed(each, hints[name]) for name, each in known.items()})


def _scalar(value: Any, kind: type) -> Any:
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError as error:
            raise WireError("the line carries a number that is too large") from error
    if kind is float and not math.isfinite(_checked(value, float)):
        raise WireError("the line carries a number that is none, or too large")
    return _checked(value, kind)


def _checked(value: Any, kind: type) -> Any:
    if type(value) is not kind:
        raise WireError(f"the line carries {type(value).__name__} in place of {kind.__name__}")
    return value
