"""Limits ``vs case``: two cases of one run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest

from iogate.gate.judge import judge
from iogate.model.document import to_document, verdict_from_document
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.plan import Case, Plan
from iogate.model.spec import Comparison, Level, Limit, Repetitions, Threshold
from iogate.model.verdict import Outcome, RunVerdict
from support import samples as s

EXT4, XFS = "0" * 16, "1" * 16
STEADY = [100.0, 101.0, 99.0, 100.5, 99.5]


def limit(metric: str = "write.iops", **more: object) -> Threshold:
    text = "vs case target=ext4 > -5%"
    held = Limit(Comparison.GREATER, -0.05, relative=True, text=text, case={"target": "ext4"})
    return Threshold(metric, held, **more)  # type: ignore[arg-type]


def case_on(target: str, case_id: str, *thresholds: Threshold) -> Case:
    made = s.case(*thresholds, id=case_id, name=f"oltp/target={target},bs=4k")
    return replace(made, parameters={"target": target, "bs": "4k"})


def plan_of(*thresholds: Threshold) -> Plan:
    cases = (case_on("ext4", EXT4), case_on("xfs", XFS, *(thresholds or (limit(),))))
    return s.plan(*cases)


def judged(
    ext4: Sequence[float], xfs: Sequence[float], *thresholds: Threshold, plan: Plan | None = None
) -> RunVerdict:
    measured = (*s.repetitions(ext4, case_id=EXT4), *s.repetitions(xfs, case_id=XFS))
    return judge(plan or plan_of(*thresholds), measured, (), ())


def test_a_case_that_is_as_fast_passes_without_any_history() -> None:
    verdict = judged(STEADY, [value * 0.99 for value in STEADY])
    assert verdict.outcome is Outcome.PASS
    only = verdict.thresholds[0]
    assert (only.case_id, only.against) == (XFS, EXT4)
    assert only.change == pytest.approx(-0.01)
    assert only.baseline == pytest.approx(math.exp(sum(map(math.log, STEADY)) / 5))
    assert only.baseline_samples == tuple(STEADY)
    assert only.change_interval
    assert only.change_interval.low < -0.01 < only.change_interval.high


def test_a_case_that_is_slower_fails_and_the_sentence_names_the_other() -> None:
    verdict = judged(STEADY, [value * 0.85 for value in STEADY])
    assert verdict.outcome is Outcome.FAIL
    assert verdict.sentence.startswith(
        "fail: 1 of 1 limit: write.iops of"
        " oltp/target=xfs,bs=4k is 85.0 /s, -15.0 % from the 100.0 /s of oltp/target=ext4,bs=4k"
    )


def test_what_is_worse_depends_on_the_metric() -> None:
    held = Limit(Comparison.LESS, 0.05, True, "vs case target=ext4 < +5%", {"target": "ext4"})
    slower = [value * 1.2 for value in STEADY]
    assert judged(STEADY, slower, Threshold("write.clat.mean", held)).outcome is Outcome.FAIL
    assert judged(slower, STEADY, Threshold("write.clat.mean", held)).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("ext4", "xfs", "why"),
    [
        (STEADY, [91.0, 99.0, 97.0, 93.0, 98.0], "interval reaches past it"),
        (STEADY, [80.0, 110.0, 75.0, 100.0, 85.0], "chance is not excluded"),
        (STEADY[:4], STEADY, "5 repetitions of each case, and one has 4"),
        (STEADY, STEADY[:4], "5 repetitions of each case, and one has 4"),
        (STEADY, [-1.0, *STEADY[1:]], "zero or negative"),
        ([-1.0, *STEADY[1:]], STEADY, "zero or negative"),
    ],
)
def test_what_cannot_be_decided_is_inconclusive_and_says_why(
    ext4: list[float], xfs: list[float], why: str
) -> None:
    only = judged(ext4, xfs).thresholds[0]
    assert only.outcome is Outcome.INCONCLUSIVE
    assert why in only.reason


def test_a_change_just_past_the_limit_is_not_enough() -> None:
    """It is the limit that chance is excluded for, not no change at all."""
    assert judged(STEADY, [value * 0.94 for value in STEADY]).outcome is not Outcome.FAIL


def test_many_limits_share_what_one_may_err() -> None:
    slower = [value * 0.9 for value in (100.0, 103.0, 97.0, 101.5, 98.5)]
    assert judged(STEADY, slower).thresholds[0].outcome is Outcome.FAIL
    many = judged(STEADY, slower, *([limit()] * 40))
    assert {each.outcome for each in many.thresholds} == {Outcome.INCONCLUSIVE}


def test_a_confidence_is_asked_of_a_fail_and_of_a_pass() -> None:
    noisy = (100.0, 103.0, 97.0, 101.5, 98.5)
    slower = [value * 0.87 for value in noisy]
    assert judged(noisy, slower).thresholds[0].outcome is Outcome.FAIL
    sure = limit(confidence=0.99999)
    assert judged(noisy, slower, sure).thresholds[0].outcome is Outcome.INCONCLUSIVE
    assert judged(noisy, noisy).thresholds[0].outcome is Outcome.PASS
    assert judged(noisy, noisy, sure).thresholds[0].outcome is Outcome.INCONCLUSIVE


def test_a_pass_needs_a_value_of_every_repetition_of_the_other_case() -> None:
    silent = replace(s.measurement(s.job(read=s.direction()), case_id=EXT4), repetition=6)
    measured = (
        *s.repetitions(STEADY, case_id=EXT4),
        silent,
        *s.repetitions(STEADY, case_id=XFS),
    )
    only = judge(plan_of(), measured, (), ()).thresholds[0]
    assert only.outcome is Outcome.INCONCLUSIVE
    assert "1 of 6 repetitions of oltp/target=ext4,bs=4k gave no value" in only.reason


def test_of_level_warn_nothing_fails() -> None:
    slower = [value * 0.8 for value in STEADY]
    verdict = judged(STEADY, slower, limit(level=Level.WARN))
    assert verdict.thresholds[0].outcome is Outcome.WARN
    assert verdict.exit_code == 0


def test_without_the_other_case_it_is_not_judged() -> None:
    plan = plan_of()
    cut = plan.with_cases(plan.cases[1:])
    only = judge(cut, s.repetitions(STEADY, case_id=XFS), (), ()).thresholds[0]
    assert only.outcome is Outcome.INCONCLUSIVE
    assert "target=ext4 is not in this run" in only.reason


def test_repetitions_of_the_other_case_that_were_disturbed_do_not_count() -> None:
    plan = plan_of()
    plan = plan.with_cases(tuple(replace(c, repetitions=Repetitions(5, 5)) for c in plan.cases))
    cause = Disturbance("cpu", 0.5, 0.1, "", "others took 50 % of the CPUs", counts=True)

    def spoiled(each: Measurement) -> Measurement:
        return replace(each, disturbances=(cause,)) if each.repetition > 3 else each

    measured = (
        *map(spoiled, s.repetitions(STEADY, case_id=EXT4)),
        *s.repetitions(STEADY, case_id=XFS),
    )
    only = judge(plan, measured, (), ()).thresholds[0]
    assert only.outcome is Outcome.INCONCLUSIVE
    assert "of oltp/target=ext4,bs=4k 2 of 5 repetitions were disturbed" in only.reason


def test_a_percentile_of_too_few_ios_is_not_compared() -> None:
    held = Limit(Comparison.LESS, 0.05, True, "vs case target=ext4 < +5%", {"target": "ext4"})
    clat = s.latency([100, 900, 5000])
    measured = [
        replace(s.measurement(s.job(write=s.direction(clat=clat)), case_id=name), repetition=n)
        for name in (EXT4, XFS)
        for n in range(1, 6)
    ]
    only = judge(plan_of(Threshold("write.clat.p99", held)), measured, (), ()).thresholds[0]
    assert only.outcome is Outcome.INCONCLUSIVE
    assert "too few I/Os" in only.reason


def test_a_document_keeps_what_it_was_compared_with_and_old_ones_are_read() -> None:
    verdict = judged(STEADY, STEADY)
    document = to_document(verdict)
    assert verdict_from_document(document) == verdict
    row = document["thresholds"][0]
    del row["against"], row["threshold"]["limit"]["case"]
    old = verdict_from_document(document).thresholds[0]
    assert (old.against, old.threshold.limit.vs_baseline) == ("", True)
