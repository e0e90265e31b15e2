"""How far a candidate is from its baseline: the door between the gate and the statistics."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.stats.bootstrap import ratio_interval
from iogate.stats.distributions import t_quantile
from iogate.stats.robust import median

_RUNS_TO_PREDICT = 4


@dataclass(frozen=True, slots=True)
class Change:
    """A relative change (0.1 = +10 %) and its interval; None, with ``why`` in words, where
    the numbers allow none. From zero to anything above it the change is infinite."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


def relative_change(
    candidate: Sequence[float],
    baseline_runs: Sequence[Sequence[float]],
    *,
    confidence: float,
    seed: int = 0,
) -> Change:
    """Median against median, both of at least one finite value. From four runs on the
    interval is of a single run against those before it, whose own scatter is known; below,
    it is a bootstrap of the repetitions, which knows nothing of how runs differ."""
    flat = [value for run in baseline_runs for value in run]
    if min(*candidate, *flat) < 0:
        return Change(None, why="a negative number has no relative change")
    estimate = _ratio(median(candidate), median(flat)) - 1
    if len(candidate) < 2:
        return Change(estimate, why="one repetition says nothing about its own noise")
    if predicted := _predicted(candidate, baseline_runs, confidence):
        return Change(*predicted)
    low, high = ratio_interval(candidate, baseline_runs, confidence=confidence, seed=seed)
    return Change(estimate, low - 1, high - 1)


def _predicted(
    candidate: Sequence[float], baseline_runs: Sequence[Sequence[float]], confidence: float
) -> tuple[float, float, float] | None:
    """The change, and Student's prediction interval of one more run's median, in logs: the
    unit is a run, and the candidate is one. None below four runs, or where a median is not
    positive."""
    runs = [median(run) for run in baseline_runs]
    middle = median(candidate)
    if len(runs) < _RUNS_TO_PREDICT or min(middle, *runs) <= 0:
        return None
    logs = [math.log(value) for value in runs]
    mean, sd = statistics.fmean(logs), statistics.stdev(logs)
    reach = t_quantile((1 - confidence) / 2, len(logs) - 1) * sd * math.sqrt(1 + 1 / len(logs))
    distance = math.log(middle) - mean
    ends = (distance, distance - reach, distance + reach)
    estimate, low, high = (math.expm1(min(end, 700.0)) for end in ends)
    return estimate, low, high


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return math.inf if above else 1.0
