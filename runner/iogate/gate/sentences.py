"""The gate's sentences, for people: what is how much, and what it is held against."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

from iogate.gate.absolute import is_coin, level_of
from iogate.metrics.thin import LEAST_IOS_BEYOND
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure
from iogate.model.spec import Limit, Repetitions, Threshold
from iogate.model.units import Unit, format_change, format_value
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate.stats.signtest import runs_needed, runs_that_decide

_LOOKS_EQUAL = 0.005


def absolute_reason(case: Case, verdict: ThresholdVerdict) -> str:
    """``write.clat.p99 of oltp/bs=4k is 3.1 ms, limit < 2ms (median of 3 repetitions)``."""
    head = f"{_subject(case, verdict.threshold)} is {_value(verdict)}, {_limit(verdict)}"
    counted = _counted(verdict, case.repetitions)
    return f"{head} ({_median_of(len(verdict.samples))}{counted}){_coin(verdict)}"


def fault_reason(case: Case, verdict: ThresholdVerdict, repetition: str, told: str) -> str:
    """``errors of oltp is 3, limit < 1 (repetition 2); it failed``. A count of faults is that
    of the worst repetition."""
    head = f"{_subject(case, verdict.threshold)} is {_value(verdict)}, {_limit(verdict)}"
    if verdict.outcome is Outcome.FAIL:
        return f"{head} ({repetition}){f'; {told}' if told else ''}"
    n = len(verdict.samples)
    return f"{head} ({f'the worst of {n} repetitions' if n > 1 else 'one repetition'})"


def _counted(verdict: ThresholdVerdict, planned: Repetitions) -> str:
    """How many repetitions keep the limit, where that was what decided."""
    n, limit = len(verdict.samples), verdict.threshold.limit
    if verdict.point:
        return ", too few for a confidence" if n > 1 else ""
    level = level_of(verdict.threshold, planned)
    kept = sum(limit.comparison.holds(value, limit.value) for value in verdict.samples)
    text = f", {kept} of {n} keep the limit"
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return text
    if level <= 0:
        return f"{text}, so few cannot decide at this confidence: raise repetitions.max"
    needed = runs_that_decide(n, level)
    if needed is None:
        return f"{text}, {runs_needed(level)} repetitions are the least that can decide"
    return f"{text}, {needed} on one side would decide"


def _coin(verdict: ThresholdVerdict) -> str:
    if not is_coin(verdict) or verdict.headroom is None:
        return ""
    return f"; this limit is a coin: {abs(verdict.headroom):.1f} sd of a repetition away"


def relative_reason(case: Case, verdict: ThresholdVerdict) -> str:
    """``… is 1.2 ms, +9.1 % from the baseline's 1.1 ms (95 % interval …), limit …``."""
    interval = verdict.change_interval
    assert interval is not None
    low, high = format_change(interval.low), format_change(interval.high)
    text = (
        f"{_compared(case, verdict)} ({_percent(interval)} interval {low} … {high}),"
        f" {_limit(verdict)}"
    )
    if verdict.outcome is Outcome.INCONCLUSIVE:
        text += f": {_unsettled(verdict)}"
    if verdict.point:
        few = _count(verdict.baseline_runs, "run")
        text += f"; {few} to compare with cannot tell how runs differ"
    return text


def _unsettled(verdict: ThresholdVerdict) -> str:
    """Why a change is neither a fail nor a pass."""
    limit = verdict.threshold.limit
    if verdict.change is None or limit.comparison.holds(verdict.change, limit.value):
        return "within the limit, but not certainly so"
    return "beyond the limit, but chance is not excluded; iogate ab would tell"


def undefined_reason(case: Case, verdict: ThresholdVerdict, why: str) -> str:
    """A baseline is there, but the numbers allow no interval."""
    text = f"{_compared(case, verdict)}, {_limit(verdict)}, cannot be judged: {why}"
    if len(verdict.samples) < 2:
        text += "; set repetitions to 3 or more"
    return text


def thin_reason(case: Case, threshold: Threshold, thin: float) -> str:
    """The quantile has too few I/Os beyond it."""
    return (
        f"{_subject(case, threshold)} is too thin to compare: a run has only {thin:.0f} I/Os beyond"
        f" the quantile, {LEAST_IOS_BEYOND} are needed; run longer or judge a lower percentile"
    )


def no_baseline_reason(
    case: Case, verdict: ThresholdVerdict, runs: int, min_samples: int, why_fewer: Sequence[str]
) -> str:
    """Too few samples to compare with, and what is known of why."""
    found = len(verdict.baseline_samples)
    have = f"only {_count(found, 'sample')} in {_count(runs, 'run')}" if found else "no samples"
    since = f" since its level changed on {_day(verdict.baseline_since_ns)}"
    return (
        f"{_subject(case, verdict.threshold)} is {_value(verdict)}; {have} to compare with"
        f"{since if verdict.baseline_since_ns is not None else ''},"
        f" {max(min_samples, 1)} needed (baseline.min_samples)"
        f"{''.join(f'; {why}' for why in why_fewer)}"
    )


def _day(time_ns: int | None) -> str:
    return f"{datetime.fromtimestamp((time_ns or 0) / 1e9, tz=UTC):%Y-%m-%d}"


def no_value_reason(case: Case, threshold: Threshold, repetitions: int) -> str:
    """Nothing was measured that the limit could be held against."""
    subject = _subject(case, threshold)
    if not repetitions:
        return f"{subject} was not measured: no repetition of the case succeeded"
    where = "its one repetition" if repetitions == 1 else f"any of {repetitions} repetitions"
    return (
        f"{subject} has no value in {where}: the case does no"
        " such I/O, or the engine does not measure it"
    )


def partial_reason(verdict: ThresholdVerdict, missing: int, repetitions: int) -> str:
    """Within its limit, but on a part of the repetitions only."""
    return f"{verdict.reason}; but {missing} of {repetitions} repetitions gave no finite value"


def run_sentence(
    plan: Plan,
    outcome: Outcome,
    thresholds: Sequence[ThresholdVerdict],
    failed: Sequence[str],
    failures: Sequence[CaseFailure],
) -> str:
    """One sentence for the whole run that names the cause."""
    sentence = f"{outcome.value}: {_cause(plan, outcome, thresholds)}"
    if not failed:
        return sentence
    broken = f"run failed: {_failure(plan, failed, failures)}"
    return f"{broken}; {sentence}" if outcome is Outcome.FAIL else broken


def _cause(plan: Plan, outcome: Outcome, thresholds: Sequence[ThresholdVerdict]) -> str:
    total = len(thresholds)
    if not total:
        return f"{_count(len(plan.cases), 'case')} measured, no thresholds to hold them to"
    causes = _causes(outcome, thresholds)
    if causes:
        more = f" (and {len(causes) - 1} more)" if len(causes) > 1 else ""
        return f"{len(causes)} of {_count(total, 'threshold')}: {causes[0].reason}{more}"
    passed = sum(verdict.outcome is Outcome.PASS for verdict in thresholds)
    if passed == total:
        return f"all {total} thresholds hold" if total > 1 else "the only threshold holds"
    return f"{passed} of {_count(total, 'threshold')} hold, the others could not be judged"


def _causes(outcome: Outcome, thresholds: Sequence[ThresholdVerdict]) -> list[ThresholdVerdict]:
    """The verdicts behind a run's outcome; a warning may stand for one that was not judged."""
    causes = [verdict for verdict in thresholds if verdict.outcome is outcome]
    if causes or outcome is not Outcome.WARN:
        return causes if outcome is not Outcome.PASS else []
    return [verdict for verdict in thresholds if verdict.outcome is not Outcome.PASS]


def _failure(plan: Plan, failed: Sequence[str], failures: Sequence[CaseFailure]) -> str:
    names = {case.id: case.name for case in plan.cases}
    final = [failure for failure in failures if not failure.again]
    if final:
        first = final[0]
        name = names.get(first.case_id, first.case_id)
        more = f" (and {len(final) - 1} more)" if len(final) > 1 else ""
        n = first.repetition
        rule = plan.comparison
        which = f"block {rule.place_of(n).block}" if rule else f"repetition {n}"
        return f"{which} of {name}: {first.reason}{more}"
    return f"{names[failed[0]]} was not measured ({len(failed)} of {_count(len(names), 'case')})"


def _subject(case: Case, threshold: Threshold) -> str:
    return f"{threshold.metric} of {case.name}"


def _compared(case: Case, verdict: ThresholdVerdict) -> str:
    base = format_value(verdict.baseline, verdict.unit)
    value = format_value(verdict.value, verdict.unit)
    change = f"{format_change(verdict.change)} from" if verdict.change is not None else "against"
    return f"{_subject(case, verdict.threshold)} is {value}, {change} the baseline's {base}"


def _value(verdict: ThresholdVerdict) -> str:
    """Three digits, or all where three would look as if the value were the limit."""
    value, limit = verdict.value, verdict.threshold.limit
    if value is None or limit.relative or value == limit.value:
        return format_value(value, verdict.unit)
    if abs(value - limit.value) > _LOOKS_EQUAL * abs(limit.value):
        return format_value(value, verdict.unit)
    return f"{value:.12g}" + ("" if verdict.unit is Unit.COUNT else f" {verdict.unit.value}")


def _limit(verdict: ThresholdVerdict) -> str:
    limit = verdict.threshold.limit
    return f"limit {limit.text.strip() or _limit_text(limit, verdict.unit)}"


def _limit_text(limit: Limit, unit: Unit) -> str:
    if limit.relative:
        return f"vs baseline {limit.comparison.value} {format_change(limit.value)}"
    return f"{limit.comparison.value} {format_value(limit.value, unit)}"


def _median_of(samples: int) -> str:
    return f"median of {samples} repetitions" if samples > 1 else "one repetition"


def _percent(interval: Interval) -> str:
    return f"{interval.confidence * 100:g} %"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
