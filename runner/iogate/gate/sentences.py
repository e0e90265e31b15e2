"""The gate's sentences, for people: what is how much, and what it is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from iogate.gate.absolute import is_within_noise, level_of
from iogate.metrics.faults import KERNEL_ERRORS
from iogate.metrics.thin_quantiles import allowed_error
from iogate.model.plan import Case, Plan
from iogate.model.pool import Pool
from iogate.model.reason import Reason
from iogate.model.run import CaseFailure
from iogate.model.spec import Limit, Repetitions, Threshold
from iogate.model.units import (
    Unit,
    format_change,
    format_change_from,
    format_percent,
    format_value,
    two_digits,
)
from iogate.model.verdict import (
    WORST_FIRST,
    Interval,
    MemberChange,
    Outcome,
    RunReason,
    ThresholdVerdict,
)
from iogate.stats.signtest import runs_needed, runs_that_decide

TOO_FEW_MEMBERS = "fewer than two of its members can be compared"
_MEMBERS_TOLD = 3
_LOOKS_EQUAL = 0.005


def absolute_reason(case: Case, verdict: ThresholdVerdict) -> Reason:
    """``write.clat.p99 of oltp/bs=4k is 3.1 ms, limit < 2ms (median of 3 repetitions)``."""
    counted = f"{_median_of(verdict)}{_counted(verdict, case.repetitions)}"
    return Reason(
        subject_of(case, verdict.threshold),
        f"{_value(verdict)}, {_limit(verdict)} ({counted})",
        remarks=_near(verdict),
    )


def fault_reason(case: Case, verdict: ThresholdVerdict, repetition: str, told: str) -> Reason:
    """``errors of oltp is 3, limit < 1 (repetition 2); it failed``. A count of faults is that
    of the worst repetition."""
    n = len(verdict.samples)
    where = f"the worst of {n} repetitions" if n > 1 else "one repetition"
    if verdict.outcome is Outcome.FAIL:
        where = repetition
    detail = f"{_value(verdict)}, {_limit(verdict)} ({where})"
    return Reason(subject_of(case, verdict.threshold), detail).and_remark(told)


def _counted(verdict: ThresholdVerdict, planned: Repetitions) -> str:
    """How many repetitions keep the limit, where that was what decided."""
    n, limit = len(verdict.samples), verdict.threshold.limit
    kept = sum(limit.comparison.holds(value, limit.value) for value in verdict.samples)
    text = f", {kept} of {n} within the limit"
    if verdict.point and verdict.outcome is Outcome.INCONCLUSIVE:
        return f"{text}, too few to decide: raise repetitions"
    if verdict.point:
        return ", too few for 95 % confidence" if n > 1 else ""
    level = level_of(verdict.threshold, planned)
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return text
    if level <= 0:
        return f"{text}, too few to decide at this confidence: raise repetitions.max"
    needed = runs_that_decide(n, level)
    if needed is None:
        return f"{text}, at least {runs_needed(level)} {_unit(verdict)}s are needed to decide"
    return f"{text}, a decision needs {needed} on one side"


def _near(verdict: ThresholdVerdict) -> tuple[str, ...]:
    if not is_within_noise(verdict) or verdict.headroom is None:
        return ()
    return (
        f"the limit is within noise: {abs(verdict.headroom):.1f} sd of a {_unit(verdict)} away",
    )


def relative_reason(case: Case | Pool, verdict: ThresholdVerdict, doubt: str) -> Reason:
    """``… is 1.2 ms, +9.1 % from the baseline's 1.1 ms (95 % interval …), limit …``. ``doubt`` is
    why a change beyond the limit is no fail."""
    interval = verdict.change_interval
    assert interval is not None
    low, high = format_change(interval.low), format_change(interval.high)
    reason = Reason(
        subject_of(case, verdict.threshold),
        f"{_compared(verdict)} ({_percent(interval)} interval {low} … {high}), {_limit(verdict)}",
        why=_unsettled(verdict, doubt) if verdict.outcome is Outcome.INCONCLUSIVE else "",
    )
    if not verdict.point:
        return reason
    few = _count(verdict.baseline_runs, "run")
    return reason.and_remark(f"{few} in the baseline: too few to know how much runs vary")


def _unsettled(verdict: ThresholdVerdict, doubt: str) -> str:
    """Why a change is neither a fail nor a pass."""
    limit = verdict.threshold.limit
    if verdict.change is None or limit.comparison.holds(verdict.change, limit.value):
        return "within the limit, but the interval reaches past it"
    return f"beyond the limit, but {doubt}; run iogate ab"


def undefined_reason(case: Case | Pool, verdict: ThresholdVerdict, why: str) -> Reason:
    """A baseline is there, but the numbers allow no interval."""
    detail = f"{_compared(verdict)}, {_limit(verdict)}, cannot be judged"
    reason = Reason(subject_of(case, verdict.threshold), detail, why)
    more = len(verdict.samples) < 2
    return reason.and_remark("set repetitions to 3 or more" if more else "")


def thin_reason(case: Case | Pool, threshold: Threshold, thin: float) -> Reason:
    """The I/Os of a run do not tell the quantile well enough for the limit."""
    return Reason(
        subject_of(case, threshold),
        "too few I/Os to compare",
        percentile_words(threshold, thin),
        ("run longer, or set a wider limit, or one on a lower percentile",),
        verb="has",
    )


def percentile_words(threshold: Threshold, thin: float) -> str:
    """Why a quantile with this relative standard error has too few I/Os."""
    known = f"to ±{two_digits(thin * 100)} %"
    told = "not at all" if thin == float("inf") else f"only {known}"
    most = f"{two_digits(allowed_error(threshold.limit) * 100)} %"
    return f"the I/Os of a run tell the percentile {told}, and {most} is a quarter of the limit"


def no_baseline_reason(
    case: Case | Pool,
    verdict: ThresholdVerdict,
    runs: int,
    min_samples: int,
    why_fewer: Sequence[str],
) -> Reason:
    """Too few samples to compare with, and what is known of why."""
    samples = len(verdict.baseline_samples)
    have = f"only {_count(samples, 'sample')} in {_count(runs, 'run')}" if samples else "no samples"
    since = f" since its level changed on {_day(verdict.baseline_since_ns)}"
    wanted = (
        f"{have} to compare with{since if verdict.baseline_since_ns is not None else ''},"
        f" {max(min_samples, 1)} needed (baseline.min_samples)"
    )
    subject = subject_of(case, verdict.threshold)
    return Reason(subject, _value(verdict), remarks=(wanted, *why_fewer))


def _day(time_ns: int | None) -> str:
    return f"{datetime.fromtimestamp((time_ns or 0) / 1e9, tz=UTC):%Y-%m-%d}"


def no_value_reason(case: Case, threshold: Threshold, repetitions: int) -> Reason:
    """Nothing was measured that the limit could be held against."""
    subject = subject_of(case, threshold)
    if not repetitions:
        why = "no repetition of the case succeeded"
        return Reason(subject, "not measured", why, verb="was")
    where = "its one repetition" if repetitions == 1 else f"any of {repetitions} repetitions"
    return Reason(subject, f"no value in {where}", _why_no_value(case, threshold), verb="has")


def _why_no_value(case: Case, threshold: Threshold) -> str:
    if threshold.metric == KERNEL_ERRORS:
        return "the log of the kernel could not be read"
    if case.command is None:
        return "the case does no such I/O, or the engine does not measure it"
    own = next((each for each in case.command.metrics if each.name == threshold.metric), None)
    if own is not None:
        return f"no line that {case.command.argv[0]} printed matches {own.pattern!r}"
    return "it is not measured of a command, or the command did not print what it is made of"


def run_reason(
    plan: Plan,
    outcome: Outcome,
    thresholds: Sequence[ThresholdVerdict],
    failed: Sequence[str],
    failures: Sequence[CaseFailure],
) -> RunReason:
    """Why a run ended as it did. Of one that failed, only limits that did so too are told."""
    broken = (_failure(plan, failed, failures),) if failed else ()
    if broken and outcome is not Outcome.FAIL:
        return RunReason(outcome, broken=broken)
    return replace(_limits_reason(plan, outcome, thresholds), broken=broken)


def _limits_reason(
    plan: Plan, outcome: Outcome, thresholds: Sequence[ThresholdVerdict]
) -> RunReason:
    total = len(thresholds)
    if not total:
        cases = _count(len(plan.cases), "case")
        return RunReason(outcome, f"{cases} measured, no limits to judge")
    causes = _causes(outcome, thresholds)
    if causes:
        of = f"{len(causes)} of {_count(total, 'limit')}"
        return RunReason(outcome, of, decided_by=causes[0], more=len(causes) - 1)
    passed = sum(verdict.outcome is Outcome.PASS for verdict in thresholds)
    if passed == total:
        every = f"all {total} limits hold" if total > 1 else "the only limit holds"
        return RunReason(outcome, every + _as_points(thresholds))
    held = f"{passed} of {_count(total, 'limit')} hold, the others could not be judged"
    if not passed:
        held = f"none of {total} limits could be" if total > 1 else "the only limit could not be"
        held += " judged"
    return RunReason(outcome, held)


def _as_points(thresholds: Sequence[ThresholdVerdict]) -> str:
    """How many of them hold without any confidence."""
    points = sum(verdict.point for verdict in thresholds)
    if not points:
        return ""
    which = "" if len(thresholds) == 1 else "all " if points == len(thresholds) else f"{points} "
    return f", {which}by a point estimate"


def _causes(outcome: Outcome, thresholds: Sequence[ThresholdVerdict]) -> list[int]:
    """The places of the verdicts behind a run's outcome, the worst first, and of those the
    furthest past its limit; a warning may stand for one that was not judged."""
    if outcome is Outcome.PASS:
        return []
    causes = [n for n, verdict in enumerate(thresholds) if verdict.outcome is outcome]
    if not causes and outcome is Outcome.WARN:
        causes = [
            n for n, threshold in enumerate(thresholds) if threshold.outcome is not Outcome.PASS
        ]
    return sorted(causes, key=lambda n: _badness(thresholds[n]))


def _badness(verdict: ThresholdVerdict) -> tuple[int, float]:
    return WORST_FIRST.index(verdict.outcome), -verdict.excess


def _failure(plan: Plan, failed: Sequence[str], failures: Sequence[CaseFailure]) -> str:
    names = {case.id: case.name for case in plan.cases}
    final = [failure for failure in failures if not failure.again]
    if final:
        first = final[0]
        name = names.get(first.case_id, first.case_id)
        more = f" (and {len(final) - 1} more)" if len(final) > 1 else ""
        n = first.repetition
        rule = plan.comparison
        which = rule.place_of(n).in_block if rule else f"repetition {n}"
        return f"{which} of {name}: {first.reason}{more}"
    return f"{names[failed[0]]} was not measured ({len(failed)} of {_count(len(names), 'case')})"


def members_words(verdict: ThresholdVerdict, names: Mapping[str, str]) -> tuple[str, ...]:
    """Which members of a pool got worse the most, unless it passes, and which do not count.
    ``names`` are those of the cases, by id."""
    counting = [each for each in verdict.members if not each.left_out]
    moved = [each for each in counting if (each.worse or 0.0) > 0][:_MEMBERS_TOLD]
    words = []
    if moved and verdict.outcome is not Outcome.PASS:
        told = ", ".join(f"{_member(each, names)} {format_change(each.change)}" for each in moved)
        words.append(f"of {len(counting)} members these got worse the most: {told}")
    out = [each for each in verdict.members if each.left_out]
    if out:
        told = ", ".join(
            f"{_member(each, names)} ({each.left_out})" for each in out[:_MEMBERS_TOLD]
        )
        more = f" and {len(out) - _MEMBERS_TOLD} more" if len(out) > _MEMBERS_TOLD else ""
        words.append(f"{len(out)} of {len(verdict.members)} members left out: {told}{more}")
    return tuple(words)


def _member(member: MemberChange, names: Mapping[str, str]) -> str:
    return f"{member.metric} of {names.get(member.case_id, member.case_id)}"


def subject_of(case: Case | Pool, threshold: Threshold) -> str:
    """``write.iops of oltp/bs=4k``: what every sentence on a limit begins with."""
    if isinstance(case, Pool):
        return f"the pooled change of {case.name}"
    return f"{threshold.metric} of {case.name}"


def _compared(verdict: ThresholdVerdict) -> str:
    base = format_value(verdict.baseline, verdict.unit)
    value = format_value(verdict.value, verdict.unit)
    change = format_change_from(verdict.change) if verdict.change is not None else "against"
    return f"{value}, {change} the baseline's {base}"


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
        return f"vs baseline {limit.comparison.value} {format_percent(limit.value)}"
    return f"{limit.comparison.value} {format_value(limit.value, unit)}"


def _median_of(verdict: ThresholdVerdict) -> str:
    n, unit = len(verdict.samples), _unit(verdict)
    return f"median of {n} {unit}s" if n > 1 else f"one {unit}"


def _unit(verdict: ThresholdVerdict) -> str:
    """What a sample is of."""
    return "boot" if verdict.repetitions else "repetition"


def _percent(interval: Interval) -> str:
    return f"{interval.confidence * 100:g} %"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
