"""How far runs went from their level without any change: what a new run has to be beyond.

Student's prediction takes runs to be normal, and no test that knows a single series can tell a
state which it never had from a change. Both are asked of the runs themselves: a new run has to be
``reach`` times as far out as any earlier one, of its own series or of one that is like it. Where
deviations fall off as those of Student's t with three degrees of freedom do (as the cube), the
largest of so many new ones is ``c`` times the largest of n times as many old ones, and on one
given side, with the probability 1 / (1 + 2·n·c³), whatever the number of series. Lighter tails
do so less often.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iogate.stats.robust import median

_WITHOUT_WILD = 0.8  # of the runs: those whose repetitions differ least


@dataclass(frozen=True, slots=True)
class Excursions:
    """Of the runs of one series: the median of their ``levels`` (medians, in logs), the distance
    of the ``furthest`` from it, and what repetitions ``inside`` a run differ by (0: unknown)."""

    centre: float
    furthest: float
    inside: float


def runs_needed(level: float) -> int:
    """How many runs have to be there before one may fail with this probability.

    Two states of equal share that are left with the probability p: k series are in one of them
    for all of n runs, and one leaves it in the next, with k/2 · p · (1-p)ᵏ⁽ⁿ⁻¹⁾. That is never
    more than 1 / (2e·(n-1)), whatever the length of stays and the number of series.
    """
    return math.ceil(1 + 1 / (2 * math.e * level))


def reach(runs: int, level: float) -> float:
    """How many times as far out as all of ``runs`` earlier ones a new one has to be; at least 1."""
    return max(math.cbrt((1 / level - 1) / (2 * runs)), 1.0)  # the cube of such tails


def excursions(runs: Sequence[Sequence[float]]) -> Excursions | None:
    """Of runs with a value or more each; None where a median has no logarithm."""
    levels = [median(samples) for samples in runs]
    if min(levels) <= 0:
        return None
    logs = [math.log(level) for level in levels]
    centre = median(logs)
    return Excursions(centre, max(abs(log - centre) for log in logs), _inside(runs))


def furthest(own: Excursions, others: Iterable[Excursions]) -> float:
    """How far runs go in logs: those of a series itself, and those of others by the share of what
    their repetitions differ by, so that a noisy series says nothing wrong of a quiet one."""
    found = own.furthest
    for other in others:
        scale = own.inside / other.inside if own.inside > 0 and other.inside > 0 else 1.0
        found = max(found, other.furthest * scale)
    return found


def _inside(runs: Sequence[Sequence[float]]) -> float:
    variances = sorted(
        statistics.variance([math.log(value) for value in samples])
        for samples in runs
        if len(samples) > 1 and min(samples) > 0
    )
    kept = variances[: max(math.ceil(len(variances) * _WITHOUT_WILD), 1)]
    return math.sqrt(statistics.fmean(kept)) if kept else 0.0
