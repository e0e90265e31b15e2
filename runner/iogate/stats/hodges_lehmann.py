"""Hodges and Lehmann's estimate of a shift, with the exact interval of the signed ranks.

The estimate is the median of the Walsh averages (d_i + d_j) / 2, i ≤ j; the interval lies
between two of them, chosen from the exact null distribution of Wilcoxon's signed-rank sum
(Hollander, Wolfe and Chicken 2014, section 3.3). It holds for any continuous distribution
that is symmetric about the shift, and a block's log ratio is, because chance decides which
arm runs first. One run in three may be wild before the estimate follows it.

Arrays are (rows, n): one row a threshold, one column a block.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_AVERAGES_AT_ONCE = 2**17  # what a processor's cache holds: 1 MiB


def estimate_with_interval(
    differences: Floats, confidence: float
) -> tuple[Floats, Floats, Floats, float]:
    """Estimates, lower and upper bounds, and the confidence that the bounds really have.

    It is at least ``confidence`` where n allows that; below (n = 5 and 95 %) the bounds are
    the smallest and largest difference, and 1 - 2 · 0.5ⁿ is what they have.
    """
    import numpy as np

    rows, n = differences.shape
    cut, achieved = interval_cut(n, confidence)
    size = n * (n + 1) // 2
    places = [cut, size // 2, size - 1 - size // 2, size - 1 - cut]
    told = np.empty((rows, len(places)))
    at_once = max(_AVERAGES_AT_ONCE // size, 1)
    sums = np.empty((min(at_once, rows), size))
    for first in range(0, rows, at_once):
        some = differences[first : first + at_once]
        _walsh_sums(some, out=sums[: len(some)])
        sums[: len(some)].sort(axis=1)
        told[first : first + at_once] = sums[: len(some), places] / 2
    low, middle, other, high = told.T
    return (middle + other) / 2, low, high, achieved


def estimates(rows: Sequence[Sequence[float]]) -> list[float]:
    """The estimates of rows of one length, without an interval."""
    import numpy as np

    found, *_ = estimate_with_interval(np.array(rows), 0.5)
    return [float(each) for each in found]


@lru_cache(maxsize=1024)
def interval_cut(n: int, confidence: float) -> tuple[int, float]:
    """How many Walsh averages to leave out at each end, and the confidence that is left."""
    counts = signed_rank_counts(n)
    total, below, cut = 2**n, 0, 0
    while cut < len(counts) // 2 and 1 - 2 * (below + counts[cut]) / total >= confidence:
        below += counts[cut]
        cut += 1
    # Bounds at the cut-th average from each end miss the shift when the rank sum is < cut.
    if cut == 0:
        return 0, 1 - 2 / total
    return cut - 1, 1 - 2 * below / total


@lru_cache(maxsize=256)
def signed_rank_counts(n: int) -> tuple[int, ...]:
    """How many of the 2ⁿ sign patterns give each rank sum 0 … n(n+1)/2."""
    counts = [1]
    for rank in range(1, n + 1):
        longer = [0] * (len(counts) + rank)
        for total, ways in enumerate(counts):
            longer[total] += ways
            longer[total + rank] += ways
        counts = longer
    return tuple(counts)


def _walsh_sums(differences: Floats, out: Floats) -> None:
    """Twice the Walsh averages, by how far apart their two columns are."""
    import numpy as np

    n = differences.shape[1]
    start = 0
    for apart in range(n):
        stop = start + n - apart
        np.add(differences[:, : n - apart], differences[:, apart:], out=out[:, start:stop])
        start = stop
