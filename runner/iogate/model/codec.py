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
Encode = Callable[[Any], Any]
UNWRITTEN = {"document": False}
"""The metadata of a field that documents do not have; read back, it has its default."""


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
    """``encode`` gives a JSON-ready value; ``decode`` its inverse, or MismatchError. Values
    of the types ``same`` decode to themselves, so that containers need not ask each."""

    encode: Encode
    decode: Callable[[Any], Any]
    same: frozenset[type] = frozenset()


def _as_is(value: Any) -> Any:
    """The encoder of what is its own JSON: containers leave out the call."""
    return value


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


def _leaf(name: str, accepts: Callable[[Any], bool], *same: type) -> Codec:
    def decode(value: Any) -> Any:
        if not accepts(value):
            raise MismatchError(name, value)
        return value

    return Codec(_as_is, decode, frozenset(same))


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
    encode = inner.encode
    return Codec(
        _as_is if encode is _as_is else lambda value: None if value is None else encode(value),
        lambda value: None if value is None else inner.decode(value),
    )


def _plain(members: tuple[Any, ...]) -> Codec:
    """A union of plain values is itself in JSON; beside text, NaN stays the text "NaN"."""
    allowed = frozenset(members)
    leaf = _leaf("a plain value", lambda value: type(value) in allowed)

    def encode(value: Any) -> Any:
        return _encode_float(value) if isinstance(value, float) else value

    return Codec(encode, leaf.decode, allowed)


def _array(inner: Codec) -> Codec:
    def decode(value: Any) -> tuple[Any, ...]:
        if not isinstance(value, list):
            raise MismatchError("an array", value)
        if inner.same.issuperset(map(type, value)):
            return tuple(value)
        items = []
        for item in value:
            try:
                items.append(inner.decode(item))
            except MismatchError as error:
                raise error.at(f"[{len(items)}]") from None
        return tuple(items)

    encode = inner.encode
    if encode is _as_is:
        return Codec(list, decode)
    return Codec(lambda value: [encode(item) for item in value], decode)


def _object(inner: Codec) -> Codec:
    def decode(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise MismatchError("an object", value)
        if inner.same.issuperset(map(type, value.values())):
            return dict(value)
        items = {}
        for key, item in value.items():
            try:
                items[key] = inner.decode(item)
            except MismatchError as error:
                raise error.at(f".{key}") from None
        return items

    encode = inner.encode
    if encode is _as_is:
        return Codec(dict, decode)
    return Codec(lambda value: {key: encode(item) for key, item in value.items()}, decode)


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
        for field in written_fields(kind)
    ]

    def decode(value: Any) -> Any:
        if not isinstance(value, dict):
            raise MismatchError("an object", value)
        arguments = {}
        for name, codec, required in fields:
            if name in value:
                item = value[name]
                try:
                    arguments[name] = item if type(item) in codec.same else codec.decode(item)
                except MismatchError as error:
                    raise error.at(f".{name}") from None
            elif required:
                raise MismatchError(f"the field {name}", value)
        return kind(**arguments)

    encode = _record_encoder({name: codec.encode for name, codec, _ in fields})
    return Codec(encode, decode, frozenset((kind,)))  # who has read a part already may put it in


def _record_encoder(fields: Mapping[str, Encode]) -> Encode:
    """A dict display of the fields, compiled: half of what it takes to keep a repetition is
    encoding, and a loop over the fields doubles that. As ``dataclasses`` makes ``__init__``."""
    encoders = {f"_{name}": encode for name, encode in fields.items()}
    values = (
        f"{name!r}: value.{name}" if encode is _as_is else f"{name!r}: _{name}(value.{name})"
        for name, encode in fields.items()
    )
    made: Encode = eval(f"lambda value: {{{', '.join(values)}}}", encoders)  # noqa: S307
    return made


def written_fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    """The fields of a dataclass that documents have."""
    return tuple(
        field for field in dataclasses.fields(kind) if field.metadata.get("document", True)
    )


def is_required(field: dataclasses.Field[Any]) -> bool:
    """Whether a field has no default."""
    missing = dataclasses.MISSING
    return field.default is missing and field.default_factory is missing


_LEAVES: dict[Any, Codec] = {
    str: _leaf("text", lambda value: isinstance(value, str), str),
    bool: _leaf("true or false", lambda value: isinstance(value, bool), bool),
    int: _leaf("a whole number", _is_int, int),
    float: Codec(_encode_float, _decode_float, frozenset((float,))),
    Histogram: Codec(_encode_histogram, _decode_histogram),
}
