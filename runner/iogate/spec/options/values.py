"""Values of fio's options: which text is one, and the one spelling that two equal values
share (``4k``, ``4K`` and ``4096``; ``on``, ``true`` and ``1``)."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

from iogate.jobs.options import CHOICES, NATIVE_CHOICES, OPTIONS, Kind
from iogate.spec.text.problems import listed, suggest

_TRUE = ("1", "true", "yes", "on", "y")
_FALSE = ("0", "false", "no", "off", "n")
_NUMBER = re.compile(r"(-?)(\d{1,18}(?:\.\d{1,9})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)
_HEX = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE | re.ASCII)
_PERCENT = re.compile(r"\d{1,3}(?:\.\d{1,6})?%", re.ASCII)
_ZONES = re.compile(r"\d{1,9}z", re.IGNORECASE | re.ASCII)
_OCTAL = re.compile(r"-?0\d+", re.ASCII)
_CLOCK = re.compile(r"\d+:\d+(?::\d+)?", re.ASCII)
_COMPUTED = re.compile(r"[$(]")  # the engine works it out
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_NANOSECONDS = {
    **dict.fromkeys(("us", "usec"), 10**3),
    **dict.fromkeys(("ms", "msec"), 10**6),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 10**9),
    **dict.fromkeys(("m", "min", "minute", "minutes"), 60 * 10**9),
    **dict.fromkeys(("h", "hour", "hours"), 3600 * 10**9),
    **dict.fromkeys(("d", "day", "days"), 86400 * 10**9),
}
_MAX_LENGTH = 4096
# The least and the most that both engines run with, where that is not any number.
_RANGES: dict[str, tuple[int, int | None]] = {
    "bs": (1, None),
    "iodepth": (1, None),
    "loops": (1, None),
    "nrfiles": (1, None),
    "numjobs": (1, 4096),
    "rwmixread": (0, 100),
    "rwmixwrite": (0, 100),
}


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
    least, most = _RANGES.get(key, (None, None))
    if least is None or _COMPUTED.search(canonical):
        return
    numbers = [int(part) for part in canonical.split(",") if part]
    if any(number < least for number in numbers):
        raise BadValueError(
            f"{key} is at least {least}, not {text}", "leave it out for its default"
        )
    if most is not None and any(number > most for number in numbers):
        raise BadValueError(f"{key} is at most {most}, not {text}", "make it smaller")


def canonical_value(key: str, text: str) -> str:
    """The spelling that all equal values share; raises BadValueError."""
    if _COMPUTED.search(text):
        return text
    return _CANONICAL[OPTIONS[key]](key, text)


def parse_bytes(key: str, text: str) -> int:
    """A number of bytes, such as ``64m``; ``key`` is for the message of BadValueError."""
    return int(_integer(key, text))


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
    if word in _TRUE:
        return "1"
    if word in _FALSE:
        return "0"
    raise BadValueError(f"{key} is true or false, not {text!r}", f"write {key}: true")


def _integer(key: str, text: str) -> str:
    if _HEX.fullmatch(text):
        return str(int(text, 16))
    if _OCTAL.fullmatch(text):
        raise BadValueError(
            f"{key}: {text} could be octal or decimal", "leave the leading zero out"
        )
    match = _NUMBER.fullmatch(text)
    unit = match[3].lower() if match else ""
    power = _POWERS.get(re.sub(r"(?<=[kmgtp])i?b?$|^b$", "", unit))
    if not match or power is None:
        raise BadValueError(
            f"{key} is a number, not {text!r}",
            "fio's units are k, m, g, t and p, powers of 1024: 4k is 4096",
        )
    value = Decimal(match[2]) * 1024**power
    if not unit and value != int(value):
        raise BadValueError(f"{key} is a whole number, not {text!r}", "1.5k is fine: 1536")
    return str(int(value) * (-1 if match[1] else 1))


def _integers(key: str, text: str) -> str:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) > 3:
        raise BadValueError(f"{key} has {len(parts)} parts", "at most read,write,trim")
    return ",".join(_integer(key, part) if part else "" for part in parts)


def _size(key: str, text: str) -> str:
    if _PERCENT.fullmatch(text) or _ZONES.fullmatch(text):
        return text.lower()
    value = _integer(key, text)
    if value.startswith("-"):
        raise BadValueError(f"{key} is a size, not {text!r}", "sizes are not negative")
    return value


def _duration(unit: str) -> Callable[[str, str], str]:
    def canonical(key: str, text: str) -> str:
        match = _NUMBER.fullmatch(text)
        scale = _NANOSECONDS.get(match[3].lower() or unit) if match else None
        if not match or match[1] or scale is None:
            why = "a colon would be read differently by every reader: " if _clock(text) else ""
            raise BadValueError(
                f"{key} is a duration, not {text!r}", f"{why}write 90s, 500ms, 2m or 1h"
            )
        if _OCTAL.fullmatch(match[2]):
            raise BadValueError(f"{key}: {text} begins with 0", "leave the leading zero out")
        return f"{int(Decimal(match[2]) * scale)}ns"

    return canonical


def _clock(text: str) -> bool:
    return _CLOCK.fullmatch(text) is not None


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
    Kind.SECONDS: _duration("s"),
    Kind.MICROSECONDS: _duration("us"),
    Kind.CHOICE: _choice,
    Kind.TEXT: lambda _key, text: text,
}
