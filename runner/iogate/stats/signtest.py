"""Limits held against runs by counting: free of any assumption on how the runs spread."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from iogate.stats.distributions import binomial_tail

LEVEL = 0.05
LEAST_RUNS = 5


@lru_cache(maxsize=1024)
def runs_that_decide(n: int, level: float = LEVEL) -> int | None:
    """How many of ``n`` runs must be on one side of a limit before chance is excluded: if the
    median were at the limit, so many would be with probability ``level`` at most. None where
    not even all of them are enough."""
    enough = (k for k in range(n + 1) if binomial_tail(k, n) <= level)
    return next(enough, None)


@lru_cache(maxsize=1024)
def level_of_looks(first: int, last: int, level: float = LEVEL) -> float:
    """The level of each look, when runs are counted after ``first`` of them and again after each
    one more up to ``last``, so that all looks together err with ``level`` at most. 0 where there
    is none."""
    counts = range(first, last + 1)
    tails = {binomial_tail(k, n) for n in counts for k in range(n // 2 + 1, n + 1)}
    for own in sorted((tail for tail in tails if tail <= level), reverse=True):
        if _ever(first, last, own) <= level:
            return own
    return 0.0


def _ever(first: int, last: int, own: float) -> float:
    """The probability that fair coins decide at any look."""
    ways, decided = [1.0], 0.0  # the probability of so many heads, undecided so far
    for n in range(1, last + 1):
        ways = [(a + b) / 2 for a, b in zip([*ways, 0.0], [0.0, *ways], strict=True)]
        needed = runs_that_decide(n, own) if n >= first else None
        if needed is not None:
            decided += sum(ways[needed:])
            ways[needed:] = [0.0] * len(ways[needed:])
    return decided


def runs_needed(level: float) -> int:
    """The least number of runs that can decide at this level. ValueError where none can."""
    if level <= 0:
        raise ValueError(f"a level is above 0, not {level}")
    n = 1
    while runs_that_decide(n, level) is None:
        n += 1
    return n


def median_interval(values: Sequence[float], confidence: float) -> tuple[float, float, float]:
    """Order statistics around the median, and the confidence they really have: at least
    ``confidence`` where n allows it, else that of the range, 1 - 2 · 0.5ⁿ."""
    ordered = sorted(values)
    cut, real = ranks_around_median(len(ordered), confidence)
    return ordered[cut], ordered[-cut - 1], real


@lru_cache(maxsize=1024)
def ranks_around_median(n: int, confidence: float) -> tuple[int, float]:
    """How many of the smallest and largest of ``n`` values may be left out so that the rest
    still enclose the median with this confidence, and the confidence that they really have: less
    where even the outermost do not reach it."""
    cut = 0
    while cut + 1 < (n + 1) // 2 and 1 - 2 * binomial_tail(n - cut - 1, n) >= confidence:
        cut += 1
    return cut, 1 - 2 * binomial_tail(n - cut, n)
