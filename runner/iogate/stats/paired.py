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
from iogate.stats.distributions import t_tail
from iogate.stats.hodges_lehmann import estimate_with_interval

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_PAIRED_SHARE = 0.7
_LEAST_SD = 1e-9
FAIL_CONFIDENCE = 0.99
# Times its limit. What all blocks together would see is no less than that: they cannot vouch for
# the limit. Of few blocks one that stalled makes a host look so, but not hopeless.
BLUNT, HOPELESS = 6.0, 16.0
INTERVAL_CONFIDENCE = 0.95  # of the interval that is told with a change
_HOPELESS_FROM, _BLUNT_SHARE = 6, 0.3  # blocks; of the most blocks


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
    gives_up: Bools


def look(
    differences: Floats,
    sums: Floats,
    limits: Floats,
    boundary: Boundary,
    *,
    confidences: Floats | None = None,
) -> Look:
    """Judge rows of finite differences and sums (thresholds, blocks) at this many blocks.

    ``limits`` are in log units and positive. A row fails when its t is past the boundary,
    its Hodges–Lehmann estimate past the limit and its signed-rank interval above zero. It is
    settled when the upper bound is below the limit, or below what all blocks would show and
    the estimate within the limit. Where runs differ too much for the limit it is measured on for a
    while instead, and then, or after the last block, it gives up: unless its whole interval, at
    least 95 % or the row's one of ``confidences``, is within the limit.
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
    settled = ~fails & (upper < visible)
    unsure = settled & (upper >= limits)
    times = bluntness(sd, limits, boundary)
    blunt = unsure & (times > BLUNT)
    if unsure.any():
        centre, *_ = estimate_with_interval(differences[unsure], FAIL_CONFIDENCE)
        settled[unsure] = centre <= limits[unsure]
    ends = blunt & (blocks >= _patience(times, boundary))
    ends |= (blunt | ~(fails | settled)) & (blocks >= boundary.rules.most_blocks)
    kept = np.zeros_like(ends)
    if ends.any():
        asked = None if confidences is None else confidences[ends]
        kept[ends] = is_within(differences[ends], limits[ends], asked)
    settled = (settled & ~blunt) | kept
    return Look(blocks, df, mean, sd, t, upper, visible, fails, settled, ends & ~kept)


def is_within(differences: Floats, limits: Floats, confidences: Floats | None = None) -> Bools:
    """Whether the whole interval of each row is below its limit: at 95 %, or its own one of
    ``confidences``, or as much as there is with so few blocks."""
    import numpy as np

    if confidences is None:
        confidences = np.full(len(limits), INTERVAL_CONFIDENCE)
    within = np.zeros(len(limits), np.bool_)
    for confidence in np.unique(confidences):
        rows = confidences == confidence
        _centre, _low, high, _ = estimate_with_interval(differences[rows], float(confidence))
        within[rows] = high < limits[rows]
    return within


def _patience(times: Floats, boundary: Boundary) -> Floats:
    """The blocks after which rows of this bluntness are given up."""
    import numpy as np

    later = max(_HOPELESS_FROM, math.ceil(boundary.rules.most_blocks * _BLUNT_SHARE))
    return np.where(times > HOPELESS, _HOPELESS_FROM, later)


def bluntness(sd: Floats, limits: Floats, boundary: Boundary) -> Floats:
    """What all blocks would see in four of five comparisons, in multiples of the limit."""
    import numpy as np

    seen = boundary.visible_after(boundary.rules.most_blocks, 1.0) * sd
    return np.asarray(seen / np.maximum(limits, _LEAST_SD))


def chance_of_worse(differences: Floats, sums: Floats) -> Floats:
    """For each row the probability of so bad a mean, or a worse one, without any change, at
    a number of blocks that the row itself had no part in choosing.

    4⁻ⁿ is added: noise of two states has each arm in one of them that often, and Student's
    distribution does not know of it.
    """
    import numpy as np

    blocks = differences.shape[1]
    t = differences.mean(axis=1) / (pooled_sd(differences, sums) / math.sqrt(blocks))
    tails = np.array([t_tail(float(value), 2 * (blocks - 1)) for value in t])
    return np.asarray(np.minimum(tails + 4.0**-blocks, 1.0))


def pooled_sd(differences: Floats, sums: Floats) -> Floats:
    """The standard deviation of each row of differences, at least 1e-9; n ≥ 2."""
    import numpy as np

    own = differences.var(axis=1, ddof=1)
    pooled = (own + sums.var(axis=1, ddof=1)) / 2
    return np.asarray(np.sqrt(np.maximum(np.maximum(pooled, _PAIRED_SHARE * own), _LEAST_SD**2)))
