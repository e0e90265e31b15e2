"""One look at blocks of a comparison: does a threshold fail, is it settled, or does it go on.

A block is one run of each arm. d = log(candidate / base), signed so that positive is worse;
s = log(candidate) + log(base). Blocks come in pairs: chance decides the order of the first, and
the second has the other order. So d is symmetric about the true change whatever the noise or the
drift, and what the order itself does is taken out.

The variance of d is estimated from d and s together: where runs are independent both have the
same variance, and 2(n-1) degrees of freedom decide some blocks sooner than n-1. Where one arm
varies more than the other they are fewer, and a fail counts as many as Welch's test does. Drift and
positive autocorrelation make s vary more than d, which errs on the safe side. Noise that
alternates from run to run makes d vary more than s: the estimate never falls below 0.7
of the variance of d alone, and docs/statistics.md says what is left.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from iogate.model.verdict import Hold
from iogate.stats.boundary import Boundary
from iogate.stats.distributions import t_tail
from iogate.stats.hodges_lehmann import estimate_with_interval
from iogate.stats.states import chance_of_signs, two_states

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

_PAIRED_SHARE = 0.7
_LEAST_SD = 1e-9
_ROUNDING = 1e-6
_RANK_CONFIDENCE = 0.99
_STATE_LOOKS = 3.0  # what the signs of two states share a stage's level by, for its looks
_HOPELESS_TIMES = 3.0
_HOPELESS_SHARE = 0.3  # of the most blocks


@dataclass(frozen=True, slots=True)
class Look:
    """One row a limit. ``mean`` and ``sd`` are of d; ``upper`` is the upper end of the interval
    that decides, ``passes_at`` what it has to be short of for a pass. A row that is ``settled``
    passes with these blocks: ``within`` says that its whole interval is within the limit, else
    they see a regression that is large enough. ``held_by`` is what kept a row from failing that is
    past both boundaries."""

    blocks: int
    df: int
    mean: Floats
    sd: Floats
    upper: Floats
    passes_at: Floats
    fails: Bools
    settled: Bools
    within: Bools
    gives_up: Bools
    held_by: tuple[tuple[Hold, ...], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """One row a limit, in logs: Hodges and Lehmann's estimate, and the ends of the interval that
    decides, which holds at all looks together."""

    estimate: Floats
    low: Floats
    high: Floats


def look(
    differences: Floats,
    sums: Floats,
    limits: Floats,
    boundary: Boundary,
    *,
    confidences: Floats | None = None,
) -> Look:
    """Judge rows of finite differences and sums (limits, blocks) at this many blocks.

    ``limits`` are in log units and positive; ``confidences`` are asked of the rows' intervals, NaN
    for the boundary's own. A row fails when there is a regression (its t is past the boundary,
    its signed-rank interval above zero, and where runs are in two states their signs say so, too)
    and it is past the limit with its whole interval. It is settled when its whole interval is
    within the limit; or when the blocks see a regression of ``sees`` times the limit, the estimate
    is within the limit, and more blocks would not show a regression. It gives up after the last
    block, or sooner where runs differ so much that all blocks would not come near.
    """
    import numpy as np

    blocks = differences.shape[1]
    df = 2 * (blocks - 1)
    mean = differences.mean(axis=1)
    sd = pooled_sd(differences, sums)
    error = sd / math.sqrt(blocks)
    if confidences is None:
        confidences = np.full(len(limits), np.nan)
    reach = _reach(boundary, blocks, confidences) * error
    upper = mean + reach
    sees = sees_enough(sd, limits, boundary, blocks)
    passes_at = np.where(sees, np.maximum(boundary.visible(1.0, blocks) * sd, limits), limits)
    past = (mean / error > boundary.fail_t(blocks, df)) & (mean - reach > limits)
    held_by = _held_by(differences, sums, limits, boundary, past)
    fails = past & np.array([not holds for holds in held_by])
    within = upper < limits
    futile = ~past & sees & (upper < passes_at)
    for chosen in (within, futile):
        if chosen.any():
            chosen[chosen] = _estimated_within(differences[chosen], limits[chosen])
    settled = ~fails & (within | futile)
    ends = _hopeless(sd, limits, boundary, blocks) | (blocks >= boundary.rules.most_blocks)
    gives_up = ends & ~fails & ~settled
    ends_as = fails, settled, within, gives_up
    return Look(blocks, df, mean, sd, upper, passes_at, *ends_as, held_by)


def change_of(differences: Floats, sums: Floats, boundary: Boundary, confidences: Floats) -> Change:
    """The estimates and the intervals that ``look`` decides by; those of one block are infinite."""
    import numpy as np

    blocks = differences.shape[1]
    mean = differences.mean(axis=1)
    if blocks == 1:
        return Change(mean, mean - math.inf, mean + math.inf)
    reach = pooled_sd(differences, sums) / math.sqrt(blocks)
    reach *= _reach(boundary, blocks, confidences)
    estimate, *_ = estimate_with_interval(differences, _RANK_CONFIDENCE)
    low, high = np.minimum(mean - reach, estimate), np.maximum(mean + reach, estimate)
    return Change(estimate, low, high)


def _reach(boundary: Boundary, blocks: int, confidences: Floats) -> Floats:
    """Standard errors from the middle to the ends of each row's interval."""
    import numpy as np

    own = boundary.limit_t(blocks, 2 * (blocks - 1))
    reach = np.full(len(confidences), own)
    for confidence in set(confidences[confidences > 0].tolist()):
        reach[confidences == confidence] = boundary.limit_t(blocks, 2 * (blocks - 1), confidence)
    return reach


def _held_by(
    differences: Floats, sums: Floats, limits: Floats, boundary: Boundary, past: Bools
) -> tuple[tuple[Hold, ...], ...]:
    """What keeps each row that is ``past`` the boundaries from failing, if anything does."""
    holds: list[tuple[Hold, ...]] = [()] * len(past)
    if past.any():
        excluded = _excluded(differences[past], sums[past], limits[past], boundary)
        for row, n in enumerate(past.nonzero()[0]):
            holds[n] = tuple(hold for hold, told in excluded.items() if not told[row])
    return tuple(holds)


def _excluded(
    differences: Floats, sums: Floats, limits: Floats, boundary: Boundary
) -> dict[Hold, Bools]:
    """Whether rows that are past the boundary are so by their own degrees of freedom, ranks and
    signs, too: what may keep a row from failing, and where it does not."""
    import numpy as np

    estimate, low, _high, _ = estimate_with_interval(differences, _RANK_CONFIDENCE)
    blocks = differences.shape[1]
    bounds = [boundary.fail_t(blocks, df) for df in _degrees_of_freedom(differences, sums)]
    t = differences.mean(axis=1) / (pooled_sd(differences, sums) / math.sqrt(blocks))
    level = boundary.own_level(differences.shape[1])
    return {
        Hold.SPREAD: np.asarray(t > np.array(bounds)),
        Hold.RANKS: np.asarray(low > 0),
        Hold.ESTIMATE: np.asarray(estimate > limits),
        Hold.STATES: _holds_in_two_states(differences, sums, level),
    }


def _degrees_of_freedom(differences: Floats, sums: Floats) -> list[int]:
    """Of each row: 2(n-1) where its arms vary alike, n-1 where one alone does (Welch 1947)."""
    import numpy as np

    least = differences.shape[1] - 1
    base, candidate = (
        np.maximum(((sums + sign * differences) / 2).var(axis=1, ddof=1), _LEAST_SD**2)
        for sign in (-1, 1)
    )
    return [
        int(df + _ROUNDING) for df in least * (base + candidate) ** 2 / (base**2 + candidate**2)
    ]


def _estimated_within(differences: Floats, limits: Floats) -> Bools:
    """Whether the estimate is within the limit, which a mean with a wild run may not tell."""
    estimate, *_ = estimate_with_interval(differences, _RANK_CONFIDENCE)
    return estimate <= limits


def _holds_in_two_states(differences: Floats, sums: Floats, level: float) -> Bools:
    """Whether a regression is more than the luck of which state each run was in."""
    base, candidate = (sums - differences) / 2, (sums + differences) / 2
    alone = chance_of_signs(base, candidate) <= level / _STATE_LOOKS
    return ~two_states(base, candidate) | alone


def sees_enough(sd: Floats, limits: Floats, boundary: Boundary, blocks: int) -> Bools:
    """Whether so many blocks find a regression of ``sees`` times each limit in four of five
    comparisons."""
    at_all, past_limit = boundary.demands(blocks)
    error = sd / math.sqrt(blocks)
    told = boundary.rules.sees * limits
    return (at_all * error <= told) & (limits + past_limit * error <= told)


def hopeless(sd: Floats, limits: Floats, boundary: Boundary) -> Bools:
    """Whether all blocks together would see several times what they have to."""
    return ~sees_enough(sd / _HOPELESS_TIMES, limits, boundary, boundary.rules.most_blocks)


def _hopeless(sd: Floats, limits: Floats, boundary: Boundary, blocks: int) -> Bools:
    """The same, where there are enough blocks to tell."""
    import numpy as np

    if blocks < max(boundary.first_fail, math.ceil(boundary.rules.most_blocks * _HOPELESS_SHARE)):
        return np.zeros(len(limits), np.bool_)
    return hopeless(sd, limits, boundary)


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
