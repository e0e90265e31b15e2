"""Two arms in blocks: what each combination of numbers, limits and mishaps means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.errors import ExitCode
from iogate.gate import judge
from iogate.gate_blocks import State, open_cases, stand
from iogate.model.comparison import Arm, Comparison
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Level, OnMissingBaseline, Threshold
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict
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
    assert found.visible_change is not None
    assert "from base" in found.reason
    assert "a regression, seen at block 4 of at most 28" in found.reason


def test_an_improvement_and_no_change_pass() -> None:
    better = one(noisy(1, 6), noisy(2, 6, 1200), FASTER)
    assert better.outcome is Outcome.PASS
    assert "within the limit" in better.reason
    assert one(noisy(1, 12), noisy(3, 12), FASTER).outcome is Outcome.PASS


def test_the_direction_is_the_limits() -> None:
    assert one(noisy(1, 10), noisy(2, 10, 1100), SLOWER).outcome is Outcome.FAIL
    assert one(noisy(1, 10), noisy(2, 10, 900), SLOWER).outcome is Outcome.PASS


def test_a_pass_on_a_noisy_host_says_what_it_could_see() -> None:
    found = one(noisy(1, 10, sd=0.05), noisy(2, 10, sd=0.05), FASTER)
    assert found.outcome is Outcome.PASS
    assert "no regression in 10 blocks, which see one of -" in found.reason
    assert found.visible_change is not None
    assert found.visible_change > 0.05


def test_too_few_blocks_decide_nothing_and_say_how_many_would() -> None:
    found = one(noisy(1, 3), noisy(2, 3), FASTER)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "3 blocks decide nothing, 4 are the least" in found.reason
    straddles = one(noisy(1, 6, sd=0.03), noisy(2, 6, 965, sd=0.03), FASTER)
    assert straddles.outcome is Outcome.INCONCLUSIVE
    assert straddles.blocks_needed is not None
    assert straddles.blocks_needed > 6
    assert f"about {straddles.blocks_needed} would" in straddles.reason


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
        ([1], [1], Outcome.INCONCLUSIVE, "decide nothing"),
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


def test_a_limit_without_tolerance_is_refused_with_the_reason() -> None:
    strict = s.threshold("write.clat", Compare.LESS_EQUAL, 0.0, relative=True)
    found = one(noisy(1, 10), noisy(2, 10), strict)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "without any tolerance" in found.reason


def test_a_demanded_improvement() -> None:
    wanted = s.threshold("write.clat", Compare.LESS, -0.10, relative=True)
    assert one(noisy(1, 10), noisy(2, 10, 700), wanted).outcome is Outcome.PASS
    assert one(noisy(1, 10), noisy(2, 10), wanted).outcome is Outcome.FAIL


def test_a_thin_quantile_is_not_judged() -> None:
    limit = s.threshold("write.clat.p99", Compare.LESS, 0.02, relative=True)
    found = one(noisy(1, 10), noisy(2, 10, 2000), limit)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "too thin" in found.reason
    assert "1000 are needed" in found.reason


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
    assert [one.boundary.thresholds for one in standings] == [1, 1]


def test_an_absolute_limit_judges_the_candidate_alone() -> None:
    limit = s.threshold(value=950.0)
    verdict = judged([100.0] * 6, noisy(2, 6), limit, FASTER)
    assert verdict.thresholds[0].outcome is Outcome.PASS
    assert len(verdict.thresholds[0].samples) == 6
    assert verdict.observations[0].baseline_samples == (100.0,) * 6


def test_what_is_settled_stays_settled() -> None:
    """Decided while the run goes: blocks after it change nothing."""
    base, same = noisy(1, 20), noisy(3, 20)
    plan = comparison_plan(FASTER)
    n = next(n for n in range(4, 20) if not open_cases(stand(plan, blocks(base[:n], same[:n]))))
    worse = [*same[:n], *[value / 3 for value in same[n:]]]
    assert stand(plan, blocks(base, worse))[0].state is State.SETTLED


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
