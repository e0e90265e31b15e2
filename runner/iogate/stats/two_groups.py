"""Two groups of repetitions of one run: how far apart are they, beyond chance?"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from iogate.stats.compare import Test
from iogate.stats.distributions import t_quantile, t_tail

_LEAST_ERROR = 1e-9
_FEWEST = 2


def apart(values: Sequence[float], reference: Sequence[float]) -> Test | None:
    """The difference of the means of the logs, by Welch (1947): the groups need not vary by the
    same. The degrees of freedom are rounded down. None below two values in a group, or where one is
    not positive."""
    if min(len(values), len(reference)) < _FEWEST or min(*values, *reference) <= 0:
        return None
    groups = [[math.log(value) for value in group] for group in (values, reference)]
    means = [statistics.fmean(group) for group in groups]
    shares = [statistics.variance(group) / len(group) for group in groups]
    squared = sum(shares)
    below = sum(s**2 / (len(g) - 1) for s, g in zip(shares, groups, strict=True))
    df = int(squared**2 / below) if below > 0 else min(map(len, groups)) - 1
    return Test(means[0] - means[1], max(math.sqrt(squared), _LEAST_ERROR), max(df, 1))


def chance_past(test: Test, limit: float, sign: float) -> float:
    """The probability of so bad a difference, or a worse one, were the true one at the ``limit`` (a
    log). ``sign`` is 1 where more is worse, -1 where less is."""
    return t_tail(sign * (test.log - limit) / test.error, test.df)


def ends(test: Test, confidence: float) -> tuple[float, float]:
    """Both ends of the interval of the relative difference (0.1: 10 % more)."""
    reach = t_quantile((1 - confidence) / 2, test.df) * test.error
    low, high = (math.expm1(min(test.log + way * reach, 700.0)) for way in (-1, 1))
    return low, high
