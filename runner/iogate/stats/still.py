"""Metrics that stand still: of how runs differ, their spread says nothing.

Errors, stalls and retries are zero on most nights, and a count of a fixed workload is the same on
all of them. What such a metric does when it moves has not been seen, or was seen too seldom to
measure a spread by. What holds without any spread is the order of the nights: were they alike,
each of them would be the worst one as often as any other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence


def is_still(runs: Sequence[Sequence[float]]) -> bool:
    """Whether at least half of the values of all runs, at least one, are one and the same."""
    counts = Counter(value for run in runs for value in run)
    return 2 * max(counts.values()) >= counts.total()


def worst_run(levels: Mapping[str, float]) -> str | None:
    """The run whose level is above those of all others; None where it is not one alone."""
    highest = max(levels.values())
    found = [run for run, level in levels.items() if level == highest]
    return found[0] if len(found) == 1 else None
