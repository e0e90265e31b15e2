"""Where a change may have been: an interval of its index, from the likelihood.

Two levels with the same normal noise and one change at i have the profile log-likelihood
-n/2 · log RSS(i). The interval holds every i whose deviance n · log(RSS(i) / RSS_min) is at
most 2 · x, where the largest of two independent random walks with drift, one on each side of the
true index, exceeds the deviance at it with probability 1 - confidence: (1 - e^-x)² = confidence
(the continuous bound, which for steps of any size is on the safe side; Siegmund 1988).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.robust import MAD_TO_SIGMA, mad, median

MOST = 30  # points on either side that are looked at
_LIMIT_SIGMA = 3.0  # values further out than this from both levels are cut back
_LEAST = 2  # points on either side of a candidate


@dataclass(frozen=True, slots=True)
class ChangeRange:
    """The first point of the new level is one of ``low`` … ``high``, most likely ``best``."""

    low: int
    best: int
    high: int


def change_range(
    values: Sequence[float],
    at: int,
    *,
    start: int = 0,
    stop: int | None = None,
    confidence: float = USUAL_CONFIDENCE,
) -> ChangeRange:
    """The range of a change that a detector puts at ``at``, 0 < at < len(values), of finite
    values. ``start`` and ``stop`` are the changes beside it: the range stays between them."""
    stop = len(values) if stop is None else stop
    first, last = max(start, at - MOST), min(stop, at + MOST)
    window = _cut(_scaled(values[first:last]), at - first)
    squares = {i: _squares(window, i) for i in _candidates(len(window), at - first)}
    best = min(squares, key=lambda i: (squares[i], abs(i - (at - first))))
    limit = 2 * -math.log(1 - math.sqrt(confidence))
    # Four numbers are fitted: two levels, the noise and the index.
    freedom = max(len(window) - 4, 1)
    floor = 1e-12 * max(*squares.values(), 1e-12)
    inside = [
        i
        for i, rest in squares.items()
        if freedom * math.log((rest + floor) / (squares[best] + floor)) <= limit
    ]
    return ChangeRange(first + min(inside), first + best, first + max(inside))


def _scaled(window: Sequence[float]) -> list[float]:
    """The same in a unit in which no square overflows."""
    largest = max(abs(value) for value in window) or 1.0
    return [value / largest for value in window]


def _candidates(size: int, at: int) -> list[int]:
    candidates = list(range(min(_LEAST, at), max(size - _LEAST, at) + 1))
    return [i for i in candidates if 0 < i < size]


def _cut(window: list[float], at: int) -> list[float]:
    """Values far from both levels moved nearer: one bad night must not draw the index."""
    before, after = window[:at], window[at:]
    levels = median(before), median(after)
    rest = [value - levels[0] for value in before] + [value - levels[1] for value in after]
    reach = _LIMIT_SIGMA * MAD_TO_SIGMA * mad(rest)
    low, high = min(levels) - reach, max(levels) + reach
    return [min(max(value, low), high) for value in window]


def _squares(window: list[float], i: int) -> float:
    """The sum of squares around the two means when the change is at ``i``."""
    return sum(
        sum((value - mean) ** 2 for value in part)
        for part in (window[:i], window[i:])
        for mean in (sum(part) / len(part),)
    )
