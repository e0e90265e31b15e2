"""Runs that are in one of two states, such as a placement in memory that is drawn at the start of
each run.

Student's distribution knows nothing of them: with few blocks the arms are told apart by which
states they happened to draw. The shape is looked for in what the arms measured, each split in
two where that leaves least of its variance: of tight states hardly any is left. Where it is
found a difference has to hold by its signs alone, which knows nothing of the size of a step.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]

SHARE_LEFT = 0.10
"""Of the variance, when values of two states are split between them: states more than six of their
own standard deviations apart keep less. A normal sample of sixteen keeps a third."""
_NOTHING = 1e-18  # squares of logs: rounding, where values are equal
_SAME_STATE_SDS = 4.0  # differences within as many are of runs in one state


def two_states(base: Floats, candidate: Floats) -> Bools:
    """Whether the values (rows, blocks) of each row's two arms are of two tight states."""
    left, total = _least_left(base), _total(base)
    left, total = left + _least_left(candidate), total + _total(candidate)
    return (total > _NOTHING) & (left < SHARE_LEFT * total)


def chance_of_signs(base: Floats, candidate: Floats) -> Floats:
    """For each row the probability that so many of its blocks, or more, have the higher value in
    the candidate, were either arm as likely to. Blocks in which both were in the same state
    count for neither."""
    import numpy as np

    blocks = base.shape[1]
    inside = np.sqrt((_least_left(base) + _least_left(candidate)) / (2 * blocks))
    differences = candidate - base
    told = np.abs(differences) >= _SAME_STATE_SDS * inside[:, None]
    above, below = ((told & (differences * sign > 0)).sum(axis=1) for sign in (1, -1))
    return np.array([_upper_tail(int(a), int(a + b)) for a, b in zip(above, below, strict=True)])


def _total(values: Floats) -> Floats:
    """Sums of squares about each row's mean."""
    import numpy as np

    return np.asarray(values.var(axis=1) * values.shape[1])


def _least_left(values: Floats) -> Floats:
    """Sums of squares about the means of two groups, split where that is least."""
    import numpy as np

    ordered = np.sort(values - values.mean(axis=1, keepdims=True), axis=1)
    n = ordered.shape[1]
    sums, squares = np.cumsum(ordered, axis=1), np.cumsum(ordered**2, axis=1)
    low = np.arange(1, n)
    left = squares[:, :-1] - sums[:, :-1] ** 2 / low
    right = (squares[:, -1:] - squares[:, :-1]) - (sums[:, -1:] - sums[:, :-1]) ** 2 / (n - low)
    return np.asarray(np.maximum((left + right).min(axis=1), 0.0))


@lru_cache(maxsize=4096)
def _upper_tail(above: int, tosses: int) -> float:
    """P(at least ``above`` heads) of fair tosses."""
    return float(sum(math.comb(tosses, heads) for heads in range(above, tosses + 1)) / 2**tosses)
