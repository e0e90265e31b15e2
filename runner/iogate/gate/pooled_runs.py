"""Pools against a history: what several metrics of several cases did together, run by run.

A run gives one number a repetition: the geometric mean of its members, each in relation to its
own level in the baseline and turned so that more is worse. It is judged as a metric is; the unit
stays the run. A run counts when it has every member.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from iogate.gate.evidence import Evidence, samples_of
from iogate.gate.history import Asked
from iogate.gate.pools import MEASURED, THIN, member_limit
from iogate.gate.sentences import TOO_FEW_MEMBERS, members_words, subject_of
from iogate.metrics import metric
from iogate.metrics.thin_quantiles import too_thin
from iogate.model.plan import Plan
from iogate.model.pool import FEWEST_MEMBERS, Pool, PoolMember
from iogate.model.reason import Reason
from iogate.model.segment import Segment
from iogate.model.verdict import MemberChange, Outcome, ThresholdVerdict
from iogate.stats.robust import median

Segments = Mapping[tuple[str, str], Segment]


@dataclass(frozen=True, slots=True)
class _Values:
    """A member's: ``now`` in this run, and in each of the baseline's ``runs``, newest first."""

    member: PoolMember
    now: tuple[float, ...]
    runs: Mapping[str, tuple[float, ...]]
    since_ns: int | None = None
    left_out: str = ""


def ask_pool(pool: Pool, evidence: Mapping[str, Evidence], plan: Plan, segments: Segments) -> Asked:
    """A pool as the history is asked about it. Without two members that have a value it has no
    samples, and its verdict says why."""
    every = [
        _values(member, pool, evidence[member.case_id], plan, segments) for member in pool.members
    ]
    kept = [each for each in every if not each.left_out]
    kept = kept if len(kept) >= FEWEST_MEMBERS else []
    runs = [run for run in kept[0].runs if all(run in each.runs for each in kept)] if kept else []
    levels = [_level(each, runs) for each in kept]
    now = _together([(each.now, each.member.better.worse) for each in kept], levels)
    changes = _changes(kept, levels) + tuple(
        MemberChange(each.member.case_id, each.member.metric, left_out=each.left_out)
        for each in every
        if each.left_out
    )
    draft = ThresholdVerdict(
        case_id=pool.id,
        threshold=pool.threshold,
        outcome=Outcome.INCONCLUSIVE,
        reason="",
        unit=MEASURED.unit,
        better=MEASURED.better,
        value=median(now) if now else None,
        samples=now,
        members=changes,
    )
    words = members_words(draft, plan.names)
    draft = draft.because(
        Reason(subject_of(pool, pool.threshold), "not judged", TOO_FEW_MEMBERS, words)
    )
    return Asked(
        pool, draft, tuple((run, _of_run(kept, run, levels)) for run in runs), _since(kept)
    )


def with_members(verdict: ThresholdVerdict, plan: Plan) -> ThresholdVerdict:
    """A verdict on a pool that tells of its members."""
    if verdict.reason_parts is None:
        return verdict
    return verdict.because(verdict.reason_parts.and_remark(*members_words(verdict, plan.names)))


def repetitions_of(evidence: Mapping[str, Evidence], verdict: ThresholdVerdict) -> int:
    """How many repetitions the members that count were measured in."""
    counting = {each.case_id for each in verdict.members if not each.left_out}
    return max((len(evidence[name].measurements) for name in counting), default=0)


def _values(
    member: PoolMember, pool: Pool, item: Evidence, plan: Plan, segments: Segments
) -> _Values:
    judged, segment = (
        metric(member.metric, plan.metrics),
        segments.get((member.case_id, member.metric)),
    )
    now = _positive(samples_of(item.measurements, judged))
    runs = {
        run: samples
        for run, measurements in item.baseline_runs
        if segment is None or run in segment.runs
        if (samples := _positive(samples_of(measurements, judged)))
    }
    values = _Values(member, now, runs, segment.since_ns if segment else None)
    limit = member_limit(member, pool).limit
    if item.has_too_few:
        return replace(values, left_out="too few undisturbed repetitions")
    if not now:
        return replace(values, left_out="no value")
    thin = too_thin(member.metric, item.measurements, limit, plan.metrics)
    return replace(values, left_out=THIN) if thin is not None else values


def _positive(samples: tuple[float, ...]) -> tuple[float, ...]:
    """Of the others there is no logarithm."""
    return samples if min(samples, default=0.0) > 0 else ()


def _level(values: _Values, runs: Sequence[str]) -> float:
    """The log of what a member was in the baseline; of what it is where there is none."""
    earlier = [median([math.log(value) for value in values.runs[run]]) for run in runs]
    return median(earlier or [math.log(value) for value in values.now])


def _together(
    members: Sequence[tuple[Sequence[float], float]], levels: Sequence[float]
) -> tuple[float, ...]:
    """The n-th repetition of each member as one number, as far as all of them have one."""
    count = min((len(samples) for samples, _ in members), default=0)
    means = (
        math.fsum(
            worse * (math.log(samples[n]) - level)
            for (samples, worse), level in zip(members, levels, strict=True)
        )
        / len(members)
        for n in range(count)
    )
    return tuple(math.exp(mean) for mean in means)


def _of_run(kept: Sequence[_Values], run: str, levels: Sequence[float]) -> tuple[float, ...]:
    return _together([(each.runs[run], each.member.better.worse) for each in kept], levels)


def _changes(kept: Sequence[_Values], levels: Sequence[float]) -> tuple[MemberChange, ...]:
    changes = []
    for each, level in zip(kept, levels, strict=True):
        moved = median([math.log(value) for value in each.now]) - level
        worse = each.member.better.worse * moved
        member = each.member
        changes.append(
            MemberChange(member.case_id, member.metric, math.expm1(moved), math.expm1(worse))
        )
    return tuple(sorted(changes, key=lambda each: -(each.worse or 0.0)))


def _since(kept: Sequence[_Values]) -> int | None:
    return max((each.since_ns for each in kept if each.since_ns is not None), default=None)
