"""Limits ``vs case``: a case held against another one of the same run. Pure.

The repetitions of both are two independent groups. A limit **fails** when the change lies past it
and chance is excluded, for all gated limits of the run together; it **passes** when the whole
interval of the change is within it; else it is inconclusive. Repetitions of all cases take
turns, so that what drifts reaches both; what one case keeps for the whole run, such as where its
files came to lie, is its change.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from iogate.gate.disturbed import too_few_reason
from iogate.gate.evidence import Evidence, samples_of
from iogate.gate.history import FAMILY_LEVEL
from iogate.gate.sentences import subject_of, thin_reason
from iogate.metrics import metric
from iogate.metrics.thin_quantiles import too_thin
from iogate.model.plan import Case, Plan
from iogate.model.reason import Reason
from iogate.model.spec import Level, Threshold
from iogate.model.units import format_change, format_change_from, format_value
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate.stats.compare import Test
from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.two_groups import apart, chance_past, ends

LEAST_REPETITIONS = 5
"""Of each of two cases: fewer do not tell how much they vary."""


@dataclass(frozen=True, slots=True)
class Beside:
    """A limit ``vs case``, with what was measured of its case, and of the ``other`` that it names;
    None where that is not in the run."""

    item: Evidence
    verdict: ThresholdVerdict
    other: Evidence | None

    @property
    def case(self) -> Case:
        return self.item.case

    @property
    def threshold(self) -> Threshold:
        return self.verdict.threshold

    @property
    def confidence(self) -> float:
        return self.threshold.confidence or USUAL_CONFIDENCE


def finder(evidence: Sequence[Evidence]) -> Callable[[Case, Mapping[str, str]], Evidence | None]:
    """A function that finds what was measured of a case's sibling: the one of its workload that
    differs in the values given alone."""

    def key(case: Case, point: Mapping[str, str]) -> tuple[str, tuple[tuple[str, str], ...]]:
        return case.workload, tuple(sorted(point.items()))

    known = {key(item.case, item.case.parameters): item for item in evidence}
    return lambda case, values: known.get(key(case, {**case.parameters, **values}))


def judge_beside(asked: Sequence[Beside], plan: Plan) -> list[ThresholdVerdict]:
    """The verdict on each, in order. FAIL is not softened by its level here."""
    pairs = [_with_other(question, plan) for question in asked]
    obstacles = [_obstacle(question, plan) for question in pairs]
    tests = [
        None if why else apart(each.verdict.samples, each.verdict.baseline_samples)
        for each, why in zip(pairs, obstacles, strict=True)
    ]
    past = [False] * len(asked)
    for level in Level:
        family = [n for n, each in enumerate(pairs) if tests[n] and each.threshold.level is level]
        chances = [_chance(pairs[n], test) for n in family if (test := tests[n])]
        for n, is_past in zip(family, _past(chances, level), strict=True):
            past[n] = is_past and _chance(pairs[n], tests[n]) <= (1 - pairs[n].confidence) / 2
    return [
        _verdict(each, test, is_past=is_past) if test else _undecided(each, why)
        for each, why, test, is_past in zip(pairs, obstacles, tests, past, strict=True)
    ]


def _with_other(question: Beside, plan: Plan) -> Beside:
    other = question.other
    if other is None:
        return question
    values = samples_of(other.measurements, metric(question.threshold.metric, plan.metrics))
    verdict = replace(question.verdict, against=other.case.id, baseline_samples=values)
    return replace(question, verdict=verdict)


def _obstacle(question: Beside, plan: Plan) -> Reason | None:
    """Why the two cannot be compared; None where they can."""
    verdict, other, threshold = question.verdict, question.other, question.threshold
    subject = subject_of(question.case, threshold)
    if not verdict.samples:
        return verdict.reason_parts
    if other is None:
        where = ",".join(f"{key}={value}" for key, value in threshold.limit.case.items())
        why = f"the case with {where} is not in this run"
        return Reason(subject, "not judged", why, ("measure both: choose cases otherwise",))
    if other.has_too_few:
        reason = too_few_reason(plan, other.case, threshold, other.faults.measured)
        return replace(reason, subject=subject, why=f"of {other.case.name} {reason.why}")
    fewest = min(len(verdict.samples), len(verdict.baseline_samples))
    if fewest < LEAST_REPETITIONS:
        why = f"it takes {LEAST_REPETITIONS} repetitions of each case, and one has {fewest}"
        remedy = f"set repetitions to {LEAST_REPETITIONS} or more"
        return Reason(subject, "not judged", why, (remedy,))
    if min(*verdict.samples, *verdict.baseline_samples) <= 0:
        why = "a value is zero or negative, and has no ratio"
        return Reason(subject, "not judged", why, ("an absolute limit can judge it",))
    runs = question.item.measurements, other.measurements
    errors = (too_thin(threshold.metric, each, threshold.limit, plan.metrics) for each in runs)
    thin = max((error for error in errors if error is not None), default=None)
    return None if thin is None else thin_reason(question.case, threshold, thin)


def _undecided(question: Beside, why: Reason | None) -> ThresholdVerdict:
    assert why is not None
    return question.verdict.because(why, outcome=Outcome.INCONCLUSIVE)


def _chance(question: Beside, test: Test | None) -> float:
    """That the repetitions are so far past the limit, were the true change at it."""
    assert test is not None
    limit = question.threshold.limit
    return chance_past(test, math.log1p(limit.value), limit.worse)


def _past(chances: Sequence[float], level: Level) -> list[bool]:
    """Which of a family of one level are past their limits, chance excluded."""
    if level is Level.FAIL:
        return [chance <= FAMILY_LEVEL / len(chances) for chance in chances]
    return benjamini_hochberg(chances, FALSE_SHARE)


def _verdict(question: Beside, test: Test, *, is_past: bool) -> ThresholdVerdict:
    """The values are geometric means: they are apart by the change."""
    limit, confidence = question.threshold.limit, question.confidence
    low, high = ends(test, confidence)
    worst = high if limit.worse > 0 else low
    outcome = Outcome.FAIL if is_past else Outcome.INCONCLUSIVE
    if limit.comparison.holds(worst, limit.value):
        outcome = Outcome.PASS
    verdict = replace(
        question.verdict,
        outcome=outcome,
        value=_middle(question.verdict.samples),
        baseline=_middle(question.verdict.baseline_samples),
        change=math.expm1(min(test.log, 700.0)),
        change_interval=Interval(low, high, confidence),
    )
    verdict = verdict.because(_reason(question, verdict))
    return _without_silence(question, verdict)


def _middle(values: Sequence[float]) -> float:
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def _without_silence(question: Beside, verdict: ThresholdVerdict) -> ThresholdVerdict:
    """A pass on part of the other case's repetitions is none."""
    assert question.other is not None
    assert verdict.reason_parts is not None
    every = len(question.other.measurements)
    missing = every - len(verdict.baseline_samples)
    if not missing or verdict.outcome is not Outcome.PASS:
        return verdict
    remark = f"but {missing} of {every} repetitions of {question.other.case.name} gave no value"
    return verdict.because(verdict.reason_parts.and_remark(remark), outcome=Outcome.INCONCLUSIVE)


def _reason(question: Beside, verdict: ThresholdVerdict) -> Reason:
    """``… is 9.8 k/s, -3.1 % from the 10.1 k/s of oltp/target=ext4 (95 % interval …), limit …``."""
    assert question.other is not None
    interval, limit = verdict.change_interval, verdict.threshold.limit
    assert interval is not None
    low, high = format_change(interval.low), format_change(interval.high)
    detail = (
        f"{format_value(verdict.value, verdict.unit)}, {format_change_from(verdict.change)} the"
        f" {format_value(verdict.baseline, verdict.unit)} of {question.other.case.name}"
        f" ({interval.confidence * 100:.3g} % interval {low} … {high}), limit {limit.text}"
    )
    reason = Reason(subject_of(question.case, verdict.threshold), detail)
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return reason
    assert verdict.change is not None
    within = limit.comparison.holds(verdict.change, limit.value)
    why = (
        "within the limit, but the interval reaches past it"
        if within
        else "beyond the limit, but chance is not excluded"
    )
    return replace(reason, why=why, remarks=("more repetitions would decide",))
