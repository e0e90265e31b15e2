"""Base units, and how a value in one is written for people."""

from __future__ import annotations

import math
from decimal import Decimal
from enum import StrEnum


class Unit(StrEnum):
    """Every stored and compared value is in one of these."""

    NANOSECONDS = "ns"
    BYTES_PER_SECOND = "B/s"
    PER_SECOND = "1/s"
    PERCENT = "%"
    COUNT = "count"
    RATIO = "ratio"


class Better(StrEnum):
    """Which way a metric is better."""

    LOW = "low"
    HIGH = "high"

    @property
    def worse(self) -> float:
        """The sign of what is worse: 1 where more is, -1 where less is."""
        return 1.0 if self is Better.LOW else -1.0

    @property
    def comparative(self) -> str:
        """The word before "is better"."""
        return "lower" if self is Better.LOW else "higher"

    @property
    def opposite(self) -> Better:
        return Better.HIGH if self is Better.LOW else Better.LOW

    def worsening(self, share: float) -> float:
        """To get worse by a share of itself, as a change of the value: by 0.25 is +0.25 where
        more is worse, and -0.2 where less is. Infinite for a share that nothing can lose."""
        if self is Better.LOW:
            return share
        return 1 / (1 + share) - 1 if share > -1 else math.inf


_AS_FACTOR = 3.0
"""From this change on, which is four times as much, it is written as a factor."""
_MOST_TIMES = 1_000_000

_SCALES: dict[Unit, tuple[tuple[float, str], ...]] = {
    Unit.NANOSECONDS: ((1e9, " s"), (1e6, " ms"), (1e3, " µs"), (1, " ns")),
    Unit.BYTES_PER_SECOND: (
        (2**40, " TiB/s"),
        (2**30, " GiB/s"),
        (2**20, " MiB/s"),
        (2**10, " KiB/s"),
        (1, " B/s"),
    ),
    Unit.PER_SECOND: ((1e6, " M/s"), (1e3, " k/s"), (1, " /s")),
    Unit.PERCENT: ((1, " %"),),
    Unit.COUNT: ((1e6, " M"), (1e3, " k"), (1, "")),
    Unit.RATIO: ((1, ""),),
}


def format_value(value: float | None, unit: Unit) -> str:
    """Three significant digits and the unit: ``1.23 ms``, ``180 k/s``; ``–`` for nothing."""
    if value is None or math.isnan(value):
        return "–"
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    scale, suffix = unit_scale(value, unit)
    scaled = value / scale
    digits = 0 if abs(scaled) >= 100 else 1 if abs(scaled) >= 10 else 2
    if scaled == int(scaled) and abs(scaled) < 1000:
        digits = 0
    return f"{scaled:.{digits}f}{suffix}"


def unit_scale(value: float, unit: Unit) -> tuple[float, str]:
    """What a value of this size is divided by, and the suffix that then follows it."""
    return next(((s, x) for s, x in _SCALES[unit] if abs(value) >= s), _SCALES[unit][-1])


def two_digits(value: float) -> str:
    """Two significant digits, and no exponent: ``7.5``, ``32``, ``570``."""
    return f"{Decimal(f'{value:.2g}'):f}"


def format_change(change: float | None) -> str:
    """A relative change: ``+10.3 %``, and where percents are hard to read how many times as much
    it is now: ``446×``. ``–`` for nothing."""
    if change is None or not _AS_FACTOR <= change < math.inf:
        return format_percent(change)
    factor = change + 1
    if factor > _MOST_TIMES:
        return f"over {_MOST_TIMES:,}×"
    return f"{factor:,.{0 if factor >= 10 else 1}f}×"


def format_change_from(change: float | None) -> str:
    """The same before what it is a change from: ``+10.3 % from``, but ``446×`` alone."""
    text = format_change(change)
    return text if text.endswith("×") else f"{text} from"


def format_percent(change: float | None) -> str:
    """A relative change with its sign: ``+10.3 %``, ``+214 %``: from 100 on without a
    decimal; ``–`` for nothing. Zero is ``+0.0 %``."""
    if change is None or math.isnan(change):
        return "–"
    if math.isinf(change):
        return "+∞ %" if change > 0 else "-∞ %"
    percent = round(change * 100, 1) + 0.0
    return f"{percent:+.{0 if abs(percent) >= 100 else 1}f} %"
