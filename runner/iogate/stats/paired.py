"""One look at blocks of a comparison: does a threshold fail, is it settled, or does it go on.

A block is one run of each arm. d = log(candidate / base), signed so that positive is worse;
s = log(candidate) + log(base). Chance decides the order in a block, so d is symmetric
about the true change whatever the noise, the order or the drift.

The variance of d is estimated from d and s together: where runs are independent both have the
same variance, and 2(n-1) degrees of freedom decide some blocks sooner than n-1. Drift and
positive autocorrelation make s vary more than d, which errs on the safe side. Noise that
alternates from run to run makes d vary more than s: the estimate never falls below 0.7
of the variance of d alone, and docs/statistics.md says what is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iogate.stats.boundary import Boundary
from iogate.stats.hodges_lehmann import estimate_with_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_PAIRED_SHARE = 0.7
_LEAST_SD = 1e-9
FAIL_CONFIDENCE = 0.99


@dataclass(frozen=True, slots=True)
class Look:
    """One row a threshold. ``mean`` and ``sd`` are of d; ``upper`` is the one-sided bound that
    futility is judged by; ``visible`` the effect that all blocks would show."""

    blocks: int
    df: int
    mean: Floats
    sd: Floats
    t: Floats
    upper: Floats
    visible: Floats
    fails: Bools
    settled: Bools


def look(differences: Floats, sums: Floats, limits: Floats, boundary: Boundary) -> Look:
    """Judge rows of finite differences and sums (thresholds, blocks) at this many blocks.

    ``limits`` are in log units and positive. A row fails when its t is past the boundary,
    its Hodges–Lehmann estimate past the limit and its signed-rank interval above zero. It is
    settled when the upper bound is below the limit or below what all blocks would show.
    """
    import numpy as np

    blocks = differences.shape[1]
    df = 2 * (blocks - 1)
    mean = differences.mean(axis=1)
    sd = pooled_sd(differences, sums)
    error = sd / math.sqrt(blocks)
    t = mean / error
    upper = mean + boundary.futility_t(df) * error
    visible = np.maximum(boundary.visible(1.0) * sd, limits)
    fails = t > boundary.fail_t(blocks, df)
    if fails.any():
        centre, low, _high, _ = estimate_with_interval(differences[fails], FAIL_CONFIDENCE)
        fails[fails] = (centre > limits[fails]) & (low > 0)
    return Look(blocks, df, mean, sd, t, upper, visible, fails, ~fails & (upper < visible))


def pooled_sd(differences: Floats, sums: Floats) -> Floats:
    """The standard deviation of each row of differences, at least 1e-9; n ≥ 2."""
    import numpy as np

    own = differences.var(axis=1, ddof=1)
    pooled = (own + sums.var(axis=1, ddof=1)) / 2
    return np.asarray(np.sqrt(np.maximum(np.maximum(pooled, _PAIRED_SHARE * own), _LEAST_SD**2)))
