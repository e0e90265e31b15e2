"""A run against its history: how old it has to be, and how far out a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.errors import ExitCode
from iogate.gate.history import RUNS_NEEDED, Asked, judge_history
from iogate.gate.judge import judge
from iogate.model.run import Run
from iogate.model.spec import Comparison, Level, OnMissingBaseline
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict
from iogate.stats.robust import median
from support import samples as s

SLOWER = s.threshold(comparison=Comparison.GREATER, value=-0.02, relative=True)
QUIET, SLOW = [100.0, 100.2, 99.8], [94.0, 94.2, 93.8]


def judged(
    now: Sequence[Sequence[float]],
    before: Sequence[Sequence[Sequence[float]]],
    policy: OnMissingBaseline = OnMissingBaseline.WARN,
) -> RunVerdict:
    """One case for each sequence of ``now``; ``before`` has a run in each of its items."""
    cases = [s.case(SLOWER, id=f"{n:016x}", name=f"case-{n}") for n in range(len(now))]

    def of(run: Sequence[Sequence[float]]) -> list[object]:
        return [
            each
            for case, values in zip(cases, run, strict=True)
            for each in s.repetitions(values, case_id=case.id)
        ]

    runs: list[Run] = [
        s.run(f"run-{n}", measurements=tuple(of(run)))  # type: ignore[arg-type]
        for n, run in enumerate(before)
    ]
    plan = s.plan(*cases, on_inconclusive=policy)
    return judge(plan, of(now), (), runs)  # type: ignore[arg-type]


@pytest.mark.parametrize("before", [2, 3, 4, 8, RUNS_NEEDED - 1])
def test_a_young_baseline_fails_nothing_and_says_so(before: int) -> None:
    """A host with two states gives runs like these without any change."""
    verdict = judged([SLOW], [[QUIET]] * before, OnMissingBaseline.FAIL)
    (found,) = verdict.thresholds
    assert found.outcome is Outcome.INCONCLUSIVE
    assert (
        f"young baseline: it has {before} runs, and {RUNS_NEEDED} are needed before a limit can"
        " fail" in found.reason
    )
    assert verdict.exit_code == ExitCode.INCONCLUSIVE
    assert judged([SLOW], [[QUIET]] * before).exit_code == ExitCode.PASS


def test_an_old_one_fails() -> None:
    verdict = judged([SLOW], [[QUIET]] * RUNS_NEEDED)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.FAIL, ExitCode.FAIL)


def test_what_is_beyond_its_limit_and_no_fail_says_which_test_it_did_not_pass() -> None:
    rng = np.random.default_rng(5)
    noise = (100 * np.exp(rng.normal(0, 0.03, (RUNS_NEEDED, 8, 3)))).tolist()
    eight = judged([[95.6, 95.5, 95.7], *noise[0][1:]], noise)
    reason = eight.thresholds[0].reason
    assert eight.thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert "chance alone makes a run so bad in 0." in reason
    assert "% of runs (by how runs differ), and a fail needs 0." in reason
    assert "% or less, as 8 gated limits share the risk; run iogate ab" in reason
    alone = judged([[96.8, 96.9, 96.7]], [[run[0]] for run in noise]).thresholds[0].reason
    assert "% of runs (by how runs differ), and a fail needs 1 % or less; run iogate ab" in alone


def test_a_gain_that_is_too_small_for_its_limit_is_called_no_regression() -> None:
    limit = s.threshold(comparison=Comparison.GREATER, value=0.05, relative=True)
    before = [s.run(f"run-{n}", measurements=s.repetitions(QUIET)) for n in range(RUNS_NEEDED)]
    better = s.repetitions([102.0, 102.1, 101.9])
    (found,) = judge(s.plan(s.case(limit)), better, (), before).thresholds
    assert "the change is none for the worse, and only such a change fails" in found.reason


def test_a_change_of_many_times_is_a_factor() -> None:
    """Nobody reads +44565 %."""
    slower = s.threshold("write.clat", Comparison.LESS, 0.1, relative=True)
    before = [s.run(f"run-{n}", measurements=s.repetitions([9.0, 10.0, 11.0])) for n in range(5)]
    now = s.repetitions([4456.0, 4457.0, 4458.0])
    (found,) = judge(s.plan(s.case(slower)), now, (), before).thresholds
    assert "446× the baseline's 10.0 ns (95 % interval " in found.reason
    assert "%" not in found.reason.split("interval ")[1].split(")")[0]
    assert found.change == pytest.approx(444.7)


def test_a_young_baseline_passes_what_is_within_the_limit() -> None:
    assert judged([QUIET], [[QUIET]] * 4).thresholds[0].outcome is Outcome.PASS


def test_a_state_that_other_cases_were_in_is_no_regression() -> None:
    before = [[QUIET, SLOW if 5 < n < 9 else QUIET] for n in range(RUNS_NEEDED)]
    first = judged([SLOW, QUIET], before).thresholds[0]
    assert first.outcome is Outcome.INCONCLUSIVE
    further = [[value * 0.9 for value in SLOW], QUIET]
    assert judged(further, before).thresholds[0].outcome is Outcome.FAIL


def test_runs_with_heavy_tails_seldom_fail() -> None:
    """Student's prediction alone fails 4 % of such nights."""
    rng = np.random.default_rng(5)
    shape = 4, RUNS_NEEDED + 1, 3
    failed = 0
    for _ in range(500):
        levels = 100 * np.exp(rng.standard_t(3, (*shape[:2], 1)) * 0.02)
        asked = [_asked(runs) for runs in (levels * np.exp(rng.normal(0, 0.005, shape))).tolist()]
        verdicts = judge_history(asked, min_samples=5, seed=0, flips=100)
        failed += any(verdict.outcome is Outcome.FAIL for verdict in verdicts)
    assert failed <= 10


def test_a_metric_that_is_mostly_zero_seldom_fails() -> None:
    """What its few other values spread by says nothing: 12 % of such nights failed by it."""
    rng = np.random.default_rng(5)
    failed = 0
    for _ in range(100):
        levels = rng.exponential(5, (4, RUNS_NEEDED + 1)) * (rng.random((4, RUNS_NEEDED + 1)) < 0.1)
        nights = np.repeat(levels[:, :, None], 3, axis=2).tolist()
        verdicts = judge_history([_stalls(each) for each in nights], min_samples=5, seed=0)
        failed += any(verdict.outcome is Outcome.FAIL for verdict in verdicts)
    assert failed <= 1


def test_zeros_in_few_runs_do_not_make_other_limits_unknown_to_each_other() -> None:
    """Without a logarithm a limit has its own runs alone, and all of them share the level."""
    runs = [[0.0] * 3, *([value] * 3 for value in np.linspace(1, 10, RUNS_NEEDED - 1)), [16.0] * 3]
    alone, four = ([_stalls(runs)] * n for n in (1, 4))
    assert judge_history(alone, min_samples=5, seed=0)[0].outcome is Outcome.FAIL
    found = judge_history(four, min_samples=5, seed=0)[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "and a fail needs 3.06 times" in found.reason


@pytest.mark.parametrize(("before", "outcome"), [(98, Outcome.INCONCLUSIVE), (99, Outcome.FAIL)])
@pytest.mark.parametrize("first", [0.0, 8.0])
def test_a_metric_that_stands_still_fails_when_it_is_the_worst_of_a_hundred(
    before: int, outcome: Outcome, first: float
) -> None:
    level = 0.0 if first == 0.0 else 10.0
    runs = [[first] * 3, *[[level] * 3] * (before - 1)]
    asked = [_stalls([*runs, [15.0] * 3]), *(_stalls([*runs, [level] * 3]) for _ in range(3))]
    found = judge_history(asked, min_samples=5, seed=0)[0]
    assert found.outcome is outcome
    told = f"one of {before + 1} runs is the worst by chance alone (1.01 %)"
    assert (told in found.reason) is (outcome is Outcome.INCONCLUSIVE)


def test_what_never_left_its_level_by_more_than_the_limit_fails_as_others_do() -> None:
    """The median of latencies on a quiet host is in one bucket on most nights, or in the next."""
    buckets = [[10.0, 10.0, 10.1], [10.0, 10.0, 9.9], [10.0] * 3] * 7
    (found,) = judge_history([_stalls([*buckets, [15.0] * 3])], min_samples=5, seed=0)
    assert found.outcome is Outcome.FAIL


def test_what_stands_still_says_how_many_runs_it_takes_and_names_the_other_limit() -> None:
    (found,) = judge_history([_stalls([[0.0] * 3] * 20 + [[3.0] * 3])], min_samples=5, seed=0)
    assert (
        "at least half of its earlier values are one and the same, so only the order of runs"
        " counts: one of 21 runs is the worst by chance alone (4.8 %), and a fail needs 1 % or"
        " less, which takes 99 earlier runs (baseline.window); an absolute limit needs none"
        in found.reason
    )


def test_what_stands_still_fails_only_past_all_earlier_runs() -> None:
    before = [[0.0] * 3] * 150 + [[3.0] * 3] + [[0.0] * 3] * 49
    (as_bad,) = judge_history([_stalls([*before, [3.0] * 3])], min_samples=5, seed=0)
    assert as_bad.outcome is Outcome.INCONCLUSIVE
    assert "and an earlier run was as bad; an absolute limit needs no" in as_bad.reason
    (worse,) = judge_history([_stalls([*before, [4.0] * 3])], min_samples=5, seed=0)
    assert worse.outcome is Outcome.FAIL


def test_nights_in_which_others_that_stand_still_had_their_worst_run_count() -> None:
    quiet = [[0.0] * 3] * 150
    tonight = _stalls([*quiet, [3.0] * 3])
    earlier = _stalls([*quiet[:70], [9.0] * 3, *quiet[70:]])
    found = judge_history([tonight, earlier], min_samples=5, seed=0)[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert (
        "2, with all limits that are like it, of 151 runs are the worst by chance alone (1.3 %),"
        " and a fail needs 1 % or less, which takes 199 earlier runs" in found.reason
    )
    advisory = [replace(each, verdict=_warned(each.verdict)) for each in (tonight, earlier)]
    assert judge_history(advisory, min_samples=5, seed=0)[0].outcome is Outcome.FAIL


def _warned(verdict: ThresholdVerdict) -> ThresholdVerdict:
    return replace(verdict, threshold=replace(verdict.threshold, level=Level.WARN))


def _stalls(runs: Sequence[Sequence[float]]) -> Asked:
    """The same of a metric of which more is worse."""
    asked = _asked(runs)
    limit = s.threshold("write.clat", Comparison.LESS, 0.02, relative=True)
    return replace(asked, verdict=replace(asked.verdict, threshold=limit, better=Better.LOW))


def _asked(runs: Sequence[Sequence[float]]) -> Asked:
    """The last run is the one that is judged."""
    now = tuple(runs[-1])
    draft = ThresholdVerdict(
        s.CASE_ID, SLOWER, Outcome.INCONCLUSIVE, "", Unit.PER_SECOND, Better.HIGH,
        value=median(now), samples=now,
    )  # fmt: skip
    before = tuple((f"run-{n}", tuple(run)) for n, run in enumerate(runs[:-1]))
    return Asked(s.case(SLOWER), draft, before)


@given(st.integers(0, 500), st.integers(4, 30))
@settings(max_examples=40, deadline=None)
def test_the_two_values_that_are_shown_are_apart_by_the_change(seed: int, runs: int) -> None:
    """Runs in two states: a median and a mean of logs may lie on either side of a value."""
    rng = np.random.default_rng(seed)
    states = np.where(rng.random((runs + 1, 3)) < 0.5, 1000.0, 1390.0)
    states *= rng.normal(1, 0.01, states.shape)
    *before, now = [[float(v) for v in row] for row in states]
    (verdict,) = judged([now], [[run] for run in before]).thresholds
    assert verdict.value is not None
    assert verdict.baseline is not None
    assert verdict.change is not None
    assert verdict.value / verdict.baseline - 1 == pytest.approx(verdict.change)
