"""Text from outside, made safe to show; and numbers, times and commands for people."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from iogate.model.units import Unit, format_change, format_percent, format_value
from iogate.stats import robust

NAME_LENGTH = 160
"""Longest name shown in full; more is cut in the middle, where names differ least."""

# Everything that a terminal, an XML parser or a bidirectional layout would act upon: C0 and
# C1 controls, direction overrides and isolates, invisible marks, lone surrogates, U+FFFE/F.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ud800-\udfff\ufffe\uffff]"
)


_CHANGE = re.compile(r"(?<![\w.-])-([\d.,∞]+ %)")


def clean(text: str) -> str:
    """The text with each character that could act on its surroundings shown as U+FFFD."""
    return _UNSAFE.sub("\ufffd", text)


def short(text: str, length: int = NAME_LENGTH) -> str:
    """One clean line of at most ``length`` characters, cut in the middle."""
    line = clean(" ".join(text.split()))
    if len(line) <= length:
        return line
    head = (length - 1) * 2 // 3
    return f"{line[:head]}…{line[len(line) - (length - 1 - head) :]}"


def anchor(prefix: str, identity: str, index: int) -> str:
    """An id for a fragment: from the identity where it is plain, else from the index."""
    plain = re.fullmatch(r"[0-9A-Za-z_-]{1,64}", identity)
    return f"{prefix}-{identity}" if plain else f"{prefix}-n{index}"


def moment(unix_ns: int) -> str:
    """``2025-11-20 22:37 UTC``; a dash for 0 or a time that no calendar holds."""
    return _calendar(unix_ns, "%Y-%m-%d %H:%M UTC") or "–"


def day(unix_ns: int) -> str:
    """``2025-11-20``, in UTC; empty where there is none."""
    return _calendar(unix_ns, "%Y-%m-%d")


def moment_iso(unix_ns: int) -> str:
    """``2025-11-20T22:37:00Z``; empty where there is none."""
    return _calendar(unix_ns, "%Y-%m-%dT%H:%M:%SZ")


def _calendar(unix_ns: int, pattern: str) -> str:
    try:
        return datetime.fromtimestamp(unix_ns / 1e9, UTC).strftime(pattern) if unix_ns > 0 else ""
    except (OverflowError, ValueError, OSError):
        return ""


def duration(ns: int) -> str:
    """``2 min 5 s``; under a second with its fraction; a dash for nothing."""
    if ns <= 0:
        return "–"
    if ns < 10_000_000_000:
        return format_value(float(ns), Unit.NANOSECONDS)
    minutes, seconds = divmod(round(ns / 1e9), 60)
    hours, minutes = divmod(minutes, 60)
    parts = ((hours, "h"), (minutes, "min"), (seconds, "s"))
    return " ".join(f"{value} {unit}" for value, unit in parts if value)


def signed(change: float | None) -> str:
    """A relative change with a true minus sign: ``−3.1 %``; a large one as a factor: ``446×``."""
    return format_change(change).replace("-", "−")


def true_minus(sentence: str) -> str:
    """A sentence of a verdict with the minus signs that pages write: ``−3.1 %``. What the spec
    says of a limit (``-3%``) stays as it is."""
    return _CHANGE.sub("−\\1", sentence)


def percent(share: float) -> str:
    """A share of something, of any size and without a sign: ``3.1 %``."""
    return format_percent(share).lstrip("+")


def plural(count: int, noun: str, many: str = "") -> str:
    """``1 case``, ``3 cases``."""
    return f"{count:,} {noun if count == 1 else many or noun + 's'}"


def command_line(command: Sequence[str]) -> str:
    """A command as a shell takes it."""
    return clean(shlex.join(command))


def without_options(command: Sequence[str], names: Sequence[str]) -> Iterator[str]:
    """The command without some options and their values."""
    words = iter(command)
    for word in words:
        if word in names:
            next(words, None)
        elif not word.startswith(tuple(f"{name}=" for name in names)):
            yield word


def overlap(values: Sequence[float], others: Sequence[float]) -> bool:
    """Whether some value lies within the range of the others, or the other way round, or may do
    so: of one value alone nobody knows by how much it varies."""
    if not values or not others:
        return False
    if min(len(values), len(others)) == 1:
        return True
    return min(values) <= max(others) and min(others) <= max(values)


def median(values: Sequence[float]) -> float | None:
    """The middle of the finite values; None where there is none."""
    finite = [v for v in values if math.isfinite(v)]
    return robust.median(finite) if finite else None


def relative_change(value: float | None, baseline: float | None) -> float | None:
    """``value`` against ``baseline`` as a fraction; None where it cannot be said."""
    if value is None or baseline is None or not baseline:
        return None
    change = value / baseline - 1
    return change if math.isfinite(change) else None
