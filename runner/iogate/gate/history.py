"""Relative limits held against the history. Pure.

A limit **fails** when the change is a worsening that chance is excluded for, and its estimate
is beyond the limit; it **passes** when the whole interval of the change is within; else it is
inconclusive. For gated limits chance is excluded for all of them together: a hundred limits at
5 % each would fail nearly every clean run. Limits of level ``warn`` are findings, of which
one in twenty may be false (Benjamini and Hochberg).

Below RUNS_NEEDED earlier runs the baseline is *young*: nothing fails, because hosts with two
states separate so few runs by chance. From there on a run has to be further out than the runs
before it ever were, its own and those of the same metric in other cases.

A metric that *stands still* has no spread to measure a run by. There a run has to be the worst of
all, and such runs have to be rare: of the nights in which some limit of this kind had its worst
run, tonight is one, and if all nights are alike it is any of them. So their share of all
nights is the chance of a fail, whatever the number of these limits and however they depend on
each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from iogate.gate.doubts import (
    BETWEEN_RUNS,
    BY_ORDER,
    BY_RANKS,
    YET_WITHIN,
    Chance,
    Family,
    chance_words,
    not_worst_words,
    reach_words,
    still_words,
    young_words,
)
from iogate.gate.sentences import no_baseline_reason, relative_reason, undefined_reason
from iogate.model.plan import Case
from iogate.model.pool import Pool
from iogate.model.spec import Level, Threshold
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate.stats.compare import RUNS_TO_PREDICT, Change, plain_test, relative_change
from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.excursions import Excursions, excursions, furthest, reach, runs_needed
from iogate.stats.family import FLIPS, effective_thresholds
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.ranks import chance_above, least_chance
from iogate.stats.robust import median
from iogate.stats.still import is_still, worst_run

FAMILY_LEVEL = 0.01  # of clean runs may fail, whatever the number of gated limits
RUNS_NEEDED = runs_needed(FAMILY_LEVEL)
_REACH_LEVEL = 0.7 * FAMILY_LEVEL  # deviations are from a median of few runs
_NOW = ""  # the run at hand, among the ids of earlier ones


@dataclass(frozen=True, slots=True)
class Asked:
    """A relative limit that has a value. ``runs`` are the baseline's samples, by the id of their
    run and newest first; ``since_ns`` is when their level began, if there was another."""

    case: Case | Pool
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
    changes = [_change(question, needed, seed) for question in asked]
    doubts, draws = ["it was not tested"] * len(asked), (seed, flips)
    for level in Level:
        family = [
            n
            for n, (question, change) in enumerate(zip(asked, changes, strict=True))
            if question.threshold.level is level and change is not None and change.low is not None
        ]
        for n, doubt in zip(family, _doubts(asked, changes, family, draws), strict=True):
            doubts[n] = doubt
    return [
        _verdict(question, change, doubt, (min_samples, why_fewer))
        for question, change, doubt in zip(asked, changes, doubts, strict=True)
    ]


def _change(question: Asked, needed: int, seed: int) -> Change | None:
    """None with too small a baseline."""
    runs = [samples for _, samples in question.runs]
    if sum(map(len, runs)) < needed:
        return None
    return relative_change(
        question.verdict.samples, runs, confidence=_confidence(question.threshold), seed=seed
    )


def _confidence(threshold: Threshold) -> float:
    return threshold.confidence or USUAL_CONFIDENCE


def _doubts(
    asked: Sequence[Asked],
    changes: Sequence[Change | None],
    family: Sequence[int],
    draws: tuple[int, int],
) -> list[str]:
    """Why each of a family of one level may be no worse; empty where chance is excluded."""
    questions = [asked[n] for n in family]
    if all(map(_is_young, questions)):
        return [_young(question) for question in questions]
    chances = [_chance(asked[n], change) for n in family if (change := changes[n])]
    together = _together(questions, [chance.value for chance in chances], draws)
    return [
        _doubt(question, chance, each, questions)
        for question, chance, each in zip(questions, chances, together, strict=True)
    ]


def _together(
    family: Sequence[Asked], chances: Sequence[float], draws: tuple[int, int]
) -> list[Family]:
    """The level that each of a family may err with."""
    kind, size = family[0].threshold.level, len(family)
    if kind is Level.FAIL:
        # As on most nights, and the flips take a while.
        is_quiet = min(chances) > FAMILY_LEVEL
        least = FAMILY_LEVEL if is_quiet else family_level(family, *draws)
        return [Family(kind, 1 if is_quiet else size, least)] * size
    found = benjamini_hochberg(chances, FALSE_SHARE)
    ranks = [sum(other <= chance for other in chances) for chance in chances]
    levels = (FALSE_SHARE * rank / size for rank in ranks)
    return [
        Family(kind, size, max(level, chance) if is_found else level)
        for is_found, level, chance in zip(found, levels, chances, strict=True)
    ]


def _doubt(question: Asked, chance: Chance, together: Family, family: Sequence[Asked]) -> str:
    """The first of the tests that does not exclude chance; empty where all do."""
    if _is_young(question):
        return _young(question)
    own = (1 - _confidence(question.threshold)) / 2
    if _is_still(question):
        return _still_doubt(question, own, together, family)
    if chance.value > min(own, together.level):
        return chance_words(chance, own, together)
    times, far = _times_out(question, family), _far(question, family)
    return "" if times > far else reach_words(times, far)


def _still_doubt(question: Asked, own: float, together: Family, family: Sequence[Asked]) -> str:
    """Of a metric that stands still."""
    if _worst_run(question) != _NOW:
        return not_worst_words()
    is_gated, alike = together.kind is Level.FAIL, filter(_is_still, family)
    nights = len({_worst_run(each) for each in alike} - {None}) if is_gated else 1
    level = min(own, FAMILY_LEVEL if is_gated else together.level)
    runs = len(question.runs)
    return still_words(runs, nights, level) if nights / (runs + 1) > level else ""


def _is_still(question: Asked) -> bool:
    return is_still([samples for _, samples in question.runs], question.threshold.limit.value)


def _worst_run(question: Asked) -> str | None:
    levels = {run: question.worse * median(samples) for run, samples in question.runs}
    return worst_run({**levels, _NOW: question.worse * median(question.verdict.samples)})


def _far(question: Asked, family: Sequence[Asked]) -> float:
    """How many times as far out a run has to be. Where a zero allows no logarithm no other case
    tells how far runs go, so all such limits share the level; and runs that cannot go below zero
    go far on one side alone, which is half of it."""
    runs = len(question.runs)
    if _has_logs(question):
        return reach(runs, _REACH_LEVEL)
    alone = sum(not _has_logs(each) for each in family)
    return reach(runs, _REACH_LEVEL / (2 * alone))


def _has_logs(question: Asked) -> bool:
    return median(question.verdict.samples) > 0 and _excursions(question) is not None


def _times_out(question: Asked, family: Sequence[Asked]) -> float:
    """How many times as far out as earlier ones the run is, to the worse. Where a zero allows no
    logarithm, its own runs say so as they are."""
    value, own = median(question.verdict.samples), _excursions(question)
    if own is None or value <= 0:
        return _ratio(question.worse * (value - _middle(question)), _widest(question))
    others = (_excursions(each) for each in family if _is_sibling(each, question))
    widest = furthest(own, [each for each in others if each])
    return _ratio(question.worse * (math.log(value) - own.centre), widest)


def _ratio(distance: float, widest: float) -> float:
    if widest > 0:
        return distance / widest
    return math.inf if distance > 0 else 0.0


def _young(question: Asked) -> str:
    return young_words(len(question.runs), RUNS_NEEDED)


def _is_young(question: Asked) -> bool:
    return len(question.runs) < RUNS_NEEDED


def _is_sibling(other: Asked, question: Asked) -> bool:
    """The same metric of another case, or another limit on it, which changes nothing."""
    return other is not question and other.threshold.metric == question.threshold.metric


def _excursions(question: Asked) -> Excursions | None:
    return excursions([samples for _, samples in question.runs])


def _middle(question: Asked) -> float:
    return median([median(samples) for _, samples in question.runs])


def _widest(question: Asked) -> float:
    middle = _middle(question)
    return max(abs(median(samples) - middle) for _, samples in question.runs)


def _chance(question: Asked, change: Change) -> Chance:
    """The probability of so bad a run by chance: the larger one of two tests, of which one
    knows how runs differ, and the other does not care how repetitions are distributed. The
    second is passed over with few runs, and counts as 0 where it cannot say more. Where a zero
    allows no logarithm, few runs have the second alone."""
    if _is_still(question):
        is_worst = _worst_run(question) == _NOW
        return Chance(1 / (len(question.runs) + 1) if is_worst else 1.0, BY_ORDER)
    runs = [samples for _, samples in question.runs]
    test = change.test or plain_test(question.verdict.samples, runs)
    chance = test.worse_than(question.worse) if test else 0.0
    between = Chance(chance, BETWEEN_RUNS)
    if change.test and len(runs) < RUNS_TO_PREDICT:
        return between
    before = [question.worse * value for samples in runs for value in samples]
    now = [question.worse * value for value in question.verdict.samples]
    ranked = chance_above(now, before)
    says_more = test is None or ranked > least_chance(len(now), len(before))
    return Chance(ranked, BY_RANKS) if says_more and ranked > chance else between


def family_level(family: Sequence[Asked], seed: int, flips: int) -> float:
    """The probability that each of a family may err with, so that the run keeps its level. What
    moves together in the runs of the baseline counts for less than its number."""
    import numpy as np

    if len(family) <= 1:
        return FAMILY_LEVEL
    columns: dict[str, int] = {}
    for question in family:
        for run, _ in question.runs:
            columns.setdefault(run, len(columns))
    table = np.full((len(family), len(columns)), np.nan)
    for row, question in zip(table, family, strict=True):
        medians = {run: median(samples) for run, samples in question.runs}
        if min(medians.values()) > 0:
            medians = {run: math.log(value) for run, value in medians.items()}
        mean = math.fsum(medians.values()) / len(medians)
        for run, value in medians.items():
            row[columns[run]] = value - mean
    return FAMILY_LEVEL / effective_thresholds(table, seed=seed, flips=flips)


def _verdict(
    question: Asked, change: Change | None, doubt: str, wanted: tuple[int, Sequence[str]]
) -> ThresholdVerdict:
    in_run_order = reversed(question.runs)
    flat = tuple(value for _, samples in in_run_order for value in samples)
    verdict = replace(
        question.verdict,
        baseline_samples=flat,
        baseline=median(flat) if flat else None,
        baseline_runs=len(question.runs),
        baseline_since_ns=question.since_ns,
    )
    if change is None:
        reason = no_baseline_reason(question.case, verdict, len(question.runs), *wanted)
        return verdict.because(reason, outcome=Outcome.MISSING_BASELINE)
    verdict = replace(verdict, change=change.estimate, baseline=_level(verdict, change))
    if change.low is None or change.high is None:
        return verdict.because(undefined_reason(question.case, verdict, change.why))
    interval = Interval(change.low, change.high, _confidence(question.threshold))
    verdict = replace(
        verdict,
        change_interval=interval,
        outcome=_outcome(question.threshold, change, interval, is_worse=not doubt),
        point=len(question.runs) < RUNS_TO_PREDICT,
    )
    return verdict.because(relative_reason(question.case, verdict, doubt or YET_WITHIN))


def _level(verdict: ThresholdVerdict, change: Change) -> float | None:
    """What the value was held against: the two are apart by the change. From four runs on that is
    the geometric mean of the runs' medians, else the median of all samples."""
    estimate, value = change.estimate, verdict.value
    if change.test is None or estimate is None or not value or not -1 < estimate < math.inf:
        return verdict.baseline
    return value / (1 + estimate)


def _outcome(
    threshold: Threshold, change: Change, interval: Interval, *, is_worse: bool
) -> Outcome:
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
