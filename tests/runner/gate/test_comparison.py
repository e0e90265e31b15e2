"""Two arms in blocks: what each combination of numbers, limits and mishaps means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from iogate.errors import ExitCode
from iogate.gate.blocks import State, open_cases, stand
from iogate.gate.judge import judge
from iogate.gate.sentences import percentile_words
from iogate.model.comparison import Arm, Comparison
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Level, OnMissingBaseline, Threshold
from iogate.model.verdict import Ground, Hold, Outcome, RunVerdict, ThresholdVerdict
from support import samples as s

FASTER = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
SLOWER = s.threshold("write.clat", Compare.LESS, 0.02, relative=True)


def blocks(base: Sequence[float], candidate: Sequence[float], **more: str) -> list[Measurement]:
    """One block for each pair; the value is both ``write.iops`` and ``write.clat``."""
    found = []
    for arm, values in (("base", base), ("candidate", candidate)):
        for number, one in enumerate(s.repetitions(values, **more), start=1):
            found.append(replace(one, arm=arm, block=number))
    return found


def comparison_plan(*thresholds: Threshold, most: int = 28, **more: object) -> Plan:
    rule = Comparison(Arm("base"), Arm("candidate"), seed=1, most_blocks=most)
    return replace(s.plan(s.case(*thresholds), **more), comparison=rule)  # type: ignore[arg-type]


def judged(
    base: Sequence[float], candidate: Sequence[float], *thresholds: Threshold, **more: object
) -> RunVerdict:
    return judge(comparison_plan(*thresholds, **more), blocks(base, candidate), (), ())  # type: ignore[arg-type]


def one(base: Sequence[float], candidate: Sequence[float], limit: Threshold) -> ThresholdVerdict:
    return judged(base, candidate, limit).thresholds[0]


def noisy(seed: int, n: int, level: float = 1000.0, sd: float = 0.01) -> list[float]:
    values = level * np.exp(np.random.default_rng(seed).normal(0, sd, n))
    return [float(value) for value in values]


def test_a_regression_fails_with_its_estimate_and_interval() -> None:
    verdict = judged(noisy(1, 10), noisy(2, 10, 900), FASTER)
    found = verdict.thresholds[0]
    assert (verdict.outcome, verdict.exit_code) == (Outcome.FAIL, ExitCode.FAIL)
    assert found.change == pytest.approx(-0.10, abs=0.02)
    assert found.change_interval is not None
    interval = found.change_interval
    assert found.change is not None
    assert interval.low < found.change < interval.high < 0
    assert found.blocks == 10
    assert found.decision is not None
    assert (found.decision.ground, found.decision.blocks) == (Ground.PAST, 5)
    assert found.decision.interval == interval
    assert found.value is not None
    assert found.baseline is not None
    assert found.value / found.baseline - 1 == pytest.approx(found.change)
    assert found.visible_change is not None
    assert "from base" in found.reason
    assert "a regression past the limit, found after 5 of at most 28 blocks" in found.reason


def test_every_look_is_kept_with_its_boundaries() -> None:
    found = one(noisy(1, 10), noisy(2, 10, 900), FASTER)
    assert found.decided_at == 5
    assert [look.blocks for look in found.looks] == [4, 5]
    look = found.looks[-1]
    assert look.fails_at is not None
    assert look.bound < look.change < look.fails_at < 0 < 1 + look.settles_at
    assert one(noisy(1, 2), noisy(2, 2, 900), FASTER).decided_at == 0
    open_yet = one(noisy(1, 5, sd=0.2), noisy(3, 5, sd=0.2), FASTER)
    assert (open_yet.decided_at, bool(open_yet.looks)) == (0, True)
    clean = one(noisy(1, 16, sd=0.03), noisy(3, 16, sd=0.03), FASTER)
    assert clean.decided_at == clean.looks[-1].blocks == 16
    assert [look.blocks for look in clean.looks] == list(range(4, 17))
    assert clean.looks[0].bound < clean.looks[0].settles_at
    assert clean.looks[-1].bound > clean.looks[-1].settles_at


def test_a_change_of_many_times_is_a_factor_of_the_base() -> None:
    found = one(noisy(1, 8), noisy(2, 8, 9000.0), SLOWER)
    assert "is 8.98 µs, 8.9× (80 % interval 8.7× … 9.2×) that of base, limit" in found.reason


ADVISED = replace(SLOWER, level=Level.WARN)


def test_advisory_limits_are_judged_once_when_the_gated_ones_are_done() -> None:
    worse = judged(noisy(1, 8), noisy(2, 8, 1100), FASTER, ADVISED)
    assert [each.outcome for each in worse.thresholds] == [Outcome.PASS, Outcome.WARN]
    assert [look.blocks for look in worse.thresholds[1].looks] == [8]
    assert worse.thresholds[1].decided_at == 8
    clean = judged(noisy(1, 8), noisy(3, 8), FASTER, ADVISED)
    assert clean.thresholds[1].outcome is Outcome.PASS


def test_a_small_worsening_is_a_finding_alone_and_none_among_many() -> None:
    """p is about 0.01: below 5 %, and above 5 % / 40."""
    base, candidate = noisy(1, 8), noisy(5, 8, 1022, sd=0.01)
    limit = replace(ADVISED, limit=replace(ADVISED.limit, value=0.001))
    alone = judged(base, candidate, FASTER, limit).thresholds[1]
    assert alone.outcome is Outcome.WARN
    cases = tuple(s.case(limit, id=f"{n:016x}", name=f"case-{n}") for n in range(60))
    plan = comparison_plan(FASTER, limit)
    plan = replace(plan, cases=(*plan.cases, *cases))
    measured = blocks(base, candidate)
    for n, case in enumerate(cases):
        measured += blocks(noisy(100 + n, 8), noisy(200 + n, 8), case_id=case.id)
    among = judge(plan, measured, (), ())
    found = [each.outcome for each in among.thresholds]
    assert found.count(Outcome.WARN) <= 1
    assert among.thresholds[1].change == alone.change


def test_cases_without_a_gated_limit_go_on_with_the_others() -> None:
    plan = comparison_plan(FASTER)
    plan = replace(plan, cases=(*plan.cases, s.case(ADVISED, id="b" * 16, name="advised")))
    one_block = [*blocks([1.0], [1.0]), *blocks([1.0], [1.0], case_id="b" * 16)]
    assert open_cases(stand(plan, one_block)) == {s.CASE_ID, "b" * 16}
    done = [*blocks(noisy(1, 9), noisy(2, 9, 1200)), *blocks([1.0], [1.0], case_id="b" * 16)]
    assert open_cases(stand(plan, done)) == frozenset()


def test_an_improvement_and_no_change_pass() -> None:
    better = one(noisy(1, 6), noisy(2, 6, 1200), FASTER)
    assert better.outcome is Outcome.PASS
    assert "within the limit" in better.reason
    assert one(noisy(1, 12), noisy(3, 12), FASTER).outcome is Outcome.PASS


def test_the_direction_is_the_limits() -> None:
    assert one(noisy(1, 10), noisy(2, 10, 1100), SLOWER).outcome is Outcome.FAIL
    assert one(noisy(1, 10), noisy(2, 10, 900), SLOWER).outcome is Outcome.PASS


def test_a_pass_on_a_noisy_host_says_what_it_could_see() -> None:
    limit = replace(FASTER, limit=replace(FASTER.limit, value=-0.04))
    found = one(noisy(1, 12, sd=0.05), noisy(4, 12, sd=0.05), limit)
    assert found.outcome is Outcome.PASS
    assert "no regression found in 12 of at most 28 blocks, which would detect" in found.reason
    assert found.decision is not None
    assert found.decision.ground is Ground.SEES
    assert found.decision.sees is not None
    assert -0.12 < found.decision.sees < -0.05


def test_blocks_that_see_less_than_several_times_the_limit_pass_nothing() -> None:
    """An A/A of four blocks whose interval reaches far beyond the limit."""
    limit = replace(FASTER, limit=replace(FASTER.limit, value=-0.10))
    found = one(noisy(1, 4, sd=0.3), noisy(2, 4, sd=0.3), limit)
    assert found.outcome is Outcome.INCONCLUSIVE


def _is_over(plan: Plan, base: Sequence[float], candidate: Sequence[float]) -> bool:
    return not open_cases(stand(plan, blocks(base, candidate)))


def test_a_host_far_too_noisy_for_the_limit_vouches_for_nothing() -> None:
    found = [
        one(noisy(seed, 28, sd=0.3), noisy(seed + 50, 28, sd=0.3), FASTER) for seed in range(20)
    ]
    blunt = [each for each in found if each.outcome is Outcome.INCONCLUSIVE]
    says = "runs vary too much here for this limit: 28 blocks would detect no less than -"
    assert all(says in each.reason for each in blunt)
    assert len(blunt) > 14  # the others were better by luck


def test_a_host_too_noisy_to_see_more_is_not_measured_to_the_last_block() -> None:
    base, same = noisy(1, 28, sd=0.3), noisy(3, 28, sd=0.3)
    plan = comparison_plan(FASTER)
    n = next(n for n in range(4, 28) if not open_cases(stand(plan, blocks(base[:n], same[:n]))))
    assert n < 14


def test_a_stall_in_the_first_blocks_is_no_reason_to_give_up() -> None:
    base = [2000.0, 1400.0, 2010.0, 1990.0, *noisy(1, 24, 2000)]
    worse = [1900.0, 1905.0, 1894.0, 1899.0, *noisy(2, 24, 1840)]
    plan = comparison_plan(FASTER)
    n = next(n for n in range(4, 29) if _is_over(plan, base[:n], worse[:n]))
    assert one(base[:n], worse[:n], FASTER).outcome is Outcome.FAIL


def test_a_change_for_the_better_passes_however_much_runs_differ() -> None:
    """Nobody can say how much, but that no regression is possible: measured on, then passed."""
    base = [425.0, 396.0, 1066.0, 3865.0, 450.0, 900.0]
    limit = s.threshold("write.clat", Compare.LESS, 0.20, relative=True)
    better = [value * 0.18 for value in base]
    plan = comparison_plan(limit, most=6)
    assert _is_over(plan, base, better)
    found = judge(plan, blocks(base, better), (), ()).thresholds[0]
    assert (found.outcome, found.decided_at) == (Outcome.PASS, 6)
    assert "within the limit after 6 of at most 6 blocks" in found.reason
    mixed = [*[value * 0.9 for value in base[:5]], base[5] * 1.5]
    doubtful = judge(plan, blocks(base, mixed), (), ()).thresholds[0]
    assert doubtful.outcome is Outcome.INCONCLUSIVE
    assert "runs vary too much here for this limit" in doubtful.reason


def test_an_advisory_limit_passes_on_what_the_gated_ones_left_it() -> None:
    base = [425.0, 396.0, 1066.0, 3865.0]
    better = [value * 0.001 for value in base]
    wide = s.threshold("write.clat", Compare.LESS, 9.0, relative=True)
    advised = replace(wide, limit=replace(wide.limit, value=0.2), level=Level.WARN)
    found = judge(comparison_plan(wide, advised), blocks(base, better), (), ()).thresholds
    assert [(each.outcome, each.decided_at) for each in found] == [(Outcome.PASS, 4)] * 2


def test_what_was_given_up_passes_if_later_blocks_leave_no_doubt() -> None:
    """Another limit of the case asked for them."""
    base = noisy(1, 20, sd=0.5)
    late = [*noisy(3, 9, sd=0.5), *[value * 0.4 for value in base[9:]]]
    plan = comparison_plan(SLOWER)
    assert stand(plan, blocks(base[:9], late[:9]))[0].state is State.UNDECIDABLE
    found = judge(plan, blocks(base, late), (), ()).thresholds[0]
    assert (found.outcome, found.decided_at) == (Outcome.PASS, 20)
    assert "within the limit" in found.reason


def test_a_confidence_that_is_asked_for_is_what_a_noisy_host_is_held_to() -> None:
    base = [425.0, 396.0, 1066.0, 3865.0, 450.0, 900.0]
    limit = s.threshold("write.clat", Compare.LESS, 0.20, relative=True)
    better = [value * 0.3 for value in base]
    for confidence, outcome in ((0.99, Outcome.INCONCLUSIVE), (0.7, Outcome.PASS)):
        plan = comparison_plan(replace(limit, confidence=confidence), most=6)
        assert judge(plan, blocks(base, better), (), ()).thresholds[0].outcome is outcome


def test_a_wide_limit_is_judged_by_the_interval_that_is_shown() -> None:
    base = noisy(1, 28, sd=0.03)
    worse = noisy(2, 28, 1230, sd=0.03)
    shown = set()
    for value, confidence in ((0.10, 0.80), (0.20, 0.74)):
        limit = s.threshold("write.clat", Compare.LESS, value, relative=True)
        found = judge(comparison_plan(limit), blocks(base, worse), (), ()).thresholds[0]
        assert found.outcome is Outcome.FAIL
        assert found.change_interval is not None
        assert found.change_interval.low > value
        assert found.change_interval.confidence == pytest.approx(confidence)
        shown.add(found.decided_at)
    assert len(shown) == 2


def test_what_is_past_its_limit_never_passes() -> None:
    """It is measured to the last block, and then inconclusive."""
    outcomes = set()
    for seed in range(120):
        base, worse = noisy(seed, 28, sd=0.06), noisy(seed + 500, 28, 970, sd=0.06)
        plan = comparison_plan(FASTER)
        n = next(
            n for n in range(4, 29) if not open_cases(stand(plan, blocks(base[:n], worse[:n])))
        )
        found = one(base[:n], worse[:n], FASTER)
        assert found.change is not None
        outcomes.add((found.outcome, found.change < -0.02))
    assert (Outcome.PASS, True) not in outcomes
    assert {(Outcome.INCONCLUSIVE, True), (Outcome.PASS, False)} <= outcomes


def test_a_noisy_improvement_still_passes() -> None:
    better = one(noisy(1, 12, sd=0.3), noisy(2, 12, 5000, sd=0.3), FASTER)
    assert better.outcome is Outcome.PASS


def test_too_few_blocks_decide_nothing_and_say_how_many_would() -> None:
    found = one(noisy(1, 3), noisy(2, 3), FASTER)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "3 blocks are too few to decide, at least 4 are needed" in found.reason
    straddles = one(noisy(1, 6, sd=0.03), noisy(2, 6, 965, sd=0.03), FASTER)
    assert straddles.outcome is Outcome.INCONCLUSIVE
    assert straddles.blocks_needed is not None
    assert straddles.blocks_needed > 6
    assert f"about {straddles.blocks_needed} blocks would decide" in straddles.reason


def test_inconclusive_is_never_silent() -> None:
    few = noisy(1, 3)
    loud = judged(few, few, FASTER, on_inconclusive=OnMissingBaseline.FAIL)
    assert loud.exit_code == ExitCode.INCONCLUSIVE
    assert judged(few, few, FASTER).outcome is Outcome.WARN


@pytest.mark.parametrize(
    ("base", "candidate", "outcome", "says"),
    [
        ([0] * 6, [0] * 6, Outcome.PASS, "within"),
        ([5] * 6, [5] * 6, Outcome.PASS, "within"),
        ([100] * 6, [110] * 6, Outcome.FAIL, "regression"),
        ([0] * 6, [5] * 6, Outcome.INCONCLUSIVE, "no ratio"),
        ([5] * 6, [0] * 6, Outcome.INCONCLUSIVE, "no ratio"),
        ([-1] * 6, [-1] * 6, Outcome.INCONCLUSIVE, "no ratio"),
        ([math.inf] * 6, [1] * 6, Outcome.INCONCLUSIVE, "no ratio"),
        ([math.nan] * 6, [math.nan] * 6, Outcome.INCONCLUSIVE, "no ratio"),
        ([1], [1], Outcome.INCONCLUSIVE, "1 block is too few to decide"),
        ([], [], Outcome.INCONCLUSIVE, "no block"),
    ],
)
def test_zeros_ties_and_what_is_no_number(
    base: list[float], candidate: list[float], outcome: Outcome, says: str
) -> None:
    found = one(base, candidate, SLOWER)
    assert found.outcome is outcome
    assert says in found.reason


def test_one_unusable_block_is_left_out_two_end_it() -> None:
    base, worse = noisy(1, 10), noisy(2, 10, 1200)
    assert one([math.nan, *base], [1.0, *worse], SLOWER).outcome is Outcome.FAIL
    plan = comparison_plan(SLOWER)
    bad = stand(plan, blocks([0.0, 0.0, 5.0], [1.0, 1.0, 5.0]))
    assert bad[0].state is State.UNDECIDABLE
    assert open_cases(bad) == frozenset()


def test_a_thin_quantile_is_not_judged() -> None:
    limit = s.threshold("write.clat.p99", Compare.LESS, 0.02, relative=True)
    found = one(noisy(1, 10), noisy(2, 10, 2000), limit)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "too few I/Os to compare" in found.reason
    assert "0.5 % is a quarter of the limit" in found.reason


def with_ios(arm: str, block: int, ios: int, *, spread: int = 2000, times: int = 1) -> Measurement:
    """A run whose latencies spread around 100 us, or so many times that."""
    least = 100_000 - spread // 2
    values = [times * (least + (7919 * n + 131 * block) % spread) for n in range(ios)]
    measured = s.measurement(s.job(write=s.direction(clat=s.latency(values))))
    return replace(measured, arm=arm, block=block)


def test_thin_is_the_arm_with_fewer_ios_and_not_the_one_run_that_stalled() -> None:
    limit = s.threshold("write.clat.p50", Compare.LESS, 0.02, relative=True)
    plan = comparison_plan(limit)
    places = [(arm, block) for arm in ("base", "candidate") for block in range(1, 6)]
    stalled = [with_ios(arm, block, 2 if block == 2 else 2500) for arm, block in places]
    assert judge(plan, stalled, (), ()).thresholds[0].outcome is Outcome.PASS
    slow = [with_ios(arm, block, 2500 if arm == "base" else 2) for arm, block in places]
    assert "too few I/Os to compare" in judge(plan, slow, (), ()).thresholds[0].reason


def slow_with_ios(*ios: int) -> ThresholdVerdict:
    """A candidate of twice the latency, with so many I/Os in each block."""
    limit = s.threshold("write.clat.p50", Compare.LESS, 0.1, relative=True)
    times = {"base": 1, "candidate": 2}
    measured = [
        with_ios(arm, block, count, spread=100_000, times=times[arm])
        for arm in times
        for block, count in enumerate(ios, 1)
    ]
    return judge(comparison_plan(limit), measured, (), ()).thresholds[0]


def test_what_failed_with_enough_ios_has_failed_whatever_later_blocks_lack() -> None:
    found = slow_with_ios(*[2500] * 5, *[2] * 7)
    assert found.outcome is Outcome.FAIL
    assert "a regression past the limit, found after 4 of" in found.reason
    assert (found.decided_at, found.judged_blocks, found.blocks) == (4, 4, 12)


def test_a_limit_fails_at_the_first_look_whose_blocks_had_enough_ios() -> None:
    assert slow_with_ios(*[2] * 5, *[2500] * 5).outcome is Outcome.INCONCLUSIVE
    later = slow_with_ios(*[2] * 5, *[2500] * 7)
    assert later.decided_at == 11
    assert [look.held_by for look in later.looks[-2:]] == [(Hold.THIN,), ()]


def test_an_arm_that_fails_half_way() -> None:
    measured = [m for m in blocks(noisy(1, 3), noisy(2, 3)) if m.block < 3 or m.arm == "base"]
    failure = CaseFailure(s.CASE_ID, 6, "arm candidate: the engine was killed by SIGKILL")
    verdict = judge(comparison_plan(FASTER), measured, [failure], ())
    assert verdict.exit_code == ExitCode.RUN_FAILED
    assert verdict.thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert verdict.thresholds[0].blocks == 2
    assert "arm candidate" in verdict.sentence


def test_a_warn_level_never_fails_and_is_a_family_of_its_own() -> None:
    advisory = replace(SLOWER, level=Level.WARN)
    verdict = judged(noisy(1, 10), noisy(2, 10, 1200), advisory)
    assert verdict.thresholds[0].outcome is Outcome.WARN
    assert verdict.exit_code == ExitCode.PASS
    standings = stand(comparison_plan(FASTER, advisory), blocks(noisy(1, 3), noisy(2, 3)))
    assert [one.boundary.limits for one in standings] == [1, 1]


def test_an_absolute_limit_judges_the_candidate_alone() -> None:
    limit = s.threshold(value=950.0)
    verdict = judged([100.0] * 6, noisy(2, 6), limit, FASTER)
    assert verdict.thresholds[0].outcome is Outcome.PASS
    assert len(verdict.thresholds[0].samples) == 6
    assert verdict.observations[0].baseline_samples == (100.0,) * 6


def test_a_pass_is_held_against_all_blocks_and_a_fail_is_final() -> None:
    """Another limit of the case may ask for more blocks than a pass or a fail took."""
    base, same = noisy(1, 20), noisy(3, 20)
    plan = comparison_plan(FASTER)
    n = next(n for n in range(4, 20) if not open_cases(stand(plan, blocks(base[:n], same[:n]))))
    worse = [*same[:n], *[value * 0.97 for value in same[n:]]]
    assert stand(plan, blocks(base[:n], same[:n]))[0].state is State.SETTLED
    assert stand(plan, blocks(base, worse))[0].state is not State.SETTLED
    slow = [value * 0.8 for value in same[:6]]
    failed = one(base, [*slow, *[value * 1.5 for value in same[6:]]], FASTER)
    assert failed.outcome is Outcome.FAIL
    assert failed.change == pytest.approx(-0.2, abs=0.03)


def test_blocks_without_a_ratio_leave_no_pass() -> None:
    """Zeros in one arm: what is left of the blocks would pass."""
    base = [*[1.0] * 8, *noisy(1, 10)]
    zeros = [*[0.0] * 8, *noisy(2, 10)]
    for first, second in ((base, zeros), (base[::-1], zeros[::-1])):
        verdict = one(first, second, replace(SLOWER, limit=replace(SLOWER.limit, value=0.1)))
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert verdict.decision is None
        assert "8 blocks have no ratio" in verdict.reason


def test_the_last_block_leaves_nothing_open() -> None:
    base, worse = noisy(1, 8, sd=0.05), noisy(2, 8, 940, sd=0.05)
    standings = stand(comparison_plan(FASTER, most=8), blocks(base, worse))
    assert standings[0].state is not State.OPEN
    assert open_cases(standings) == frozenset()


ANY = st.floats(allow_nan=True, allow_infinity=True) | st.floats(1, 1e6)


@given(
    base=st.lists(ANY, max_size=12),
    candidate=st.lists(ANY, max_size=12),
    limit=st.floats(-2, 2),
    comparison=st.sampled_from(list(Compare)),
)
@example(base=[5.8e13, 1.7e308], candidate=[1.7e308] * 2, limit=0.0, comparison=Compare.LESS)
@settings(max_examples=150, deadline=None)
def test_any_numbers_give_a_clear_verdict(
    base: list[float], candidate: list[float], limit: float, comparison: Compare
) -> None:
    threshold = s.threshold("write.clat", comparison, limit, relative=True)
    plan, measured = comparison_plan(threshold), blocks(base, candidate)
    verdict = judge(plan, measured, (), ())
    found = verdict.thresholds[0]
    assert found.reason
    assert found.outcome in {Outcome.PASS, Outcome.FAIL, Outcome.INCONCLUSIVE}
    if found.blocks < 4:
        assert found.outcome is Outcome.INCONCLUSIVE
    assert judge(plan, measured, (), ()) == verdict


@given(st.integers(0, 500), st.sampled_from([1.5, 10.0, 1e6]))
@settings(max_examples=25, deadline=None)
def test_units_and_the_order_of_blocks_do_not_matter(seed: int, factor: float) -> None:
    base, worse = noisy(seed, 8, sd=0.03), noisy(seed + 1, 8, 960, sd=0.03)
    here = one(base, worse, FASTER)
    there = one([v * factor for v in base], [v * factor for v in worse], FASTER)
    assert here.outcome is there.outcome
    assert here.change == pytest.approx(there.change, abs=1e-9)


def test_how_little_few_ios_tell_is_written_without_an_exponent() -> None:
    told = percentile_words(s.threshold("write.clat.p99", Compare.LESS, 0.3, relative=True), 5.73)
    assert "only to ±570 %, and 7.5 %" in told
