"""Thresholds × samples → verdict. Pure: no clock, no files, the same seed the same verdict.

A sample is one repetition's value of a metric. An absolute limit is held against the samples
by counting (``iogate.gate_limits``). In a comparison of two arms a limit ``vs baseline`` is
judged block by block (``iogate.gate_blocks``); elsewhere it is held against the interval of the
relative change from the history's samples: fail when the whole interval is past the limit,
pass when the whole of it is within, inconclusive when it straddles the limit. How the
interval is made is ``iogate.stats.compare``'s matter alone.

``baseline.min_samples`` counts samples, that is repetitions, over all baseline runs: two
runs of three repetitions are six. Only baseline repetitions of the same engine count.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from iogate.errors import ExitCode
from iogate.gate_blocks import stand
from iogate.gate_compared import compared_verdict
from iogate.gate_limits import judge_absolute
from iogate.gate_words import (
    absolute_reason,
    no_baseline_reason,
    no_value_reason,
    partial_reason,
    relative_reason,
    run_sentence,
    undefined_reason,
)
from iogate.metrics import Metric, default_metrics, metric
from iogate.model.measurement import Measurement
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run
from iogate.model.spec import Level, OnMissingBaseline, Threshold
from iogate.model.verdict import Interval, Observation, Outcome, RunVerdict, ThresholdVerdict
from iogate.stats.compare import relative_change
from iogate.stats.robust import median

DEFAULT_CONFIDENCE = 0.95
_WORST_FIRST = (
    Outcome.FAIL,
    Outcome.INCONCLUSIVE,
    Outcome.MISSING_BASELINE,
    Outcome.WARN,
    Outcome.PASS,
)
_EXIT = {
    Outcome.FAIL: ExitCode.FAIL,
    Outcome.INCONCLUSIVE: ExitCode.INCONCLUSIVE,
    Outcome.MISSING_BASELINE: ExitCode.INCONCLUSIVE,
    Outcome.WARN: ExitCode.PASS,
    Outcome.PASS: ExitCode.PASS,
}
_POLICY = {OnMissingBaseline.PASS: Outcome.PASS, OnMissingBaseline.WARN: Outcome.WARN}


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What is known about one case: its repetitions, and the baseline's, a group a run."""

    case: Case
    measurements: tuple[Measurement, ...]
    baseline_runs: tuple[tuple[Measurement, ...], ...]


def judge(
    plan: Plan,
    measurements: Sequence[Measurement],
    failures: Sequence[CaseFailure],
    baseline: Sequence[Run],
    *,
    seed: int = 0,
) -> RunVerdict:
    """The verdict on a run. ``baseline`` holds the accepted runs to compare with.

    A repetition that failed, or a case without any, makes the exit code 4 and the outcome
    inconclusive at best: such a run never passes.
    """
    evidence = [_evidence(case, plan, measurements, baseline) for case in plan.cases]
    compared = _compared(plan, measurements)
    thresholds = tuple(
        compared.get((item.case.id, place)) or _judge_threshold(item, threshold, plan, seed)
        for item in evidence
        for place, threshold in enumerate(item.case.thresholds)
    )
    failed = _failed_cases(evidence, failures)
    outcome = _worst(_effect(verdict, plan) for verdict in thresholds)
    if failed:
        outcome = _worst([outcome, Outcome.INCONCLUSIVE])
    return RunVerdict(
        outcome=outcome,
        exit_code=int(ExitCode.RUN_FAILED if failed else _EXIT[outcome]),
        sentence=run_sentence(plan, outcome, thresholds, failed, failures),
        thresholds=thresholds,
        observations=tuple(o for item in evidence for o in _observations(item, plan)),
        failed_cases=failed,
    )


def _compared(
    plan: Plan, measurements: Sequence[Measurement]
) -> dict[tuple[str, int], ThresholdVerdict]:
    """In a comparison, the verdicts on relative limits, by case and place in the case."""
    if plan.comparison is None:
        return {}
    found = {}
    for one in stand(plan, measurements):
        verdict = compared_verdict(one, plan.comparison)
        found[one.pairs.case.id, one.pairs.place] = _by_level(verdict)
    return found


def _evidence(
    case: Case, plan: Plan, measurements: Sequence[Measurement], baseline: Sequence[Run]
) -> _Evidence:
    own = tuple(m for m in measurements if m.case_id == case.id)
    if plan.comparison is not None:
        base = tuple(m for m in own if m.arm == plan.comparison.base.name)
        return _Evidence(case, tuple(m for m in own if m not in base), (base,))
    engines = {m.engine.name for m in own}
    groups = (
        tuple(m for m in run.measurements if m.case_id in ids and m.engine.name in engines)
        for run in baseline
        for ids in [_ids_in(run, case)]
    )
    return _Evidence(case, own, tuple(group for group in groups if group))


def _ids_in(run: Run, case: Case) -> set[str]:
    """The ids that the case had in a run: its own, and those it is also known as."""
    former = set(case.aka)
    return {case.id, *former, *(c.id for c in run.plan.cases if c.name in former)}


def _failed_cases(
    evidence: Sequence[_Evidence], failures: Sequence[CaseFailure]
) -> tuple[str, ...]:
    broken = {failure.case_id for failure in failures}
    return tuple(e.case.id for e in evidence if e.case.id in broken or not e.measurements)


def _judge_threshold(
    evidence: _Evidence, threshold: Threshold, plan: Plan, seed: int
) -> ThresholdVerdict:
    judged = metric(threshold.metric, plan.metrics)
    samples = _samples(evidence.measurements, judged)
    verdict = ThresholdVerdict(
        case_id=evidence.case.id,
        threshold=threshold,
        outcome=Outcome.INCONCLUSIVE,
        reason=no_value_reason(evidence.case, threshold, len(evidence.measurements)),
        unit=judged.unit,
        better=judged.better,
        samples=samples,
    )
    if not samples:
        return verdict
    verdict = replace(verdict, value=median(samples))
    if threshold.limit.relative:
        verdict = _judge_relative(verdict, evidence, judged, plan, seed)
    else:
        verdict = judge_absolute(verdict)
        verdict = replace(verdict, reason=absolute_reason(evidence.case, verdict))
    return _tempered(verdict, len(evidence.measurements))


def _judge_relative(
    verdict: ThresholdVerdict, evidence: _Evidence, judged: Metric, plan: Plan, seed: int
) -> ThresholdVerdict:
    runs = [_samples(run, judged) for run in evidence.baseline_runs]
    runs = [run for run in runs if run]
    flat = tuple(value for run in runs for value in run)
    verdict = replace(verdict, baseline_samples=flat, baseline=median(flat) if flat else None)
    # Without a single sample there is nothing to compare with, whatever the rule says.
    if len(flat) < max(plan.baseline.min_samples, 1):
        reason = no_baseline_reason(evidence.case, verdict, len(runs), plan.baseline.min_samples)
        return replace(verdict, outcome=Outcome.MISSING_BASELINE, reason=reason)
    confidence = verdict.threshold.confidence or DEFAULT_CONFIDENCE
    change = relative_change(verdict.samples, runs, confidence=confidence, seed=seed)
    verdict = replace(verdict, change=change.estimate)
    if change.low is None or change.high is None:
        return replace(verdict, reason=undefined_reason(evidence.case, verdict, change.why))
    interval = Interval(change.low, change.high, confidence)
    outcome = _held_against(interval, verdict.threshold)
    verdict = replace(verdict, change_interval=interval, outcome=outcome)
    return replace(verdict, reason=relative_reason(evidence.case, verdict))


def _held_against(interval: Interval, threshold: Threshold) -> Outcome:
    """Pass when all of the interval holds, fail when nothing of it does."""
    limit = threshold.limit
    best, worst = interval.low, interval.high
    if not limit.comparison.wants_low:
        best, worst = worst, best
    if limit.comparison.holds(worst, limit.value):
        return Outcome.PASS
    if limit.comparison.holds(best, limit.value):
        return Outcome.INCONCLUSIVE
    return Outcome.FAIL


def _tempered(verdict: ThresholdVerdict, repetitions: int) -> ThresholdVerdict:
    """A pass on part of the repetitions is none; a warn level never fails."""
    missing = repetitions - len(verdict.samples)
    if missing and verdict.outcome is Outcome.PASS:
        reason = partial_reason(verdict, missing, repetitions)
        return replace(verdict, outcome=Outcome.INCONCLUSIVE, reason=reason)
    return _by_level(verdict)


def _by_level(verdict: ThresholdVerdict) -> ThresholdVerdict:
    if verdict.outcome is Outcome.FAIL and verdict.threshold.level is Level.WARN:
        return replace(verdict, outcome=Outcome.WARN)
    return verdict


def _effect(verdict: ThresholdVerdict, plan: Plan) -> Outcome:
    """What a threshold's outcome means for the run, by the spec's policies."""
    policies = {
        Outcome.MISSING_BASELINE: plan.on_missing_baseline,
        Outcome.INCONCLUSIVE: plan.on_inconclusive,
    }
    if verdict.outcome not in policies:
        return verdict.outcome
    effect = _POLICY.get(policies[verdict.outcome], verdict.outcome)
    if effect is verdict.outcome and verdict.threshold.level is Level.WARN:
        return Outcome.WARN
    return effect


def _worst(outcomes: Iterable[Outcome]) -> Outcome:
    return min([Outcome.PASS, *outcomes], key=_WORST_FIRST.index)


def _samples(measurements: Iterable[Measurement], judged: Metric) -> tuple[float, ...]:
    """The finite values: what is missing, NaN or infinite was not measured."""
    values = (judged.extract(measurement) for measurement in measurements)
    return tuple(value for value in values if value is not None and math.isfinite(value))


def _observations(evidence: _Evidence, plan: Plan) -> Iterable[Observation]:
    baseline = [m for run in evidence.baseline_runs for m in run]
    for path in default_metrics(evidence.measurements, plan.metrics):
        judged = metric(path, plan.metrics)
        yield Observation(
            case_id=evidence.case.id,
            metric=path,
            unit=judged.unit,
            better=judged.better,
            samples=_samples(evidence.measurements, judged),
            baseline_samples=_samples(baseline, judged),
        )
