"""The median and its interval, where there are very many small samples."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import comb

from iogate.model.night import Night, RunFacts, Spread

CONFIDENCE = 0.95


def night_of(facts: RunFacts, samples: Mapping[tuple[str, str], list[float]]) -> Night:
    """The night of finite samples, one value a repetition. Sorts them."""
    values = {key: f[0] if len(f) == 1 else median(f) for key, f in samples.items()}
    spreads = {key: _spread(found) for key, found in samples.items() if len(found) > 1}
    return Night(facts, values, spreads)


def median(values: list[float]) -> float:
    """As ``stats.robust.median``, of finite values, at a fraction of its price. Sorts them."""
    values.sort()
    low, high = values[(len(values) - 1) // 2], values[len(values) // 2]
    return low / 2 + high / 2


def _spread(ordered: list[float]) -> Spread:
    count = len(ordered)
    rank, confidence = ranks(count)
    return Spread(ordered[rank], ordered[count - 1 - rank], confidence, count)


@cache
def ranks(count: int) -> tuple[int, float]:
    """How many of the smallest and largest of so many values may be left out so that the rest
    still enclose the median with CONFIDENCE, by the sign test, and what confidence that is:
    less where even the outermost do not reach it."""
    outside, rank, found = 0.0, 0, 0.0
    for left in range((count + 1) // 2):
        outside += 2 * comb(count, left) / 2**count
        if left and 1 - outside < CONFIDENCE:
            break
        rank, found = left, 1 - outside
    return rank, found
