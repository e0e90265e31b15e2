"""The I/Os of all repetitions together, and how far their percentiles would be in others."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from iogate.model.histogram import Histogram
from iogate.model.verdict import Interval
from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.distributions import t_quantile

FEWEST = 3
"""Repetitions, for an interval over them."""


@dataclass(frozen=True, slots=True)
class Pooled:
    """The histogram of all I/Os, and of each repetition (of each boot, where boots have several)
    that did any."""

    whole: Histogram
    parts: tuple[Histogram, ...] = ()

    def without_each(self) -> Iterator[Histogram]:
        """All but one of the repetitions, each left out once; nothing where they are too few."""
        for part in self.parts if len(self.parts) >= FEWEST else ():
            left = ((v, count - part.bins.get(v, 0)) for v, count in self.whole.bins.items())
            yield Histogram({value: count for value, count in left if count})


def error(without: Sequence[float]) -> float:
    """The standard error of the log of a value of all repetitions, from what it is without each
    of them (the jackknife)."""
    n = len(without)
    return (n - 1) / math.sqrt(n) * statistics.stdev(map(math.log, without))


def around(value: float, without: Sequence[float]) -> Interval:
    """The interval of a value of all repetitions: the value is in it."""
    wide = reach(len(without) - 1) * error(without)
    return Interval(value * math.exp(-wide), value * math.exp(wide), USUAL_CONFIDENCE)


def change_between(
    now: tuple[float, Sequence[float]], before: tuple[float, Sequence[float]]
) -> Interval | None:
    """The interval of the change from one value to another, each with what it is without each of
    its repetitions; None where either has too few of them."""
    (value, ours), (former, theirs) = now, before
    if min(len(ours), len(theirs)) < FEWEST:
        return None
    own, other = error(ours), error(theirs)
    wide, log = reach(_freedom(own, len(ours), other, len(theirs))), math.log(value / former)
    ends = (log + sign * wide * math.hypot(own, other) for sign in (-1, 1))
    low, high = (math.expm1(min(end, 700.0)) for end in ends)
    return Interval(low, high, USUAL_CONFIDENCE)


def _freedom(own: float, count: int, other: float, others: int) -> int:
    """Welch's degrees of freedom, at least those of the smaller side."""
    spread = own**4 / (count - 1) + other**4 / (others - 1)
    least = min(count, others) - 1
    return max(int((own**2 + other**2) ** 2 / spread), least) if spread > 0 else least


@lru_cache(maxsize=256)
def reach(freedom: int) -> float:
    """How many standard errors an interval goes to either side."""
    return t_quantile((1 - USUAL_CONFIDENCE) / 2, freedom)
