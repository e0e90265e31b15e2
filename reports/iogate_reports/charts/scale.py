"""Axes as functions: value → coordinate, where the ticks go, and what stands at them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from iogate.model.units import Unit, format_value, unit_scale

Tick = tuple[float, str]


class Scale(Protocol):
    """A value's place between ``start`` and ``end`` (user units of the picture)."""

    def at(self, value: float) -> float: ...

    def ticks(self) -> tuple[Tick, ...]: ...


@dataclass(frozen=True, slots=True)
class Linear:
    """``high`` must be above ``low``."""

    low: float
    high: float
    start: float
    end: float
    unit: Unit = Unit.COUNT

    def at(self, value: float) -> float:
        return self.start + (self.end - self.start) * (value - self.low) / (self.high - self.low)

    def all(self, values: Iterable[float]) -> list[float]:
        """As ``at`` for each, at a fraction of its price."""
        slope = (self.end - self.start) / (self.high - self.low)
        offset = self.start - slope * self.low
        return [offset + slope * value for value in values]

    def ticks(self) -> tuple[Tick, ...]:
        """About five round values, written in one unit and with digits enough to differ."""
        divisor, suffix = unit_scale(self.high, self.unit)
        step = _round_step((self.high - self.low) / divisor / 5)
        first = math.ceil(self.low / divisor / step - 1e-9)
        last = math.floor(self.high / divisor / step + 1e-9)
        digits = max(0, -math.floor(math.log10(step) + 1e-9))
        return tuple(
            (index * step * divisor, _tick(index * step, digits, suffix))
            for index in range(first, last + 1)
        )


def _tick(value: float, digits: int, suffix: str) -> str:
    return f"{value:.{digits}f}{suffix}".replace("-", "−") if value else "0"


@dataclass(frozen=True, slots=True)
class Log:
    """``low`` must be above zero."""

    low: float
    high: float
    start: float
    end: float
    unit: Unit = Unit.COUNT

    def at(self, value: float) -> float:
        share = math.log(max(value, self.low / 1e6) / self.low) / math.log(self.high / self.low)
        return self.start + (self.end - self.start) * share

    def ticks(self) -> tuple[Tick, ...]:
        """Decades; with 2 and 5 between them where fewer than three decades show. Bytes have
        their decades inside each binary prefix."""
        span = math.log10(self.high / self.low)
        steps = (1, 2, 5) if span < 2.6 else (1,)
        values = (decade * step for decade in self._decades() for step in steps)
        kept = [v for v in values if self.low * 0.999 <= v <= self.high * 1.001]
        kept = kept if len(kept) > 1 else [self.low, self.high]
        return tuple((value, format_value(value, self.unit)) for value in kept)

    def _decades(self) -> list[float]:
        if self.unit is Unit.BYTES_PER_SECOND:
            return [1024.0**k * 10**d for k in range(6) for d in range(3)]
        first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
        stride = max(1, round((last - first) / 6))
        return [10.0**d for d in range(first, last + 1) if d % stride == 0]


def _round_step(rough: float) -> float:
    magnitude = 10.0 ** math.floor(math.log10(rough))
    return next((m * magnitude for m in (1, 2, 5) if m * magnitude >= rough), 10 * magnitude)


def linear_from_zero(
    values: Sequence[float], start: float, end: float, unit: Unit = Unit.COUNT
) -> Linear:
    """An axis from zero to a little above the highest value."""
    top = max(values, default=0.0)
    return Linear(0.0, top * 1.08 if top > 0 else 1.0, start, end, unit)


def linear_around(values: Sequence[float], start: float, end: float, unit: Unit) -> Linear:
    """An axis about the values, with air; not from zero: for dots, never for bars."""
    low, high = min(values), max(values)
    air = (high - low) * 0.12 or abs(high) * 0.05 or 1.0
    floor = 0.0 if low >= 0 else low - air
    return Linear(max(low - air, floor), high + air, start, end, unit)


def cut(values: Sequence[float]) -> str:
    """What to tell of such an axis; nothing where it begins at 0, or below."""
    low = linear_around(values, 0, 1, Unit.COUNT).low
    return "The axis does not begin at 0." if low > 0 else ""


def log_around(
    values: Sequence[float], start: float, end: float, unit: Unit = Unit.COUNT
) -> Log | None:
    """A logarithmic axis about the positive values; None where there is none."""
    positive = [v for v in values if v > 0]
    if not positive:
        return None
    low, high = min(positive), max(positive)
    pad = max((high / low) ** 0.05, 1.12)
    return Log(low / pad, high * pad, start, end, unit)
