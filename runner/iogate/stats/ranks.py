"""Whether one sample lies above another, by ranks alone: free of any distribution.

The Mann–Whitney test, exact where the first sample is small (its counts by adding one value
at a time), else by the normal approximation with continuity correction, whose far tail is on
the safe side as the statistic is bounded. Ties count for the second sample.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from iogate.stats.distributions import normal_tail

_MOST_EXACT = 10


def chance_above(above: Sequence[float], below: Sequence[float]) -> float:
    """The probability that as many pairs, or more, have the larger value in ``above`` when
    both samples (of at least one value each) come from the same distribution."""
    ordered = sorted(below)
    wins = sum(bisect_left(ordered, value) for value in above)
    n, m = len(above), len(below)
    if n > _MOST_EXACT:
        spread = math.sqrt(n * m * (n + m + 1) / 12)
        return normal_tail((wins - 0.5 - n * m / 2) / spread)
    return _tails(n, m)[wins]


def least_chance(n: int, m: int) -> float:
    """What ``chance_above`` is when every one of ``n`` values is above all of ``m``."""
    return chance_above([1.0] * n, [0.0] * m)


@lru_cache(maxsize=256)
def _tails(n: int, m: int) -> list[float]:
    """P(wins ≥ w) for w = 0 … n·m. Value by value of both samples in order: one of the second
    is won by every one of the first that comes later."""
    import numpy as np

    # ways[k, w]: k of the first sample placed so far (from the largest down), w wins.
    ways = np.zeros((n + 1, n * m + 1))
    ways[0, 0] = 1.0
    for _ in range(n + m):
        longer = np.zeros_like(ways)
        longer[1:] += ways[:-1]
        for k in range(n + 1):
            longer[k, k:] += ways[k, : n * m + 1 - k]
        ways = longer
        ways /= ways.max()
    counts = ways[n]
    tails = np.cumsum(counts[::-1])[::-1] / counts.sum()
    return [float(tail) for tail in tails]
