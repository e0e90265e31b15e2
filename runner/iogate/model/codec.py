"""Between typed values and JSON values, from their type hints alone.

``codec_of(hint)`` compiles a pair of functions once per type. What it knows: text, bool,
int, float, StrEnum, ``X | None``, unions of plain values, ``tuple[X, ...]``,
``Mapping[str, X]``, dataclasses of these, and Histogram, which becomes
``[[value_ns, count], …]`` ascending.

JSON has no NaN and no infinities: a float field writes them as the texts "NaN",
"Infinity" and "-Infinity", and reads those back.
"""

from __future__ import annotations

import dataclasses
import math
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any

from iogate.model.histogram import Histogram

NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
PLAIN = (str, bool, int, float)


class MismatchError(ValueError):
    """A JSON value is not what its type says; ``path`` leads to it from the top."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(f"expected {expected}, found {_shown(value)}")
        self.path: list[str] = []

    def at(self, step: str) -> MismatchError:
        self.path.insert(0, step)
        return self


@dataclass(frozen=True, slots=True)
class Codec:
    """``encode`` gives a JSON-ready value; ``decode`` its inverse, or MismatchError."""

    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


@cache
def codec_of(hint: Any) -> Codec:
    """The codec of a type hint; TypeError for a type that has none."""
    if hint in _LEAVES:
        return _LEAVES[hint]
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, types.UnionType):
        return _union(arguments)
    if origin is tuple and len(arguments) == 2 and arguments[1] is Ellipsis:
        return _array(codec_of(arguments[0]))
    if origin is Mapping and arguments[0] is str:
        return _object(codec_of(arguments[1]))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return _enum(hint)
    if dataclasses.is_dataclass(hint):
        return _record(hint)
    raise TypeError(f"no JSON form is known for {hint!r}")


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


def _is_int(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _leaf(name: str, accepts: Callable[[Any], bool]) -> Codec:
    def decode(value: Any) -> Any:
        if not accepts(value):
            raise MismatchError(name, value)
        return value

    return Codec(lambda value: value, decode)


def _encode_float(value: float) -> float | str:
    if math.isfinite(value):
        return value
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _decode_float(value: Any) -> float:
    if isinstance(value, float):
        return value
    if _is_int(value):
        return float(value)
    if isinstance(value, str) and value in NON_FINITE:
        return NON_FINITE[value]
    raise MismatchError("a number", value)


def _encode_histogram(histogram: Histogram) -> list[list[int]]:
    return [[value, count] for value, count in histogram.bins.items()]


def _decode_histogram(value: Any) -> Histogram:
    try:
        pairs = [(bucket, count) for bucket, count in value]
    except (TypeError, ValueError):
        raise MismatchError("an array of [value, count]", value) from None
    if not all(type(bucket) is int and type(count) is int for bucket, count in pairs):
        raise MismatchError("whole numbers in a histogram", value)
    return Histogram(dict(sorted(pairs)))


def _union(members: tuple[Any, ...]) -> Codec:
    if type(None) in members:
        rest = tuple(member for member in members if member is not type(None))
        return _optional(codec_of(rest[0]) if len(rest) == 1 else _union(rest))
    if all(member in PLAIN for member in members):
        return _plain(members)
    raise TypeError(f"no JSON form is known for a union of {members!r}")


def _optional(inner: Codec) -> Codec:
    return Codec(
        lambda value: None if value is None else inner.encode(value),
        lambda value: None if value is None else inner.decode(value),
    )


def _plain(members: tuple[Any, ...]) -> Codec:
    """A union of plain values is itself in JSON; beside text, NaN stays the text "NaN"."""
    allowed = set(members)
    leaf = _leaf("a plain value", lambda value: type(value) in allowed)

    def encode(value: Any) -> Any:
        return _encode_float(value) if isinstance(value, float) else value

    return Codec(encode, leaf.decode)


def _array(inner: Codec) -> Codec:
    def decode(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MismatchError("an array", value)
        items = []
        for item in value:
            try:
                items.append(inner.decode(item))
            except MismatchError as error:
                raise error.at(f"[{len(items)}]") from None
        return tuple(items)

    return Codec(lambda value: [inner.encode(item) for item in value], decode)


def _object(inner: Codec) -> Codec:
    def decode(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise MismatchError("an object", value)
        items = {}
        for key, item in value.items():
            try:
                items[key] = inner.decode(item)
            except MismatchError as error:
                raise error.at(f".{key}") from None
        return items

    return Codec(
        lambda value: {key: inner.encode(item) for key, item in value.items()},
        decode,
    )


def _enum(kind: type[StrEnum]) -> Codec:
    known = {member.value: member for member in kind}

    def decode(value: Any) -> StrEnum:
        if not isinstance(value, str) or value not in known:
            raise MismatchError(f"one of {', '.join(known)}", value)
        return known[value]

    return Codec(lambda value: value.value, decode)


def _record(kind: Any) -> Codec:
    """A dataclass is an object of its fields. Reading is tolerant of what a later version
    of the same schema may add: unknown fields are skipped, defaults fill absent ones."""
    hints = typing.get_type_hints(kind)
    fields = [
        (field.name, codec_of(hints[field.name]), is_required(field))
        for field in dataclasses.fields(kind)
    ]
    encoders = [(name, codec.encode) for name, codec, _ in fields]

    def encode(value: Any) -> dict[str, Any]:
        return {name: encode_field(getattr(value, name)) for name, encode_field in encoders}

    def decode(value: Any) -> Any:
        if not isinstance(value, dict):
            raise MismatchError("an object", value)
        arguments = {}
        for name, codec, required in fields:
            if name in value:
                try:
                    arguments[name] = codec.decode(value[name])
                except MismatchError as error:
                    raise error.at(f".{name}") from None
            elif required:
                raise MismatchError(f"the field {name}", value)
        return kind(**arguments)

    return Codec(encode, decode)


def is_required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field has no default."""
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


_LEAVES: dict[Any, Codec] = {
    str: _leaf("text", lambda value: isinstance(value, str)),
    bool: _leaf("true or false", lambda value: isinstance(value, bool)),
    int: _leaf("a whole number", _is_int),
    float: Codec(_encode_float, _decode_float),
    Histogram: Codec(_encode_histogram, _decode_histogram),
}
