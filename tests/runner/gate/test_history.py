"""A run against its history: how old it has to be, and how far out a run."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.errors import ExitCode
from iogate.gate.history import RUNS_NEEDED, Asked, judge_history
from iogate.gate.judge import judge
from iogate.model.run import Run
from iogate.model.spec import Comparison, OnMissingBaseline
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
