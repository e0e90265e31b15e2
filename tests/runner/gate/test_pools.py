"""Metrics of cases that are judged together: against another arm, and against a history."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.gate.blocks import open_cases, stand
from iogate.gate.history import RUNS_NEEDED
from iogate.gate.judge import judge
from iogate.model.comparison import Arm, Comparison
from iogate.model.document import run_from_document, to_document
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.plan import Case, Plan
from iogate.model.pool import Pool, PoolMember, pool_id
from iogate.model.run import CaseFailure, Run
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Level, Limit, Threshold
from iogate.model.units import Better
from iogate.model.verdict import Ground, Outcome, RunVerdict, ThresholdVerdict
from iogate.run.blocks import Progress, _still_open
from support import samples as s

WIDE = s.threshold(comparison=Compare.GREATER, value=-0.30, relative=True)
HOGS = Disturbance("cpu", 0.61, 0.1, "", "other processes used 61 % of the engine's CPUs")
ARMS = Comparison(Arm("base"), Arm("candidate"), seed=1)


def pool_of(cases: Sequence[Case], limit: float, metric: str = "write.iops") -> Pool:
    better = Better.HIGH if metric == "write.iops" else Better.LOW
    members = tuple(PoolMember(case.id, metric, better) for case in cases)
    text = f"vs baseline < {limit:+.1%}"
    threshold = Threshold("pooled", Limit(Compare.LESS, limit, relative=True, text=text))
    return Pool(pool_id(members), "oltp", threshold, members, "oltp")


def plan_of(count: int, limit: float, *limits: Threshold, metric: str = "write.iops") -> Plan:
    cases = tuple(s.case(*limits, id=f"{n:016x}", name=f"oltp/{n}") for n in range(count))
    return replace(s.plan(*cases), pools=(pool_of(cases, limit, metric),), comparison=ARMS)


def blocks(
    plan: Plan, many: int, change: float = 0.0, *, sd: float = 0.03, seed: int = 1
) -> list[Measurement]:
    """So many blocks of each case, whose candidate is changed by a fraction."""
    rng = np.random.default_rng(seed)
    measured = []
    for case in plan.cases:
        for arm, moved in (("base", 0.0), ("candidate", change)):
            values = 1000 * (1 + moved) * np.exp(rng.normal(0, sd, many))
            runs = s.repetitions([float(v) for v in values], case_id=case.id)
            measured += [replace(m, arm=arm, block=m.repetition) for m in runs]
    return measured


def row(verdict: RunVerdict) -> ThresholdVerdict:
    """That of the pool, which comes last."""
    return verdict.thresholds[-1]


def test_what_no_limit_alone_finds_is_found_together() -> None:
    plan = plan_of(20, 0.005, WIDE)
    verdict = judge(plan, blocks(plan, 20, -0.02), (), ())
    *own, together = verdict.thresholds
    assert {each.outcome for each in own} == {Outcome.PASS}
    assert together.outcome is verdict.outcome is Outcome.FAIL
    assert together.case_id == plan.pools[0].id
    assert together.change == pytest.approx(0.02, abs=0.008)
    assert together.decision is not None
    assert together.decision.ground is Ground.PAST
    assert together.change is not None
    assert together.baseline == 1.0
    assert together.value == pytest.approx(1 + together.change)
    assert together.reason.startswith("the pooled change of oltp is +")
    assert "of 20 members these got worse the most: write.iops of oltp/" in together.reason
    assert len(together.members) == 20
    assert together.members[0].change is not None
    assert together.members[0].change < 0 < (together.members[0].worse or 0)
    assert "1 of 21 limits" in verdict.sentence


def test_a_member_changes_as_the_limit_of_its_own_says() -> None:
    """Over the same blocks."""
    plan = plan_of(4, 0.001, WIDE)
    measured = blocks(plan, 8, -0.01, sd=0.05, seed=3)
    *own, together = judge(plan, measured, (), ()).thresholds
    assert {each.judged_blocks for each in own} == {together.judged_blocks}
    changes = {each.case_id: each.change for each in together.members}
    assert changes == {each.case_id: pytest.approx(each.change, rel=1e-12) for each in own}


def test_a_clean_comparison_passes() -> None:
    plan = plan_of(20, 0.02, WIDE)
    together = row(judge(plan, blocks(plan, 20), (), ()))
    assert together.outcome is Outcome.PASS
    assert "got worse the most" not in together.reason


def test_worse_is_up_for_every_member_by_its_own_metric() -> None:
    plan = plan_of(10, 0.01)
    latency = plan_of(10, 0.01, metric="write.clat")
    faster = blocks(plan, 16, +0.05)
    assert row(judge(plan, faster, (), ())).outcome is Outcome.PASS
    assert row(judge(latency, faster, (), ())).outcome is Outcome.FAIL


def test_members_that_move_against_each_other_cancel_out() -> None:
    """Both metrics of a measurement have the same value: what one gains, the other loses."""
    plan = plan_of(4, 0.01)
    both = (plan.pools[0], pool_of(plan.cases, 0.01, "write.clat"))
    members = both[0].members + both[1].members
    pool = replace(both[0], id=pool_id(members), members=members)
    together = row(judge(replace(plan, pools=(pool,)), blocks(plan, 8, 0.2), (), ()))
    assert together.outcome is Outcome.PASS
    assert together.change == pytest.approx(0)


@given(
    st.integers(2, 6), st.integers(2, 10), st.integers(0, 10_000), st.sampled_from((-0.2, 0.0, 0.3))
)
@settings(max_examples=40, deadline=None)
def test_a_block_of_a_pool_is_the_mean_of_its_members(
    count: int, many: int, seed: int, change: float
) -> None:
    plan = plan_of(count, 0.05, WIDE)
    *own, together = stand(plan, blocks(plan, many, change, sd=0.2, seed=seed))
    for block in range(many):
        members = [each.pairs.differences[block] for each in own]
        assert together.pairs.differences[block] == pytest.approx(np.mean(members))
    assert together.pairs.blocks == tuple(range(1, many + 1))
    flipped = [
        replace(m, arm={"base": "candidate", "candidate": "base"}[m.arm])
        for m in blocks(plan, many, change, sd=0.2, seed=seed)
    ]
    mirrored = stand(plan, flipped)[-1].pairs
    assert mirrored.differences == pytest.approx([-d for d in together.pairs.differences])
    assert mirrored.sums == pytest.approx(together.pairs.sums)


def test_sums_are_signed_as_differences_are() -> None:
    """Of members where less is worse and where more is, what a block has in common adds up."""
    plan = plan_of(3, 0.01)
    members = plan.pools[0].members + pool_of(plan.cases, 0.01, "write.clat").members
    both = replace(plan.pools[0], id=pool_id(members), members=members)
    measured = blocks(plan, 5, sd=0.2)
    pairs = stand(replace(plan, pools=(both,)), measured)[-1].pairs
    assert pairs.differences == pytest.approx([0.0] * 5)
    assert pairs.sums == pytest.approx([0.0] * 5)
    alone = stand(plan, measured)[-1].pairs
    assert alone.sums[0] == pytest.approx(-np.mean([each.sums[0] for each in alone.members]))


def test_the_order_of_members_changes_nothing() -> None:
    plan = plan_of(6, 0.01)
    measured = blocks(plan, 10, -0.02)
    pool = plan.pools[0]
    turned = replace(plan, pools=(replace(pool, members=pool.members[::-1]),))
    here, there = (row(judge(each, measured, (), ())) for each in (plan, turned))
    assert here.change == pytest.approx(there.change)
    assert here.case_id == pool_id(turned.pools[0].members)


def test_a_block_that_was_disturbed_is_made_up_for_by_a_later_one() -> None:
    plan = plan_of(3, 0.01)
    measured = blocks(plan, 9)
    first = plan.cases[0].id
    measured = [
        replace(m, disturbances=(HOGS,)) if (m.case_id, m.block) == (first, 2) else m
        for m in measured
        if m.case_id == first or (m.block or 0) <= 8
    ]
    pairs = stand(plan, measured)[-1].pairs
    assert pairs.blocks == (1, 3, 4, 5, 6, 7, 8, 9)


def test_a_member_without_a_ratio_is_left_out_and_said() -> None:
    plan = plan_of(4, 0.05)
    last = plan.cases[-1].id
    measured = [m for m in blocks(plan, 8, sd=0.01) if m.case_id != last]
    for arm in ("base", "candidate"):
        dead = s.repetitions([math.inf if arm == "candidate" else 5.0] * 8, case_id=last)
        measured += [replace(m, arm=arm, block=m.repetition) for m in dead]
    together = row(judge(plan, measured, (), ()))
    assert together.outcome is Outcome.PASS
    assert "1 of 4 members left out: write.iops of oltp/3 (no ratio in 8 blocks)" in together.reason
    assert together.members[-1].left_out == "no ratio in 8 blocks"


def test_a_fail_stays_when_a_member_goes_away_later() -> None:
    plan = plan_of(4, 0.05)
    last = plan.cases[-1].id
    measured = blocks(plan, 8, sd=0.01)
    measured = [m for m in measured if m.case_id != last]
    for arm, early in (("base", 1000.0), ("candidate", 400.0)):
        late = math.inf if arm == "candidate" else 1000.0
        rng = np.random.default_rng(7)
        dying = [early * float(np.exp(rng.normal(0, 0.01))) for _ in range(6)]
        runs = s.repetitions([*dying, late, late], case_id=last)
        measured += [replace(m, arm=arm, block=m.repetition) for m in runs]
    until = [m for m in measured if m.block <= 6]
    assert row(judge(plan, until, (), ())).outcome is Outcome.FAIL
    together = row(judge(plan, measured, (), ()))
    assert together.outcome is Outcome.FAIL
    assert together.members[0].case_id == last


def test_a_pool_of_one_member_that_can_be_compared_is_inconclusive() -> None:
    plan = plan_of(2, 0.05, metric="write.clat.p99")
    together = row(judge(plan, blocks(plan, 8), (), ()))
    assert together.outcome is Outcome.INCONCLUSIVE
    assert "not judged: fewer than two of its members can be compared" in together.reason


def test_all_its_cases_go_on_until_it_is_decided() -> None:
    plan = plan_of(3, 0.01, WIDE)
    early = stand(plan, blocks(plan, 7, sd=0.02))
    assert open_cases(early) == {case.id for case in plan.cases}
    ended = Progress(open=frozenset(case.id for case in plan.cases))
    assert _still_open(plan, early, ended) == {case.id for case in plan.cases}
    late = stand(plan, blocks(plan, 20, sd=0.001))
    assert open_cases(late) == frozenset()


def test_a_case_that_has_ended_keeps_no_other_going_for_the_pool() -> None:
    plan = plan_of(3, 0.001)
    standings = stand(plan, blocks(plan, 7))
    first, *others = (case.id for case in plan.cases)
    progress = Progress(open=frozenset((first, *others)))
    assert _still_open(plan, standings, progress) == {first, *others}
    progress.failures.append(CaseFailure(first, 15, "the engine crashed"))
    assert _still_open(plan, standings, progress) == frozenset()


def test_many_members_may_each_have_fewer_ios() -> None:
    """p50 of so few is told to about 3 %: over a quarter of 6 %, but not over four times that."""

    def outcome(count: int) -> ThresholdVerdict:
        plan = plan_of(count, 0.06, metric="write.clat.p50")
        job = s.job(write=s.direction(clat=s.latency(range(100_000, 200_000, 1000))))
        measured = [
            replace(s.measurement(job, case_id=case.id, repetition=n), arm=arm, block=n)
            for case in plan.cases
            for arm in ("base", "candidate")
            for n in range(1, 7)
        ]
        return row(judge(plan, measured, (), ()))

    assert outcome(2).outcome is Outcome.INCONCLUSIVE
    assert "too few I/Os" in outcome(2).reason
    assert outcome(16).outcome is Outcome.PASS


def test_blocks_that_are_added_leave_what_was_judged_of_a_pool() -> None:
    plan = plan_of(4, 0.005)
    longer = replace(plan, comparison=replace(ARMS, stages=2, most_blocks=56))
    measured = blocks(plan, 40, -0.008, seed=2, sd=0.06)
    first = row(judge(plan, [m for m in measured if m.block <= 28], (), ()))
    both = row(judge(longer, measured, (), ()))
    assert first.outcome is Outcome.INCONCLUSIVE
    assert both.looks[: len(first.looks)] == first.looks
    assert both.blocks == 40
    assert both.change_interval is not None
    assert both.change_interval.confidence == pytest.approx(0.75)


def test_a_warning_of_a_pool_fails_nothing() -> None:
    plan = plan_of(10, 0.01, WIDE)
    pool = plan.pools[0]
    soft = replace(pool, threshold=replace(pool.threshold, level=Level.WARN))
    verdict = judge(replace(plan, pools=(soft,)), blocks(plan, 16, -0.05), (), ())
    assert row(verdict).outcome is verdict.outcome is Outcome.WARN


def test_documents_with_and_without_pools_are_read() -> None:
    plan = plan_of(3, 0.01, WIDE)
    measured = blocks(plan, 8, -0.05)
    verdict = judge(plan, measured, (), ())
    run = replace(s.run(the_plan=plan), verdict=verdict)
    document = to_document(run)
    assert run_from_document(document) == run
    del document["plan"]["pools"]
    for each in document["verdict"]["thresholds"]:
        del each["members"]
    old = run_from_document(document)
    assert old.plan.pools == ()
    assert old.verdict is not None
    assert old.verdict.thresholds[-1].members == ()


def nights(
    now: float, count: int = RUNS_NEEDED, *, cases: int = 12, missing: int = 0
) -> tuple[Plan, RunVerdict]:
    """A run whose cases are all at ``now``, after so many at 1000; the oldest lack a case."""
    rng = np.random.default_rng(3)
    plan = replace(plan_of(cases, 0.01, WIDE), comparison=None)

    def measured(level: float, of: Sequence[Case]) -> tuple[Measurement, ...]:
        values = {case.id: level * np.exp(rng.normal(0, 0.02, 3)) for case in of}
        return tuple(
            m
            for case_id, own in values.items()
            for m in s.repetitions([float(v) for v in own], case_id=case_id)
        )

    before: list[Run] = []
    for n in range(count):
        of = plan.cases[:-1] if n >= count - missing else plan.cases
        before.append(s.run(f"run-{n}", the_plan=plan, measurements=measured(1000.0, of)))
    return plan, judge(plan, measured(now, plan.cases), (), before)


def test_against_a_history_a_small_change_of_all_fails() -> None:
    plan, verdict = nights(960.0)
    together = row(verdict)
    assert together.outcome is Outcome.FAIL
    assert together.change == pytest.approx(1 / 0.96 - 1, abs=0.015)
    assert together.baseline_runs == RUNS_NEEDED
    assert together.case_id == plan.pools[0].id
    assert "of 12 members these got worse the most" in together.reason
    assert {each.outcome for each in verdict.thresholds[:-1]} == {Outcome.PASS}


def test_against_a_history_nothing_changed_passes() -> None:
    assert row(nights(1000.0)[1]).outcome is not Outcome.FAIL
    assert row(nights(1100.0)[1]).outcome is Outcome.PASS


def test_only_runs_that_have_every_member_count() -> None:
    together = row(nights(960.0, missing=5)[1])
    assert together.baseline_runs == RUNS_NEEDED - 5
    assert together.outcome is Outcome.INCONCLUSIVE
    assert "young baseline" in together.reason


def test_without_a_history_it_has_no_baseline() -> None:
    assert row(nights(1000.0, 0)[1]).outcome is Outcome.MISSING_BASELINE
