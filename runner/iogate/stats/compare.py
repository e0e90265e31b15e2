"""How far a candidate is from its baseline: the door between the gate and the statistics."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.stats.bootstrap import ratio_interval
from iogate.stats.distributions import t_quantile, t_tail
from iogate.stats.robust import median

RUNS_TO_PREDICT = 4
_LEAST_ERROR = 1e-9


@dataclass(frozen=True, slots=True)
class Test:
    """A change in logs (of a ``plain_test`` in the values themselves), its standard error and the
    degrees of freedom of that."""

    log: float
    error: float
    df: int

    def worse_than(self, sign: float) -> float:
        """The probability of so bad a change, or a worse one, without a true one. ``sign`` is 1
        where more is worse, -1 where less is."""
        return t_tail(sign * self.log / self.error, self.df)


@dataclass(frozen=True, slots=True)
class Change:
    """A relative change (0.1 = +10 %) and its interval; None, with ``why`` in words, where
    the numbers allow none. From zero to anything above it the change is infinite. ``test`` is
    None where a value is not positive."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""
    test: Test | None = None


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
    if test := _between_runs(candidate, baseline_runs):
        reach = t_quantile((1 - confidence) / 2, test.df) * test.error
        ends = (test.log, test.log - reach, test.log + reach)
        estimate, low, high = (math.expm1(min(end, 700.0)) for end in ends)
        return Change(estimate, low, high, test=test)
    low, high = ratio_interval(candidate, baseline_runs, confidence=confidence, seed=seed)
    return Change(estimate, low - 1, high - 1, test=_of_few_runs(candidate, baseline_runs))


def _between_runs(
    candidate: Sequence[float], baseline_runs: Sequence[Sequence[float]]
) -> Test | None:
    """One more run's median held against those of runs before it (Student's prediction): the
    unit is a run, and the candidate is one. None below four runs, or where a median is not
    positive."""
    runs = [median(run) for run in baseline_runs]
    middle = median(candidate)
    if len(runs) < RUNS_TO_PREDICT or min(middle, *runs) <= 0:
        return None
    return _prediction(math.log(middle), [math.log(value) for value in runs])


def plain_test(candidate: Sequence[float], baseline_runs: Sequence[Sequence[float]]) -> Test | None:
    """The same prediction of values as they are, where a zero has no logarithm. None below four
    runs."""
    if len(baseline_runs) < RUNS_TO_PREDICT:
        return None
    return _prediction(median(candidate), [median(run) for run in baseline_runs])


def _prediction(candidate: float, before: Sequence[float]) -> Test:
    mean, sd = statistics.fmean(before), statistics.stdev(before)
    error = max(sd * math.sqrt(1 + 1 / len(before)), _LEAST_ERROR)
    return Test(candidate - mean, error, len(before) - 1)


def _of_few_runs(
    candidate: Sequence[float], baseline_runs: Sequence[Sequence[float]]
) -> Test | None:
    """Repetitions held against repetitions. How runs differ is hardly known: they are taken to
    differ as much as repetitions inside a run do, or as they are seen to if that is more. None
    where a value is not positive, or nothing was repeated."""
    groups = [candidate, *baseline_runs]
    if min(min(group) for group in groups) <= 0:
        return None
    logs = [[math.log(value) for value in group] for group in groups]
    df = sum(len(group) - 1 for group in logs)
    if df < 1:
        return None
    flat = [value for group in logs[1:] for value in group]
    # Medians: one repetition that stalled is not what the others differ by.
    within = median([statistics.variance(group) for group in logs if len(group) > 1])
    levels = [median(group) for group in logs[1:]]
    between = max(within, statistics.variance(levels) if len(levels) > 1 else 0.0)
    variance = within * (1 / len(candidate) + 1 / len(flat)) + between * (1 + 1 / len(levels))
    error = max(math.sqrt(variance), _LEAST_ERROR)
    return Test(median(logs[0]) - median(flat), error, df)


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return math.inf if above else 1.0
