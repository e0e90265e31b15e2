"""The evidence of several series that moved together, added up (Stouffer 1949).

Each gives a standard normal deviate when nothing happened. Their sum has the variance of the sum of
their correlations (Strube 1985): metrics of one case move together anyway, and count for less.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_FEWEST = 10  # nights that correlations are known from


@dataclass(frozen=True, slots=True)
class Pooled:
    """``sigma`` is the evidence of all together, in standard deviations of one normal deviate;
    ``independent`` how many independent ones would say as much."""

    sigma: float
    independent: float


def pooled(sigmas: Sequence[float], rows: Sequence[Sequence[float]], ways: Sequence[int]) -> Pooled:
    """Of deviates that are all the way that was seen. ``rows`` are the series in the same nights
    before, finite, oldest first, of one length; ``ways`` are 1 for one that rose and -1 for one
    that fell. What pulls against the others is taken to be independent of them; with too few
    nights all are taken to be one."""
    count = len(sigmas)
    if count == 1 or len(rows[0]) < _FEWEST:
        return Pooled(max(sigmas), 1.0)
    variance = float(np.clip(_correlations(rows, ways), 0.0, 1.0).sum())
    return Pooled(math.fsum(sigmas) / math.sqrt(variance), count * count / variance)


def _correlations(rows: Sequence[Sequence[float]], ways: Sequence[int]) -> Floats:
    """Of the ranks of the differences from night to night, which earlier steps hardly touch; 1
    of a series with itself, and where one does not vary."""
    ranks = np.argsort(np.argsort(np.diff(np.array(rows), axis=-1), axis=-1), axis=-1)
    correlations: Floats = np.corrcoef(ranks * np.array(ways)[:, np.newaxis])
    return np.nan_to_num(correlations, nan=1.0)
