"""Thresholds × samples → verdict. Pure: no clock, no files, the same seed the same verdict.

A sample is one repetition's value of a metric. An absolute limit is held against the samples
by counting (``iogate.gate.absolute``). In a comparison of two arms a limit ``vs baseline`` is
judged block by block (``iogate.gate.blocks``); elsewhere it is held against the history
(``iogate.gate.history``). A limit ``vs case`` is held against another case of the run
(``iogate.gate.beside``).

``baseline.min_samples`` counts samples, that is repetitions, over all baseline runs: two
runs of three repetitions are six. Only baseline repetitions of the same engine count.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from iogate import exits
from iogate.gate.absolute import judge_absolute
from iogate.gate.arm_runs import mean_of, several
from iogate.gate.beside import Beside, finder, judge_beside
from iogate.gate.blocks import stand
from iogate.gate.cautions import caution
from iogate.gate.comparison import compared_verdict
from iogate.gate.disturbed import (
    again_remark,
    disturbed_remark,
    too_few_reason,
    unknown_reason,
    with_spoiled_blocks,
)
from iogate.gate.evidence import Evidence, each_of, evidence_of, samples_in_full, samples_of
from iogate.gate.faults import OWN_LIMIT, judge_faults
from iogate.gate.history import Asked, judge_history
from iogate.gate.pooled_runs import ask_pool, repetitions_of, with_members
from iogate.gate.sentences import (
    absolute_reason,
    no_value_reason,
    run_reason,
    thin_reason,
)
from iogate.metrics import KERNEL_ERRORS, Metric, counts_faults, default_metrics, metric
from iogate.metrics.thin_quantiles import too_thin
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.run import CaseFailure, Run
from iogate.model.segment import Segment
from iogate.model.spec import Level, OnMissingBaseline, Threshold
from iogate.model.verdict import (
    WORST_FIRST,
    Observation,
    Outcome,
    RunVerdict,
    ThresholdVerdict,
)
from iogate.stats.robust import median

_POLICY = {OnMissingBaseline.PASS: Outcome.PASS, OnMissingBaseline.WARN: Outcome.WARN}


def judge(
    plan: Plan,
    measurements: Sequence[Measurement],
    failures: Sequence[CaseFailure],
    baseline: Sequence[Run],
    *,
    segments: Mapping[tuple[str, str], Segment] | None = None,
    why_fewer: Sequence[str] = (),
    seed: int = 0,
) -> RunVerdict:
    """The verdict on a run. ``baseline`` holds the accepted runs to compare with, newest first;
    where ``segments`` has a case (by its id) and metric, only the runs named there.
    ``why_fewer`` is what a limit with too few of them says of how they were looked for.

    A repetition that failed, or a case without any, makes the exit code 4 and the outcome
    inconclusive at best: such a run never passes. One that was measured again as its own disk
    failed is judged by the limits on faults alone. Repetitions that were disturbed are not
    judged, but for their faults; where they leave too few, the limits of the case are
    inconclusive, and so is a run where they leave nothing of a case without limits, or in a
    canary fewer blocks of it than show any noise.
    """
    evidence = [evidence_of(case, plan, measurements, failures, baseline) for case in plan.cases]
    judged = _compared(plan, measurements) or _held_to_history(
        evidence, plan, segments or {}, why_fewer, seed
    )
    judged |= _beside(evidence, plan)
    of_cases = (
        verdict
        for item in evidence
        for verdict in (*_judged(item, judged, plan), *_own_limit(item, plan))
    )
    thresholds = (*of_cases, *(judged[pool.id, n] for n, pool in enumerate(plan.pools)))
    failed = _failed_cases(evidence, failures)
    limits = _worst(_effect(verdict, plan) for verdict in thresholds)
    unknown = [e.case for e in evidence if e.is_unknown]
    outcome = _worst([limits, Outcome.INCONCLUSIVE]) if failed or unknown else limits
    verdict = RunVerdict(
        outcome=outcome,
        exit_code=int(exits.judged(limits, outcome, plan.on_inconclusive, failed=bool(failed))),
        sentence="",
        thresholds=thresholds,
        observations=tuple(
            o for item in evidence for o in _observations(item, plan, segments or {})
        ),
        failed_cases=failed,
        cautions=tuple(text for item in evidence for text in _cautions(item, plan, thresholds)),
    )
    reason = run_reason(plan, outcome, thresholds, failed, failures)
    told = verdict.because(reason).sentence
    remark = disturbed_remark(plan, measurements, thresholds, told)
    if unknown and outcome is not limits and not failed:
        reason, remark = unknown_reason(plan, unknown, measurements), ""
    return verdict.because(reason.and_remark(remark, again_remark(plan, failures)))


def _judged(
    item: Evidence, judged: Mapping[tuple[str, int], ThresholdVerdict], plan: Plan
) -> Iterable[ThresholdVerdict]:
    for place, threshold in enumerate(item.case.thresholds):
        verdict = judged.get((item.case.id, place)) or _judge_alone(item, threshold, plan)
        yield _spoiled(item, verdict, plan)


def _own_limit(item: Evidence, plan: Plan) -> Iterable[ThresholdVerdict]:
    """iogate's own limit on what the kernel tells of the target, where the case has none on
    that. It is only told of where it is broken, as it hardly ever is."""
    if any(threshold.metric == KERNEL_ERRORS for threshold in item.case.thresholds):
        return
    verdict = _judge_alone(item, OWN_LIMIT, plan)
    if verdict.outcome is Outcome.FAIL:
        yield verdict


def _compared(
    plan: Plan, measurements: Sequence[Measurement]
) -> dict[tuple[str, int], ThresholdVerdict]:
    """In a comparison, the verdicts on relative limits, by case and place in the case."""
    if plan.comparison is None:
        return {}
    verdicts = {}
    for standing in stand(plan, measurements):
        verdict = compared_verdict(standing, plan.comparison)
        verdict = with_spoiled_blocks(standing, verdict, measurements)
        verdicts[standing.pairs.case.id, standing.pairs.place] = _by_level(verdict)
    return verdicts


def _beside(evidence: Sequence[Evidence], plan: Plan) -> dict[tuple[str, int], ThresholdVerdict]:
    """The verdicts on limits ``vs case``, by case and place in the case."""
    find = finder(evidence)
    asked = {
        (item.case.id, place): Beside(
            item, _draft(item, threshold, plan), find(item.case, threshold.limit.case)
        )
        for item in evidence
        for place, threshold in enumerate(item.case.thresholds)
        if threshold.limit.case
    }
    verdicts = zip(asked.items(), judge_beside(list(asked.values()), plan), strict=True)
    return {
        place: _tempered(verdict, question.item.runs) for (place, question), verdict in verdicts
    }


def _spoiled(item: Evidence, verdict: ThresholdVerdict, plan: Plan) -> ThresholdVerdict:
    """Nothing is said on fewer repetitions than the spec asks for. Blocks are counted where they
    are compared; a count of faults is no timing, and is judged on all repetitions."""
    if verdict.blocks or not item.has_too_few or _is_count(verdict.threshold, plan):
        return verdict
    reason = too_few_reason(plan, item.case, verdict.threshold, item.faults.measured)
    return verdict.because(reason, outcome=Outcome.INCONCLUSIVE)


def _cautions(item: Evidence, plan: Plan, verdicts: Iterable[ThresholdVerdict]) -> Iterable[str]:
    """What is to be told of the repetitions that something disturbed, for each limit."""
    base = plan.comparison.base.name if plan.comparison else None
    spoiled = [m for m in item.disturbed if m.disturbed and (base is None or m.arm != base)]
    for verdict in verdicts if spoiled else ():
        if verdict.case_id != item.case.id or _is_count(verdict.threshold, plan):
            continue
        values = each_of(spoiled, metric(verdict.threshold.metric, plan.metrics))
        if text := caution(plan, item.case, verdict, values):
            yield text


def _failed_cases(evidence: Sequence[Evidence], failures: Sequence[CaseFailure]) -> tuple[str, ...]:
    broken = {failure.case_id for failure in failures if not failure.again}
    return tuple(
        e.case.id for e in evidence if e.case.id in broken or not (e.measurements or e.disturbed)
    )


def _held_to_history(
    evidence: Sequence[Evidence],
    plan: Plan,
    segments: Mapping[tuple[str, str], Segment],
    why_fewer: Sequence[str],
    seed: int,
) -> dict[tuple[str, int], ThresholdVerdict]:
    """The verdicts on relative limits that have a value, by case and place in the case. One on
    a quantile of too few I/Os stays inconclusive, and is not compared."""
    places, asked = [], []
    judged = {}
    for item in evidence:
        for place, threshold in enumerate(item.case.thresholds):
            draft = _draft(item, threshold, plan)
            if not threshold.limit.vs_baseline or not draft.samples:
                continue
            thin = too_thin(threshold.metric, item.measurements, threshold.limit, plan.metrics)
            if thin is not None:
                reason = thin_reason(item.case, threshold, thin)
                judged[item.case.id, place] = draft.because(reason)
                continue
            places.append((item, place))
            segment = segments.get((item.case.id, threshold.metric))
            asked.append(_asked(item, draft, metric(threshold.metric, plan.metrics), segment))
    by_case = {item.case.id: item for item in evidence}
    pools = [ask_pool(pool, by_case, plan, segments) for pool in plan.pools]
    asked += [question for question in pools if question.verdict.samples]
    least = plan.baseline.min_samples
    verdicts = judge_history(asked, min_samples=least, why_fewer=why_fewer, seed=seed)
    for (item, place), verdict in zip(places, verdicts, strict=False):
        judged[item.case.id, place] = _tempered(verdict, item.runs)
    together = iter(verdicts[len(places) :])
    for place, (pool, question) in enumerate(zip(plan.pools, pools, strict=True)):
        verdict = question.verdict
        if verdict.samples:
            n = repetitions_of(by_case, verdict)
            verdict = with_members(_tempered(next(together), n), plan)
        judged[pool.id, place] = verdict
    return judged


def _asked(
    item: Evidence, draft: ThresholdVerdict, judged: Metric, segment: Segment | None
) -> Asked:
    runs = [
        (run, samples_of(measurements, judged))
        for run, measurements in item.baseline_runs
        if segment is None or run in segment.runs
    ]
    return Asked(
        item.case,
        draft,
        tuple((run, samples) for run, samples in runs if samples),
        segment.since_ns if segment else None,
    )


def _draft(item: Evidence, threshold: Threshold, plan: Plan) -> ThresholdVerdict:
    """What was measured, not yet held against anything."""
    judged = metric(threshold.metric, plan.metrics)
    in_full = samples_in_full(item.measurements, judged)
    samples = tuple(map(mean_of, in_full))
    looked_at = item.faults.measured if _is_count(threshold, plan) else item.measurements
    draft = ThresholdVerdict(
        case_id=item.case.id,
        threshold=threshold,
        outcome=Outcome.INCONCLUSIVE,
        reason="",
        unit=judged.unit,
        better=judged.better,
        value=median(samples) if samples else None,
        samples=samples,
        repetitions=several(in_full),
    )
    return draft.because(no_value_reason(item.case, threshold, len(looked_at)))


def _judge_alone(item: Evidence, threshold: Threshold, plan: Plan) -> ThresholdVerdict:
    """An absolute limit, or one without a value."""
    verdict = _draft(item, threshold, plan)
    if _is_count(threshold, plan):
        return _by_level(judge_faults(verdict, item.case, item.faults))
    if not verdict.samples:
        return verdict
    verdict = judge_absolute(verdict, item.case.repetitions)
    verdict = verdict.because(absolute_reason(item.case, verdict))
    return _tempered(verdict, item.runs)


def _is_count(threshold: Threshold, plan: Plan) -> bool:
    """Whether it is a limit on a count of faults, not on how that changed."""
    return not threshold.limit.relative and counts_faults(threshold.metric, plan.metrics)


def _tempered(verdict: ThresholdVerdict, repetitions: int) -> ThresholdVerdict:
    """A pass on part of the repetitions is none; a warn level never fails."""
    missing = repetitions - len(verdict.samples)
    if missing and verdict.outcome is Outcome.PASS and verdict.reason_parts:
        what = "boots" if verdict.repetitions else "repetitions"
        remark = f"but {missing} of {repetitions} {what} gave no finite value"
        reason = verdict.reason_parts.and_remark(remark)
        return verdict.because(reason, outcome=Outcome.INCONCLUSIVE)
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
    return min([Outcome.PASS, *outcomes], key=WORST_FIRST.index)


def _observations(
    evidence: Evidence, plan: Plan, segments: Mapping[tuple[str, str], Segment]
) -> Iterable[Observation]:
    # Where nothing counts, what was disturbed is shown all the same.
    for path in default_metrics(evidence.measurements or evidence.disturbed, plan.metrics):
        judged = metric(path, plan.metrics)
        segment = segments.get((evidence.case.id, path))
        in_run_order = reversed(evidence.baseline_runs)
        baseline = [
            m
            for run, measurements in in_run_order
            if segment is None or run in segment.runs
            for m in measurements
        ]
        yield Observation(
            case_id=evidence.case.id,
            metric=path,
            unit=judged.unit,
            better=judged.better,
            samples=samples_of(evidence.measurements, judged),
            baseline_samples=samples_of(baseline, judged),
            disturbed=each_of(evidence.disturbed, judged),
        )
