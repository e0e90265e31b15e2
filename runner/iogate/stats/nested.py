"""How much groups differ, and the values inside of one: a random-effects model of two levels."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def nested_sds(arms: Sequence[Sequence[Sequence[float]]]) -> tuple[float, float] | None:
    """The standard deviations of groups and of the values inside of one, by the method of moments
    (Searle, Casella and McCulloch 1992). Groups are equally large; those of each arm have a level
    of their own. What groups differ by is 0 where they differ no more than their values explain.
    None below two values a group, or two groups an arm."""
    size = min((len(group) for arm in arms for group in arm), default=0)
    if size < 2 or min(map(len, arms)) < 2:
        return None
    inside = statistics.fmean(statistics.variance(group) for arm in arms for group in arm)
    means = [[statistics.fmean(group) for group in arm] for arm in arms]
    free = sum(len(arm) - 1 for arm in means)
    of_means = sum(statistics.variance(arm) * (len(arm) - 1) for arm in means) / free
    return math.sqrt(max(of_means - inside / size, 0.0)), math.sqrt(inside)
