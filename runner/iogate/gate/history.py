"""Relative limits held against the history. Pure.

A limit **fails** when the change is a worsening that chance is excluded for, and its estimate
is beyond the limit; it **passes** when the whole interval of the change is within; else it is
inconclusive. For gated limits chance is excluded for all of them together: a hundred limits at
5 % each would fail nearly every clean run. Limits of level ``warn`` are findings, of which
one in twenty may be false (Benjamini and Hochberg).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iogate.gate.sentences import no_baseline_reason, relative_reason, undefined_reason
from iogate.model.plan import Case
from iogate.model.spec import Level, Threshold
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate.stats.compare import RUNS_TO_PREDICT, Change, plain_test, relative_change
from iogate.stats.family import FLIPS, effective_thresholds
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.ranks import chance_above, least_chance
from iogate.stats.robust import median

DEFAULT_CONFIDENCE = 0.95
FAMILY_LEVEL = 0.01  # of clean runs may fail, whatever the number of gated limits


@dataclass(frozen=True, slots=True)
class Asked:
    """A relative limit that has a value. ``runs`` are the baseline's samples, by the id of their
    run and newest first; ``since_ns`` is when their level began, if there was another."""

    case: Case
    verdict: ThresholdVerdict
    runs: tuple[tuple[str, tuple[float, ...]], ...]
    since_ns: int | None = None

    @property
    def threshold(self) -> Threshold:
        return self.verdict.threshold

    @property
    def worse(self) -> float:
        """The sign of what is worse."""
        return self.threshold.limit.worse


def judge_history(
    asked: Sequence[Asked],
    *,
    min_samples: int,
    seed: int,
    why_fewer: Sequence[str] = (),
    flips: int = FLIPS,
) -> list[ThresholdVerdict]:
    """The verdict on each, in order. FAIL is not softened by its level here. ``why_fewer`` is
    what is known of why a baseline is too small; ``flips`` signs are drawn to tell how many
    independent thresholds there are."""
    needed = max(min_samples, 1)  # without a single sample there is nothing to compare with
    changes = [_change(one, needed, seed) for one in asked]
    worse, draws = [False] * len(asked), (seed, flips)
    for level in Level:
        family = [
            n
            for n, (one, change) in enumerate(zip(asked, changes, strict=True))
            if one.threshold.level is level and change is not None and change.low is not None
        ]
        for n, is_worse in zip(family, _worse(asked, changes, family, draws), strict=True):
            worse[n] = is_worse
    return [
        _verdict(one, change, is_worse, (min_samples, why_fewer))
        for one, change, is_worse in zip(asked, changes, worse, strict=True)
    ]


def _change(one: Asked, needed: int, seed: int) -> Change | None:
    """None with too small a baseline."""
    runs = [samples for _, samples in one.runs]
    if sum(map(len, runs)) < needed:
        return None
    return relative_change(
        one.verdict.samples, runs, confidence=_confidence(one.threshold), seed=seed
    )


def _confidence(threshold: Threshold) -> float:
    return threshold.confidence or DEFAULT_CONFIDENCE


def _worse(
    asked: Sequence[Asked],
    changes: Sequence[Change | None],
    family: Sequence[int],
    draws: tuple[int, int],
) -> list[bool]:
    """Which of a family of one level got worse, chance excluded."""
    chances = [_chance(asked[n], change) for n in family if (change := changes[n])]
    own = [(1 - _confidence(asked[n].threshold)) / 2 for n in family]
    if family and asked[family[0]].threshold.level is Level.FAIL:
        least = family_level([asked[n] for n in family], *draws)
        found = [chance <= least for chance in chances]
    else:
        found = benjamini_hochberg(chances, FALSE_SHARE)
    return [
        is_found and chance <= most
        for is_found, chance, most in zip(found, chances, own, strict=True)
    ]


def _chance(one: Asked, change: Change) -> float:
    """The probability of so bad a run by chance: the larger one of two tests, of which one
    knows how runs differ, and the other does not care how repetitions are distributed. The
    second is passed over with few runs, and counts as 0 where it cannot say more. Where a zero
    allows no logarithm, few runs have the second alone."""
    runs = [samples for _, samples in one.runs]
    test = change.test or plain_test(one.verdict.samples, runs)
    chance = test.worse_than(one.worse) if test else 0.0
    if change.test and len(runs) < RUNS_TO_PREDICT:
        return chance
    before = [one.worse * value for samples in runs for value in samples]
    now = [one.worse * value for value in one.verdict.samples]
    ranked = chance_above(now, before)
    says_more = test is None or ranked > least_chance(len(now), len(before))
    return max(chance, ranked) if says_more else chance


def family_level(family: Sequence[Asked], seed: int, flips: int) -> float:
    """The probability that each of a family may err with, so that the run keeps its level. What
    moves together in the runs of the baseline counts for less than its number."""
    import numpy as np

    if len(family) <= 1:
        return FAMILY_LEVEL
    columns: dict[str, int] = {}
    for one in family:
        for run, _ in one.runs:
            columns.setdefault(run, len(columns))
    table = np.full((len(family), len(columns)), np.nan)
    for row, one in zip(table, family, strict=True):
        medians = {run: median(samples) for run, samples in one.runs}
        if min(medians.values()) > 0:
            medians = {run: math.log(value) for run, value in medians.items()}
        mean = math.fsum(medians.values()) / len(medians)
        for run, value in medians.items():
            row[columns[run]] = value - mean
    return FAMILY_LEVEL / effective_thresholds(table, seed=seed, flips=flips)


def _verdict(
    one: Asked, change: Change | None, is_worse: bool, wanted: tuple[int, Sequence[str]]
) -> ThresholdVerdict:
    in_run_order = reversed(one.runs)
    flat = tuple(value for _, samples in in_run_order for value in samples)
    verdict = replace(
        one.verdict,
        baseline_samples=flat,
        baseline=median(flat) if flat else None,
        baseline_runs=len(one.runs),
        baseline_since_ns=one.since_ns,
    )
    if change is None:
        reason = no_baseline_reason(one.case, verdict, len(one.runs), *wanted)
        return verdict.because(reason, outcome=Outcome.MISSING_BASELINE)
    verdict = replace(verdict, change=change.estimate)
    if change.low is None or change.high is None:
        return verdict.because(undefined_reason(one.case, verdict, change.why))
    interval = Interval(change.low, change.high, _confidence(one.threshold))
    verdict = replace(
        verdict,
        change_interval=interval,
        outcome=_outcome(one.threshold, change, interval, is_worse),
        point=len(one.runs) < RUNS_TO_PREDICT,
    )
    return verdict.because(relative_reason(one.case, verdict))


def _outcome(threshold: Threshold, change: Change, interval: Interval, is_worse: bool) -> Outcome:
    limit = threshold.limit
    best, worst = interval.low, interval.high
    if limit.worse < 0:
        best, worst = worst, best
    if limit.comparison.holds(worst, limit.value):
        return Outcome.PASS
    assert change.estimate is not None
    if limit.comparison.holds(change.estimate, limit.value):
        return Outcome.INCONCLUSIVE
    # Where there is no logarithm, the whole interval has to be past the limit, too.
    past = not limit.comparison.holds(best, limit.value)
    fails = is_worse and (change.test is not None or past)
    return Outcome.FAIL if fails else Outcome.INCONCLUSIVE
