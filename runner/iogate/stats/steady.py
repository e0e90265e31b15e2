"""Whether a rate has become steady. Pure.

By fio's rules ``iops:2%`` is a largest deviation from the mean of the window, and
``iops_slope:0.3%`` the slope of the least-squares line through it, per second; with ``%`` as a
share of the mean. By SNIA's (Solid State Storage Performance Test Specification) the window is
the last five rounds: their range is at most 20 % of their mean, and the least-squares line
through them rises or falls by at most 10 % of it from the first to the last.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

SNIA = "snia"
SNIA_ROUNDS = 5
SNIA_RANGE_PERCENT = 20.0
SNIA_SLOPE_PERCENT = 10.0
LEAST_ROUNDS = 3  # two have a line through them, whatever they are


@dataclass(frozen=True, slots=True)
class SteadyRule:
    """``of`` is iops or bw; ``limit`` is in its unit, or percent where ``relative``."""

    of: str
    slope: bool
    limit: float
    relative: bool


def parse_rule(text: str) -> SteadyRule:
    """``iops_slope:0.3%``; ValueError for anything else."""
    what, _, limit = text.partition(":")
    of = what.removesuffix("_slope")
    if of not in ("iops", "bw"):
        raise ValueError(f"{text!r} is not a rule for a steady state")
    return SteadyRule(of, of != what, float(limit.removesuffix("%")), limit.endswith("%"))


def unsteadiness(window: Sequence[tuple[float, float]], rule: SteadyRule) -> float:
    """How far from steady a window of (time in seconds, rate) is, in the unit of the rule's
    limit; infinite for one that is too short to tell, or in which nothing moves."""
    if len(window) < LEAST_ROUNDS:
        return float("inf")
    import numpy as np

    times, values = np.asarray(window, dtype=float).T
    mean = float(values.mean())
    if mean <= 0:
        return float("inf")
    if rule.slope:
        spread = times - times.mean()
        distance = abs(float(spread @ values) / float(spread @ spread))
    else:
        distance = float(np.abs(values - mean).max())
    return 100 * distance / mean if rule.relative else distance


@dataclass(frozen=True, slots=True)
class Window:
    """Consecutive rounds of equal length: their ``mean``, ``low`` and ``high``, and the
    least-squares line through them, as its value at the ``first`` and at the ``last``. All are
    in the unit of the rounds."""

    mean: float
    low: float
    high: float
    first: float
    last: float

    @property
    def range_percent(self) -> float:
        """From the lowest to the highest round, of the mean; infinite where nothing moves."""
        return _percent(self.high - self.low, self.mean)

    @property
    def slope_percent(self) -> float:
        """What the line rises or falls by within the window, of the mean."""
        return _percent(abs(self.last - self.first), self.mean)


def window_of(rounds: Sequence[float]) -> Window:
    """What the line and the range of at least one round are."""
    count = len(rounds)
    mean = sum(rounds) / count
    middle = (count - 1) / 2
    spread = sum((n - middle) ** 2 for n in range(count))
    slope = sum((n - middle) * (rate - mean) for n, rate in enumerate(rounds)) / (spread or 1.0)
    return Window(mean, min(rounds), max(rounds), mean - slope * middle, mean + slope * middle)


def snia_window(rounds: Sequence[float]) -> Window | None:
    """The window that decides; None before there are so many rounds."""
    return window_of(rounds[-SNIA_ROUNDS:]) if len(rounds) >= SNIA_ROUNDS else None


def is_snia_steady(window: Window | None) -> bool:
    """Whether a window of SNIA_ROUNDS is a steady state."""
    return (
        window is not None
        and window.range_percent <= SNIA_RANGE_PERCENT
        and window.slope_percent <= SNIA_SLOPE_PERCENT
    )


def _percent(part: float, of: float) -> float:
    return 100 * part / of if of > 0 else float("inf")
