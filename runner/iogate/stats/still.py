"""Metrics that stand still: of how runs differ, their spread says nothing.

Errors, stalls and retries are zero on most nights, and what a workload does a fixed number of times
is the same on all but a few. What such a metric does when it moves was seen too seldom to measure a
spread by. What holds without any spread is the order of the nights: were they alike,
each of them would be the worst one as often as any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def is_still(runs: Sequence[Sequence[float]], limit: float) -> bool:
    """Whether at least half of the values of all runs, at least one, are one and the same, and
    that is zero, or another is further from it than ``limit``, as a share of it. Values that are
    nearer (a percentile is read off buckets, which are a hundredth wide) have moved by nothing."""
    counts = Counter(value for run in runs for value in run)
    usual, times = counts.most_common(1)[0]
    if 2 * times < counts.total():
        return False
    far = abs(limit * usual)
    return usual == 0 or any(abs(value - usual) > far for value in counts)


def worst_run(levels: Mapping[str, float]) -> str | None:
    """The run whose level is above those of all others; None where it is not one alone."""
    highest = max(levels.values())
    found = [run for run, level in levels.items() if level == highest]
    return found[0] if len(found) == 1 else None
