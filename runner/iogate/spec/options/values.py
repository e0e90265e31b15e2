"""Values of fio's options: which text is one, and the one spelling that two equal values
share (``4k``, ``4K`` and ``4096``; ``on``, ``true`` and ``1``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from typing import TypeVar

from iogate.jobs import numbers
from iogate.jobs.engine_table import RANGES
from iogate.jobs.options import CHOICES, NATIVE_CHOICES, OPTIONS, Kind
from iogate.jobs.plain_values import FALSE, TRUE
from iogate.spec.text.problems import listed, suggest

_COMPUTED = re.compile(r"[$(]")  # the engine works it out
# What a number was when ids of cases were first made: what is read since then is spelled in them
# as it was written, as it was before.
_OF_OLD = re.compile(r"(?ai)-?(0x[0-9a-f]{1,16}|\d{1,18}(\.\d{1,9})?\s*[a-z]*)")
_NEW_UNITS = re.compile(r"(?ai).*\d\s*(ns|nsec|secs|mins|hr)")
_PART_OF_OLD = re.compile(r"(?ai)\d{1,3}(\.\d{1,6})?%|\d{1,9}z")
_MAX_LENGTH = 4096
_MOST = 2**64 - 1
_NUMERIC = (Kind.NUMBER, Kind.NUMBERS, Kind.SIZE)
_TIMES: dict[Kind, Callable[[str], int]] = {
    Kind.SECONDS: numbers.nanoseconds,
    Kind.MICROSECONDS: partial(numbers.nanoseconds, unit_ns=numbers.NS_PER_US),
}
T = TypeVar("T")
SPANS = ("startdelay",)  # each clone draws one of a range
# fio has the same upper limits for these; of others it may take more than iogate-engine does.
_LIMITED_BY_BOTH = ("numjobs", "rwmixread", "rwmixwrite")


class BadValueError(ValueError):
    """The text is no value of the option; ``remedy`` says what would be."""

    def __init__(self, what: str, remedy: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


def read_value(key: str, text: str) -> str:
    """The value as it goes into a job file. ``key`` is a canonical name. Booleans become
    0 or 1; everything else stays as it was written. Raises BadValueError."""
    text = text.strip()
    check_text(key, text)
    kind = OPTIONS[key]
    if kind in (Kind.BOOL, Kind.FLAG):
        return _boolean(key, text)
    _check_range(key, text, canonical_value(key, text))
    return text


def _check_range(key: str, text: str, canonical: str) -> None:
    least, most = RANGES.get(key, (None, None))
    most = most if key in _LIMITED_BY_BOTH else None
    if _COMPUTED.search(canonical):
        values = _worked_out(key, canonical)
    elif OPTIONS[key] not in _NUMERIC:
        return
    else:
        values = [int(part) for part in canonical.split(",") if part.lstrip("-").isdecimal()]
    if canonical.endswith("%") and Decimal(canonical.rstrip("% ")) > 100:
        raise BadValueError(f"{key} is at most 100%, not {text}", "make it smaller")
    if least is not None and any(value < least for value in values):
        raise BadValueError(
            f"{key} is at least {least}, not {text}", "leave it out for its default"
        )
    if any(abs(value) > _MOST for value in values):
        raise BadValueError(f"{key} is less than 2^64, which {text} is not", "make it smaller")
    if most is not None and any(value > most for value in values):
        raise BadValueError(f"{key} is at most {most}, not {text}", "make it smaller")


def _worked_out(key: str, text: str) -> list[int]:
    """The values of sums in parentheses, as far as the runner can read them; BadValueError for one
    that nothing can hold."""
    kind = OPTIONS[key]
    if "$" in text or not (kind in _TIMES or kind in _NUMERIC):
        return []
    read, numbers_read = _TIMES.get(kind, numbers.number), []
    for part in text.split(","):
        try:
            numbers_read.append(read(part))
        except numbers.TooLargeError as error:
            raise BadValueError(f"{key}{error.what}", error.remedy) from None
        except numbers.BadNumberError:
            continue
    return [] if kind in _TIMES else numbers_read


def canonical_value(key: str, text: str) -> str:
    """The spelling that all equal values share; raises BadValueError."""
    if _COMPUTED.search(text):
        return text
    return _CANONICAL[OPTIONS[key]](key, text)


def parse_bytes(key: str, text: str) -> int:
    """A number of bytes, such as ``64m``; ``key`` is for the message of BadValueError."""
    return _read(numbers.number, key, text)


def check_text(key: str, text: str) -> None:
    """Raise BadValueError for what cannot stand in a line of a job file."""
    if not text:
        raise BadValueError(f"{key} has no value", f"write {key}: VALUE, or leave it out")
    if len(text) > _MAX_LENGTH:
        raise BadValueError(
            f"the value of {key} is longer than {_MAX_LENGTH} characters", "shorten it"
        )
    bad = next((c for c in text if c in ";#" or not c.isprintable()), None)
    if bad is not None:
        raise BadValueError(
            f"the value of {key} holds {bad!r}",
            "in a job file ; and # begin a comment and a line holds one value: leave it out",
        )


def _boolean(key: str, text: str) -> str:
    word = text.lower()
    if word in TRUE:
        return "1"
    if word in FALSE:
        return "0"
    raise BadValueError(f"{key} is true or false, not {text!r}", f"write {key}: true")


def _read(read: Callable[[str], T], key: str, text: str) -> T:
    """The value of an option; BadValueError names the option."""
    try:
        return read(text)
    except numbers.BadNumberError as error:
        raise BadValueError(f"{key}{error.what}", error.remedy) from None


def _integer(key: str, text: str) -> str:
    value = _read(numbers.number, key, text)
    return str(value) if _OF_OLD.fullmatch(text) else text


def _integers(key: str, text: str) -> str:
    parts = _read(numbers.each, key, text)
    return ",".join(_integer(key, part) if part else "" for part in parts)


def _size(key: str, text: str) -> str:
    value = _read(numbers.size, key, text)
    if value.bytes is not None:
        return str(value.bytes) if _OF_OLD.fullmatch(text) else text
    return text.lower() if _PART_OF_OLD.fullmatch(text) else text


def _duration(unit_ns: int) -> Callable[[str, str], str]:
    def canonical(key: str, text: str) -> str:
        if key in SPANS and re.search("[-:]", text):
            _read(partial(numbers.span, read=numbers.nanoseconds), key, text)
            return text
        value = _read(partial(numbers.nanoseconds, unit_ns=unit_ns), key, text)
        of_old = _OF_OLD.fullmatch(text) and not _NEW_UNITS.fullmatch(text)
        return f"{value}ns" if of_old else text

    return canonical


def _choice(key: str, text: str) -> str:
    known = CHOICES[key]
    word = text.partition(":")[0]
    if word not in known:
        raise BadValueError(f"{key} {text!r} does not exist", _choices_near(key, word))
    return text


def _choices_near(key: str, word: str) -> str:
    """What iogate-engine has comes first; what only fio has is told with how to run it."""
    known = CHOICES[key]
    own = NATIVE_CHOICES.get(key, known)
    if near := suggest(word, own):
        return near
    others = tuple(name for name in known if name not in own)
    if near := suggest(word, others):
        return f"{near} (with --engine fio)"
    more = "; with --engine fio also what fio has, see man fio" if others else ""
    return f"it is one of {listed(own)}{more}"


_CANONICAL: dict[Kind, Callable[[str, str], str]] = {
    Kind.BOOL: _boolean,
    Kind.FLAG: _boolean,
    Kind.NUMBER: _integer,
    Kind.NUMBERS: _integers,
    Kind.SIZE: _size,
    Kind.SECONDS: _duration(numbers.NS_PER_S),
    Kind.MICROSECONDS: _duration(numbers.NS_PER_US),
    Kind.CHOICE: _choice,
    Kind.TEXT: lambda _key, text: text,
}
