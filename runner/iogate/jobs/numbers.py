"""fio's numbers, as its documentation has them: sizes, durations, ranges and lists of them.

The one place that reads them: what a spec may say, how a case id spells it, how long a case may
take, what goes into a job file. Pure. BadNumberError for what is none.

Sizes take ``k m g t p``, powers of ``kb_base`` (1024 where a job says nothing), an optional ``b``,
``0x``, and sums in parentheses. ``Ki Mi …`` are always powers of 1024: fio flips them with its
base, as its manual says, and 3.33 reads ``4KiB`` as 4000 bytes and ``4Ki`` as 4096. Durations take
``us ms s m h d`` and their usual longer names, which fio 3.33 reads as microseconds (``2hours`` is
2 µs). So ``plain_size`` and ``plain_duration`` are what goes into a job file: every engine reads
that alike.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal

from iogate.jobs.arithmetic import evaluate

NS_PER_US, NS_PER_MS, NS_PER_S = 10**3, 10**6, 10**9
_MOST, _MOST_DIGITS = 2**64 - 1, 40  # asked before anything is made an int, which may take for ever
_NUMBER = re.compile(r"(-?)(\d{1,20}(?:\.\d{1,20})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)
_HEX = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE | re.ASCII)
_OCTAL = re.compile(r"-?0\d+", re.ASCII)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d{1,6})?)\s*%", re.ASCII)
_ZONES = re.compile(r"(\d{1,9})\s*z", re.IGNORECASE | re.ASCII)
_PREFIX = re.compile(r"(?:([kmgtp])(i?))?b?", re.ASCII)
_CLOCK = re.compile(r"\d+:\d+(?::\d+)?", re.ASCII)
_PLAIN_SIZE = re.compile(r"\d+(?:[kmgtp]b?)?|0x[0-9a-f]+", re.IGNORECASE | re.ASCII)
_PLAIN_DURATION = re.compile(r"\d+(?:us|ms|s|m|h|d)?", re.IGNORECASE | re.ASCII)
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_NANOSECONDS = {
    **dict.fromkeys(("ns", "nsec"), 1),
    **dict.fromkeys(("us", "usec"), NS_PER_US),
    **dict.fromkeys(("ms", "msec"), NS_PER_MS),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), NS_PER_S),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), 60 * NS_PER_S),
    **dict.fromkeys(("h", "hr", "hour", "hours"), 3600 * NS_PER_S),
    **dict.fromkeys(("d", "day", "days"), 86400 * NS_PER_S),
}


class BadNumberError(ValueError):
    """The text is no such number. ``what`` goes on after the name of an option; ``remedy`` says
    what to write."""

    def __init__(self, what: str, remedy: str) -> None:
        super().__init__(what)
        self.what = what
        self.remedy = remedy


class TooLargeError(BadNumberError):
    """A sum that no option can hold, however it is written."""


@dataclass(frozen=True, slots=True)
class Size:
    """A size: bytes, or a percentage of something, or a number of zones; the others are None."""

    bytes: int | None = None
    percent: Decimal | None = None
    zones: int | None = None

    def of(self, whole: int) -> int | None:
        """Bytes, where the whole is so many; None for zones, of which nobody knows the size."""
        if self.percent is not None:
            return int(whole * self.percent / 100)
        return self.bytes


def number(text: str, *, kb_base: int = 1024) -> int:
    """A whole number, a size in bytes: ``4k``, ``1.5k``, ``0x1000``, ``-1``."""
    text = text.strip()
    if _HEX.fullmatch(text):
        return int(text, 16)
    if "(" in text:
        return _computed(text, lambda unit: _power_of(unit, kb_base))
    if _OCTAL.fullmatch(text):
        raise BadNumberError(f": {text} could be octal or decimal", "leave the leading zero out")
    match = _NUMBER.fullmatch(text)
    power = _power_of(match[3], kb_base) if match else None
    if not match or power is None:
        raise BadNumberError(
            f" is a number, not {text!r}",
            "fio's units are k, m, g, t and p, powers of 1024: 4k is 4096",
        )
    value = Decimal(match[2]) * power
    if not match[3] and value != int(value):
        raise BadNumberError(f" is a whole number, not {text!r}", "1.5k is fine: 1536")
    return -int(value) if match[1] else int(value)


def _power_of(unit: str, kb_base: int) -> Decimal | None:
    """What ``k``, ``MiB`` or nothing multiplies a number by; None for what is no unit of bytes."""
    match = _PREFIX.fullmatch(unit.lower())
    return scaled("1", match[1] or "", 1024 if match[2] else kb_base) if match else None


def _computed(text: str, unit: Callable[[str], Decimal | None], bare: int = 1) -> int:
    """A sum in parentheses; one without any unit counts in ``bare``."""
    try:
        value, has_unit = evaluate(text, unit)
    except ValueError:
        raise BadNumberError(f": {text!r} cannot be worked out", "write (4k*2)") from None
    whole = value if has_unit else value * bare
    if max(value.adjusted(), whole.adjusted()) > _MOST_DIGITS or abs(whole) > _MOST * bare:
        raise TooLargeError(f" is less than 2^64, which {text} is not", "make it smaller")
    if not has_unit and bare == 1 and value != int(value):
        raise BadNumberError(f" is a whole number, not {text!r}", "1.5k is fine: 1536")
    return int(whole)


def scaled(digits: str, prefix: str, base: int) -> Decimal:
    """A decimal number times the power of a base that k, m, g, t or p stands for."""
    return Decimal(digits) * Decimal(base) ** _POWERS[prefix.lower()]


def size(text: str, *, kb_base: int = 1024) -> Size:
    """Bytes, a percentage (``50%``) or zones (``3z``)."""
    text = text.strip()
    if match := _PERCENT.fullmatch(text):
        return Size(percent=Decimal(match[1]))
    if match := _ZONES.fullmatch(text):
        return Size(zones=int(match[1]))
    value = number(text, kb_base=kb_base)
    if value < 0:
        raise BadNumberError(f" is a size, not {text!r}", "sizes are not negative")
    return Size(bytes=value)


def nanoseconds(text: str, unit_ns: int = NS_PER_S) -> int:
    """A duration; a bare number counts in ``unit_ns``. What is below a nanosecond is cut."""
    text = text.strip()
    if "(" in text:
        worked_out = _computed(text, _time_unit, unit_ns)
        if worked_out < 0:
            raise TooLargeError(f" is a duration, not {text!r}", "durations are not negative")
        return worked_out
    match = _NUMBER.fullmatch(text)
    scale = _NANOSECONDS.get(match[3].lower()) if match and match[3] else unit_ns
    if not match or match[1] or scale is None:
        clock = _CLOCK.fullmatch(text)
        why = "a colon would be read differently by every reader: " if clock else ""
        raise BadNumberError(f" is a duration, not {text!r}", f"{why}write 90s, 500ms, 2m or 1h")
    if _OCTAL.fullmatch(match[2]):
        raise BadNumberError(f": {text} begins with 0", "leave the leading zero out")
    return int(Decimal(match[2]) * scale)


def _time_unit(unit: str) -> Decimal | None:
    factor = _NANOSECONDS.get(unit.lower())
    return None if factor is None else Decimal(factor)


def seconds(text: str) -> float:
    """A duration in seconds; a bare number is in seconds."""
    return nanoseconds(text) / NS_PER_S


def each(text: str) -> tuple[str, ...]:
    """The values for reads, writes and trims of ``4k,8k``: an empty one says nothing."""
    parts = tuple(part.strip() for part in text.split(","))
    if len(parts) > 3:
        raise BadNumberError(f" has {len(parts)} parts", "at most read,write,trim")
    return parts


def span(text: str, read: Callable[[str], int]) -> tuple[int, int]:
    """The ends of a range, ``4k-64k`` or ``4k:64k``, the lower one first; of a plain value, both
    are it. ``read`` reads one end."""
    parts = _ends(text) if text else []
    if not 1 <= len(parts) <= 2:
        raise BadNumberError(f" is a range, not {text!r}", "write 4k-64k")
    ends = [read(part) for part in parts]
    return min(ends), max(ends)


def _ends(text: str) -> list[str]:
    """What ``-`` and ``:`` separate; in parentheses they are part of a sum."""
    parts, depth = [""], 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if character in "-:" and not depth:
            parts.append("")
        else:
            parts[-1] += character
    return parts


def plain_size(text: str, *, kb_base: int = 1024) -> str:
    """A size as every engine reads it: as it stands, where that is plain; else in bytes."""
    if _PLAIN_SIZE.fullmatch(text):
        return text
    parsed = size(text, kb_base=kb_base) if text.strip()[-1:] in "%zZ" else None
    if parsed is None:
        return str(number(text, kb_base=kb_base))
    return f"{parsed.percent}%" if parsed.percent is not None else f"{parsed.zones}z"


def plain_duration(text: str, unit_ns: int = NS_PER_S) -> str:
    """A duration as every engine reads it: as it stands, where that is plain; else in
    microseconds, or as it stands where it is no multiple of one."""
    if _PLAIN_DURATION.fullmatch(text):
        return text
    duration_ns = nanoseconds(text, unit_ns)
    return text if duration_ns % NS_PER_US else f"{duration_ns // NS_PER_US}us"
