"""The gate: what each combination of numbers, limits and policies means."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import ExitCode
from iogate.gate.judge import judge
from iogate.model.measurement import Measurement
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run
from iogate.model.spec import (
    Command,
    Comparison,
    DefinedMetric,
    JobSpec,
    Level,
    OnMissingBaseline,
    Repetitions,
    Threshold,
)
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome, RunVerdict
from support import samples as s

LESS, GREATER = Comparison.LESS, Comparison.GREATER
SLOWER = s.threshold(comparison=GREATER, value=-0.10, relative=True)


def baseline(*groups: Sequence[float], engine: str = "native") -> list[Run]:
    return [
        s.run(f"base-{number}", measurements=s.repetitions(group, engine=engine))
        for number, group in enumerate(groups)
    ]


def judged(
    iops: Sequence[float],
    *thresholds: object,
    base: Sequence[Run] = (),
    **policies: object,
) -> RunVerdict:
    the_plan = s.plan(s.case(*thresholds), **policies)  # type: ignore[arg-type]
    return judge(the_plan, s.repetitions(iops), (), base)


@pytest.mark.parametrize(
    ("iops", "comparison", "limit", "expected"),
    [
        ([101, 110, 120], GREATER, 100, Outcome.PASS),
        ([90, 95, 120], GREATER, 100, Outcome.FAIL),
        ([100, 100, 100], GREATER, 100, Outcome.FAIL),
        ([100, 100, 100], Comparison.GREATER_EQUAL, 100, Outcome.PASS),
        ([100, 100, 100], LESS, 100, Outcome.FAIL),
        ([100, 100, 100], Comparison.LESS_EQUAL, 100, Outcome.PASS),
        ([50], LESS, 100, Outcome.PASS),
        ([-5.0, -5.0], LESS, 0, Outcome.PASS),
    ],
)
def test_absolute_limit_is_held_against_the_median(
    iops: list[float], comparison: Comparison, limit: float, expected: Outcome
) -> None:
    verdict = judged(iops, s.threshold(comparison=comparison, value=limit))
    assert verdict.thresholds[0].outcome is expected
    assert verdict.outcome is expected
    assert verdict.exit_code == (ExitCode.PASS if expected is Outcome.PASS else ExitCode.FAIL)


def test_a_failing_run_names_the_cause() -> None:
    clat = s.latency([3_100_000, 3_100_000])
    repetition = s.measurement(s.job(write=s.direction(clat=clat)))
    limits = [s.threshold("write.clat.p99", LESS, 2e6), s.threshold(value=1.0)]
    verdict = judge(s.plan(s.case(*limits)), [repetition], (), ())
    assert verdict.outcome is Outcome.FAIL
    assert verdict.sentence.startswith(
        "fail: 1 of 2 limits: write.clat.p99 of oltp/bs=4k is 3.10 ms, limit < 2e+06"
    )


def test_a_failing_run_names_the_limit_that_is_furthest_past_first() -> None:
    limits = [s.threshold(value=120.0), s.threshold(value=1000.0), s.threshold(value=150.0)]
    verdict = judge(s.plan(s.case(*limits)), s.repetitions([100, 101, 99]), (), ())
    assert verdict.sentence.startswith("fail: 3 of 3 limits: write.iops of oltp/bs=4k is 100 ")
    assert verdict.sentence.endswith("(and 2 more)")
    assert verdict.decisive is verdict.thresholds[1]


def test_a_reason_is_its_parts() -> None:
    limits = (
        s.threshold(value=1000.0),
        s.threshold(comparison=Comparison.LESS, value=10.0),
        s.threshold(comparison=Comparison.GREATER, value=-0.05, relative=True),
        s.threshold("read.iops"),
    )
    plan = s.plan(s.case(*limits, name="a; b: c"))
    verdict = judge(plan, s.repetitions([100, 101, 99]), (), (), why_fewer=("looked for x",))
    assert len(verdict.thresholds) == len(limits)
    for each in verdict.thresholds:
        assert each.reason_parts
        assert each.reason == each.reason_parts.sentence
        assert each.reason_parts.subject == f"{each.threshold.metric} of a; b: c"
        assert each.reason == f"{each.reason_parts.subject} {each.reason_parts.verb} " + (
            each.reason_parts.predicate
        )
    assert verdict.thresholds[2].reason_parts
    assert verdict.thresholds[2].reason_parts.remarks[-1] == "looked for x"
    parts = verdict.sentence_parts
    assert parts
    cause = verdict.decisive
    assert cause
    assert cause.outcome is verdict.outcome
    assert verdict.sentence == parts.sentence(cause.reason)
    assert verdict.sentence == f"{verdict.outcome.value}: {parts.without_outcome(cause.reason)}"
    assert cause.reason not in parts.without_cause()


def test_a_value_just_past_its_limit_does_not_read_as_equal() -> None:
    found = judged([1000.004] * 3, s.threshold(comparison=LESS, value=1000.0)).thresholds[0]
    assert "write.iops of oltp/bs=4k is 1000.004 1/s, limit < 1000" in found.reason


@pytest.mark.parametrize(
    ("candidate", "expected"),
    [
        ([100, 101, 99], Outcome.PASS),
        ([70, 71, 69], Outcome.FAIL),
        ([91, 89, 90], Outcome.INCONCLUSIVE),
        ([150, 151, 149], Outcome.PASS),
    ],
)
def test_relative_limit_is_held_against_the_whole_interval(
    candidate: list[float], expected: Outcome
) -> None:
    verdict = judged(
        candidate,
        SLOWER,
        base=baseline(*[[100, 101, 99], [101, 103, 99], [99, 101, 97], [100, 102, 98]] * 5),
    )
    found = verdict.thresholds[0]
    assert found.outcome is expected
    assert found.change is not None
    assert found.change_interval is not None
    assert found.change_interval.low <= found.change <= found.change_interval.high
    assert found.baseline == pytest.approx(100, rel=1e-3)
    assert len(found.baseline_samples) == 60


def test_a_relative_limit_on_something_better_low() -> None:
    limit = s.threshold(comparison=LESS, value=0.10, relative=True)
    base = baseline(*[[100, 101, 99], [100, 102, 98]] * 10)
    assert judged([130, 131, 129], limit, base=base).outcome is Outcome.FAIL
    assert judged([101, 100, 100], limit, base=base).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("policy", "outcome", "code"),
    [
        (OnMissingBaseline.PASS, Outcome.PASS, ExitCode.PASS),
        (OnMissingBaseline.WARN, Outcome.WARN, ExitCode.PASS),
        (OnMissingBaseline.FAIL, Outcome.MISSING_BASELINE, ExitCode.INCONCLUSIVE),
    ],
)
def test_missing_baseline_follows_the_policy(
    policy: OnMissingBaseline, outcome: Outcome, code: ExitCode
) -> None:
    verdict = judged([1, 1, 1], SLOWER, base=baseline([1, 1, 1, 1]), on_missing=policy)
    assert verdict.thresholds[0].outcome is Outcome.MISSING_BASELINE
    assert "only 4 samples in 1 run" in verdict.thresholds[0].reason
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    ("policy", "outcome", "code"),
    [
        (OnMissingBaseline.PASS, Outcome.PASS, ExitCode.PASS),
        (OnMissingBaseline.WARN, Outcome.WARN, ExitCode.PASS),
        (OnMissingBaseline.FAIL, Outcome.INCONCLUSIVE, ExitCode.INCONCLUSIVE),
    ],
)
def test_inconclusive_follows_the_policy(
    policy: OnMissingBaseline, outcome: Outcome, code: ExitCode
) -> None:
    base = baseline([100, 101, 99], [100, 102, 98])
    verdict = judged([91, 89, 90], SLOWER, base=base, on_inconclusive=policy)
    assert verdict.thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert (verdict.outcome, verdict.exit_code) == (outcome, code)


def test_level_warn_never_blocks() -> None:
    warn = s.threshold(value=200.0, level=Level.WARN)
    verdict = judged([100, 100, 100], warn)
    assert verdict.thresholds[0].outcome is Outcome.WARN
    assert (verdict.outcome, verdict.exit_code) == (Outcome.WARN, ExitCode.PASS)
    unjudged = s.threshold(value=-0.1, relative=True, level=Level.WARN)
    verdict = judged([100, 100, 100], unjudged, on_missing=OnMissingBaseline.FAIL)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.WARN, ExitCode.PASS)


def test_min_samples_counts_repetitions_over_all_runs() -> None:
    base = baseline([100, 100, 100], [100, 100, 100])
    assert judged([100] * 3, SLOWER, base=base, min_samples=6).outcome is Outcome.PASS
    missing = judged([100] * 3, SLOWER, base=base, min_samples=7)
    assert missing.thresholds[0].outcome is Outcome.MISSING_BASELINE
    nothing = judged([100] * 3, SLOWER, min_samples=0)
    assert nothing.thresholds[0].outcome is Outcome.MISSING_BASELINE


def test_a_baseline_of_another_engine_does_not_count() -> None:
    base = baseline([100] * 3, [100] * 3, engine="fio")
    found = judged([100] * 3, SLOWER, base=base).thresholds[0]
    assert found.outcome is Outcome.MISSING_BASELINE


def test_a_case_is_compared_with_what_it_was_called_before() -> None:
    old = s.run("old", measurements=s.repetitions([100] * 6, case_id="feedfeedfeedfeed"))
    the_plan = s.plan(s.case(SLOWER, aka=("feedfeedfeedfeed",)))
    assert judge(the_plan, s.repetitions([100] * 3), (), [old]).outcome is Outcome.PASS


def test_one_repetition_cannot_be_compared() -> None:
    found = judged([10], SLOWER, base=baseline([100] * 3, [100] * 3)).thresholds[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "set repetitions to 3 or more" in found.reason


@pytest.mark.parametrize(
    ("candidate", "base", "comparison", "limit", "expected"),
    [
        ([0, 0, 0], [0] * 6, LESS, 0.1, Outcome.PASS),
        ([5, 5, 5], [0] * 297, LESS, 0.1, Outcome.FAIL),
        ([5, 5, 5], [0] * 294, LESS, 0.1, Outcome.INCONCLUSIVE),  # it stands still
        ([5, 5, 5], [0] * 57, LESS, 0.1, Outcome.INCONCLUSIVE),  # a young baseline
        ([5, 5, 5], [0] * 6, GREATER, -0.1, Outcome.PASS),
        ([0, 5, 9], [0] * 6, LESS, 0.1, Outcome.INCONCLUSIVE),
        ([0, 0, 0], [5] * 60, GREATER, -0.1, Outcome.FAIL),
        ([-1, 2, 3], [1] * 6, LESS, 0.1, Outcome.INCONCLUSIVE),
        ([1, 2, 3], [-1] * 6, LESS, 0.1, Outcome.INCONCLUSIVE),
        ([7, 7, 7], [7] * 6, Comparison.LESS_EQUAL, 0.0, Outcome.PASS),
        ([7, 7, 7], [7] * 6, LESS, 0.0, Outcome.INCONCLUSIVE),
    ],
)
def test_zeros_ties_and_negatives(
    candidate: list[float],
    base: list[float],
    comparison: Comparison,
    limit: float,
    expected: Outcome,
) -> None:
    threshold = s.threshold("write.clat", comparison, limit, relative=True)
    runs = [base[n : n + 3] for n in range(0, len(base), 3)]
    found = judged(candidate, threshold, base=baseline(*runs)).thresholds[0]
    assert found.outcome is expected


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_never_passes(bad: float) -> None:
    limits = s.threshold(value=1.0), s.threshold(comparison=GREATER, value=-0.5, relative=True)
    base = baseline([100] * 3, [100] * 3)
    for verdict in judged([bad] * 3, *limits, base=base).thresholds:
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "no value" in verdict.reason
    for verdict in judged([100, 100, bad], *limits, base=base).thresholds:
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert "1 of 3 repetitions gave no finite value" in verdict.reason
    polluted = baseline([100] * 3, [bad] * 3)
    found = judged([100] * 3, limits[1], base=polluted).thresholds[0]
    assert found.outcome is Outcome.MISSING_BASELINE


def test_what_is_not_a_number_does_not_hide_a_failure() -> None:
    verdict = judged([1.0, 1.0, math.nan], s.threshold(value=100.0))
    assert verdict.outcome is Outcome.FAIL


def test_a_metric_that_the_case_does_not_have_is_inconclusive() -> None:
    verdict = judged([100] * 3, s.threshold("read.clat.p99", LESS, 1e6))
    assert verdict.thresholds[0].outcome is Outcome.INCONCLUSIVE
    reason = verdict.thresholds[0].reason
    assert "read.clat.p99 of oltp/bs=4k has no value in any of 3 repetitions" in reason
    assert verdict.outcome is Outcome.WARN
    (alone,) = judged([100], s.threshold("read.clat.p99", LESS, 1e6)).thresholds
    assert "has no value in its one repetition:" in alone.reason


def test_a_command_that_did_not_print_a_metric_is_told_so() -> None:
    rate = DefinedMetric("command.rate", "", Unit.COUNT, Better.HIGH, pattern="rate ([0-9]+)")
    limits = [s.threshold(name, value=1.0) for name in ("command.rate", "read.iops")]
    job = JobSpec("copy", {}, command=Command(("dd", "of=x"), metrics=(rate,)))
    plan = replace(s.plan(replace(s.case(*limits), jobs=(job,))), metrics=(rate,))
    printed, other = judge(plan, s.repetitions([100]), (), ()).thresholds
    assert printed.reason.endswith(": no line that dd printed matches 'rate ([0-9]+)'")
    assert "it is not measured of a command" in other.reason


def test_a_failed_repetition_makes_exit_code_4() -> None:
    failure = CaseFailure(s.CASE_ID, 3, "the engine was killed by SIGKILL")
    the_plan = s.plan(s.case(s.threshold(value=1.0)))
    verdict = judge(the_plan, s.repetitions([100, 100]), [failure], ())
    assert verdict.exit_code == ExitCode.RUN_FAILED
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.failed_cases == (s.CASE_ID,)
    assert verdict.thresholds[0].outcome is Outcome.PASS
    assert verdict.sentence == (
        "run failed: repetition 3 of oltp/bs=4k: the engine was killed by SIGKILL"
    )


def test_a_case_that_was_never_measured_is_no_pass() -> None:
    other = s.case(id="ffff", name="scan/bs=1m")
    verdict = judge(s.plan(s.case(), other), s.repetitions([1]), (), ())
    assert verdict.exit_code == ExitCode.RUN_FAILED
    assert "scan/bs=1m was not measured" in verdict.sentence


def test_without_thresholds_nothing_stops_and_nothing_is_said_to_pass() -> None:
    verdict = judged([100] * 3)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.PASS, ExitCode.PASS)
    assert verdict.word == "not judged"
    assert verdict.sentence == "not judged: 1 case measured, no limits to judge"


@pytest.mark.parametrize(
    ("limits", "sentence"),
    [
        ((s.threshold(value=1.0),), "pass: the only limit holds, by a point estimate"),
        ((SLOWER,), "not judged: the only limit could not be judged"),
        ((SLOWER, SLOWER), "not judged: none of 2 limits could be judged"),
        (
            (s.threshold(value=1.0), SLOWER),
            "partly judged: 1 of 2 limits hold, the others could not be judged",
        ),
    ],
)
def test_what_the_spec_lets_pass_unjudged_is_not_called_a_pass(
    limits: tuple[Threshold, ...], sentence: str
) -> None:
    lenient = replace(s.plan(s.case(*limits)), on_missing_baseline=OnMissingBaseline.PASS)
    verdict = judge(lenient, s.repetitions([100, 101, 99]), (), ())
    assert (verdict.outcome, verdict.exit_code) == (Outcome.PASS, ExitCode.PASS)
    assert verdict.sentence == sentence
    assert verdict.word == sentence.partition(":")[0]


def test_every_case_is_observed_with_its_baseline() -> None:
    verdict = judged([100, 110, 120], base=baseline([90, 95], [85]))
    found = {observation.metric: observation for observation in verdict.observations}
    assert found["write.iops"].samples == (100, 110, 120)
    assert found["write.iops"].baseline_samples == (85, 90, 95)


def test_the_samples_of_a_baseline_are_in_the_order_they_ran() -> None:
    newest_first = baseline([90, 95], [85], [80, 81])
    (found,) = judged([100, 110, 120], SLOWER, base=newest_first).thresholds
    assert found.baseline_samples == (80, 81, 85, 90, 95)


def test_a_confidence_needs_enough_repetitions() -> None:
    sure = s.threshold(value=100.0, confidence=0.99)
    few = judged([110, 111, 112], sure).thresholds[0]
    assert few.outcome is Outcome.INCONCLUSIVE
    assert "at least 7 repetitions are needed to decide" in few.reason
    assert judged([110] * 7, sure).thresholds[0].outcome is Outcome.PASS
    assert judged([90] * 7, sure).thresholds[0].outcome is Outcome.FAIL


@pytest.mark.parametrize(("least", "most"), [(5, 6), (3, 4)])
def test_too_few_looks_for_a_confidence_say_so(least: int, most: int) -> None:
    sure = s.threshold(value=100.0, confidence=0.99)
    case = replace(s.case(sure), repetitions=Repetitions(least, most))
    found = judge(s.plan(case), s.repetitions([110.0] * most), (), ()).thresholds[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "too few to decide at this confidence: raise repetitions.max" in found.reason


@pytest.mark.parametrize(
    ("broken", "n", "expected"),
    [
        (5, 5, Outcome.FAIL),
        (4, 5, Outcome.INCONCLUSIVE),
        (1, 5, Outcome.INCONCLUSIVE),
        (0, 5, Outcome.PASS),
        (7, 8, Outcome.FAIL),
        (6, 8, Outcome.INCONCLUSIVE),
        (1, 8, Outcome.PASS),
        (9, 10, Outcome.FAIL),
        (8, 10, Outcome.INCONCLUSIVE),
        (10, 12, Outcome.FAIL),
        (15, 20, Outcome.FAIL),
        (14, 20, Outcome.INCONCLUSIVE),
        (5, 20, Outcome.PASS),
    ],
)
def test_from_five_repetitions_on_a_limit_is_decided_by_counting(
    broken: int, n: int, expected: Outcome
) -> None:
    values = [90.0] * broken + [110.0] * (n - broken)
    found = judged(values, s.threshold(value=100.0)).thresholds[0]
    assert found.outcome is expected
    assert not found.point
    assert f"{n - broken} of {n} within the limit" in found.reason


def test_below_five_repetitions_a_verdict_is_a_point() -> None:
    verdict = judged([110, 111, 101], s.threshold(value=100.0))
    found = verdict.thresholds[0]
    assert (found.outcome, found.point) == (Outcome.PASS, True)
    assert "too few for 95 % confidence" in found.reason
    assert verdict.sentence == "pass: the only limit holds, by a point estimate"


@pytest.mark.parametrize(
    ("highest", "told"),
    [((100.0, 100.0), ", all by a point estimate"), ((100.0, math.inf), ", 1 by a point estimate")],
)
def test_a_pass_counts_its_point_estimates(highest: tuple[float, ...], told: str) -> None:
    """A limit with a confidence is none of them."""
    limits = [
        s.threshold(comparison=LESS, value=200.0, confidence=None if top == 100 else 0.6)
        for top in highest
    ]
    assert judged([110, 111, 101], *limits).sentence == f"pass: all 2 limits hold{told}"


def test_so_few_repetitions_that_disagree_are_no_pass() -> None:
    found = judged([110, 111, 90], s.threshold(value=100.0)).thresholds[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "2 of 3 within the limit, too few to decide: raise repetitions" in found.reason


def test_a_limit_within_the_noise_is_named_so() -> None:
    near = judged([101, 103, 99, 102, 97], s.threshold(value=100.0)).thresholds[0]
    assert near.headroom is not None
    assert abs(near.headroom) < 2
    assert "the limit is within noise" in near.reason
    far = judged([101, 103, 99, 102, 97], s.threshold(value=50.0)).thresholds[0]
    assert far.headroom is not None
    assert far.headroom > 10
    assert "within noise" not in far.reason
    broken = judged([101, 103, 99, 102, 97], s.threshold(value=200.0)).thresholds[0]
    assert broken.headroom is not None
    assert broken.headroom < -10


def test_from_four_runs_on_the_history_tells_how_runs_differ() -> None:
    """Repetitions that agree inside each run hide that runs differ by 10 %."""
    groups = [[100.0 * level] * 3 for level in (0.9, 1.1, 0.95, 1.05, 1.0) * 4]
    found = judged([85, 85, 85], SLOWER, base=baseline(*groups)).thresholds[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert judged([50, 50, 50], SLOWER, base=baseline(*groups)).outcome is Outcome.FAIL


def steady(count: int = 20, sd: float = 0.02) -> list[Run]:
    """N runs of three repetitions."""
    rng = np.random.default_rng(7)
    return baseline(*(100 * np.exp(rng.normal(0, sd, (count, 3)))).tolist())


def test_a_change_fails_alone_that_chance_explains_among_many() -> None:
    limit = s.threshold(comparison=GREATER, value=-0.02, relative=True)
    values, base = [93.0, 92.5, 93.5], steady()
    assert judged(values, limit, base=base).thresholds[0].outcome is Outcome.FAIL
    rng = np.random.default_rng(3)
    cases = [s.case(limit, id=f"{n:016x}", name=f"case-{n}") for n in range(60)]

    def noise_of(case: Case) -> tuple[Measurement, ...]:
        drawn = 100 * np.exp(rng.normal(0, 0.02, 3))
        return s.repetitions(drawn.tolist(), case_id=case.id)

    runs = [
        replace(run, measurements=(*run.measurements, *(m for c in cases for m in noise_of(c))))
        for run in base
    ]
    now = [*s.repetitions(values), *(m for case in cases for m in noise_of(case))]
    many = judge(s.plan(s.case(limit), *cases), now, (), runs)
    assert many.thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert "beyond the limit, but it is 1.39 times as far out as" in many.thresholds[0].reason
    assert "and a fail needs 1.52 times; run iogate ab" in many.thresholds[0].reason
    assert not any(each.outcome is Outcome.FAIL for each in many.thresholds)


def test_zeros_are_no_way_past_chance() -> None:
    """Repetitions of which most are 0, and the others differ: at most 1 % of clean runs fail."""
    generator = np.random.default_rng(2)
    longer = s.threshold("write.clat", LESS, 0.1, relative=True)

    def run() -> list[float]:
        some = generator.random(3) < 0.4
        return [float(value) for value in some * np.exp(generator.normal(0, 0.5, 3))]

    found = [
        judged(run(), longer, base=baseline(*(run() for _ in range(20)))).thresholds[0].outcome
        for _ in range(150)
    ]
    assert found.count(Outcome.FAIL) <= 1
    worse = judged([4.0, 5.0, 6.0], longer, base=baseline(*(run() for _ in range(99))))
    assert worse.thresholds[0].outcome is Outcome.FAIL


def test_one_bad_repetition_of_three_is_no_regression() -> None:
    """The median may be bad by chance; the ranks of all repetitions say so."""
    limit = s.threshold(comparison=GREATER, value=-0.02, relative=True)
    found = judged([90, 90, 101], limit, base=steady(sd=0.005)).thresholds[0]
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "of runs (by the ranks of the repetitions), and a fail needs 1 % or less" in found.reason
    assert judged([90, 90, 91], limit, base=steady(sd=0.005)).outcome is Outcome.FAIL


def test_few_runs_do_not_tell_how_runs_differ() -> None:
    quiet = baseline([100, 101, 99, 100, 100.5])
    limit = s.threshold(comparison=GREATER, value=-0.01, relative=True)
    near = judged([98, 98.5, 97.5, 98, 98.2], limit, base=quiet).thresholds[0]
    assert (near.outcome, near.point) == (Outcome.INCONCLUSIVE, True)
    assert "1 run in the baseline: too few to know how much runs vary" in near.reason
    far = judged([90, 90.5, 89.5, 90, 90.2], limit, base=quiet).thresholds[0]
    assert (far.outcome, far.point) == (Outcome.INCONCLUSIVE, True)
    assert "young baseline: it has 1 run, and 20 are needed" in far.reason


@pytest.mark.parametrize(
    ("metric", "ios", "outcome"),
    [
        ("write.clat.p99", 50, Outcome.INCONCLUSIVE),
        ("write.tail", 50, Outcome.INCONCLUSIVE),
        ("write.clat.p50", 50, Outcome.INCONCLUSIVE),
        ("write.clat.p50", 5000, Outcome.FAIL),
        ("write.clat.p99", 100_000, Outcome.FAIL),
        ("write.clat.mean", 10, Outcome.FAIL),
    ],
)
def test_a_quantile_with_few_ios_beyond_it_is_too_thin(
    metric: str, ios: int, outcome: Outcome
) -> None:
    def run(number: int, slower: int) -> Run:
        values = [*range(100 * slower, 1100 * slower)]
        clat = replace(s.latency(values), n=ios)
        again = [
            s.measurement(s.job(write=s.direction(clat=clat)), repetition=n) for n in (1, 2, 3)
        ]
        return s.run(f"run-{number}", measurements=tuple(again))

    limited = s.plan(s.case(s.threshold(metric, LESS, 0.1, relative=True)))
    now = run(99, 2).measurements
    found = judge(limited, now, (), [run(n, 1) for n in range(99)]).thresholds[0]
    assert found.outcome is outcome
    assert ("too few I/Os to compare" in found.reason) is (outcome is Outcome.INCONCLUSIVE)


def test_warnings_are_findings_of_which_few_are_false() -> None:
    """Advisory limits do not make gated ones stricter, and share what may be false."""
    limits = [s.threshold(comparison=GREATER, value=-0.02, relative=True, level=Level.WARN)
              for _ in range(30)]  # fmt: skip
    found = judged([94.5, 94, 95], *limits, base=steady())
    assert {each.outcome for each in found.thresholds} == {Outcome.WARN}
    gated = s.threshold(comparison=GREATER, value=-0.02, relative=True)
    both = judged([93.5, 93, 94], gated, *limits, base=steady())
    assert both.thresholds[0].outcome is Outcome.FAIL


ANY_FLOAT = st.floats(allow_nan=True, allow_infinity=True)
VALUES = st.lists(ANY_FLOAT | st.floats(0, 1e6), min_size=0, max_size=4)


@given(
    candidate=VALUES,
    base=st.lists(VALUES, max_size=4),
    limit=st.floats(-1, 1),
    comparison=st.sampled_from(list(Comparison)),
    relative=st.booleans(),
)
def test_any_numbers_give_a_clear_verdict(
    candidate: list[float],
    base: list[list[float]],
    limit: float,
    comparison: Comparison,
    relative: bool,
) -> None:
    threshold = s.threshold(comparison=comparison, value=limit, relative=relative)
    the_plan: Plan = s.plan(s.case(threshold))
    verdict = judge(the_plan, s.repetitions(candidate), (), baseline(*base))
    found = verdict.thresholds[0]
    assert found.reason
    assert all(math.isfinite(value) for value in found.samples)
    if len(found.samples) < len(candidate) or not candidate:
        assert found.outcome is not Outcome.PASS
    if found.outcome is Outcome.PASS:
        assert relative or comparison.holds(found.value or 0.0, limit)
    again = judge(the_plan, s.repetitions(candidate), (), baseline(*base))
    assert again == verdict
