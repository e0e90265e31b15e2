"""Limits on counts of faults: what failed counts, and the worst repetition does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from iogate.errors import ExitCode
from iogate.gate.judge import judge
from iogate.gate.more_repetitions import wants_more
from iogate.model.comparison import Arm
from iogate.model.comparison import Comparison as Rule
from iogate.model.measurement import Disturbance, KernelTrouble, Measurement, Whose
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison, DefinedMetric, Level, Repetitions, Threshold
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict
from support import samples as s

NONE = s.threshold("errors", Comparison.LESS, 1)
NO_KERNEL = s.threshold("kernel_errors", Comparison.LESS, 1)
LINE = "EXT4-fs error (device loop3): ext4_lookup:1: inode #2: comm x: bad"
OWN = KernelTrouble("filesystem error", 2, (LINE,), Whose.TARGET)
OTHERS = KernelTrouble("I/O error", 9, ("I/O error, dev sdb",), Whose.ELSEWHERE)
HOSTS = KernelTrouble("hung task", 1, ("INFO: task fio:7 blocked",), Whose.HOST)
KILLED = CaseFailure(s.CASE_ID, 3, "iogate-engine was killed by SIGKILL")


def measured(*logs: tuple[KernelTrouble, ...] | None) -> list[Measurement]:
    """Repetitions in which the kernel told this."""
    found = s.repetitions([100] * len(logs))
    return [replace(one, kernel_log=log) for one, log in zip(found, logs, strict=True)]


def judged(
    repetitions: Sequence[Measurement],
    *thresholds: Threshold,
    failures: Sequence[CaseFailure] = (),
    metrics: tuple[DefinedMetric, ...] = (),
) -> RunVerdict:
    plan = replace(s.plan(s.case(*thresholds)), metrics=metrics)
    return judge(plan, repetitions, failures, ())


def only(verdict: RunVerdict) -> ThresholdVerdict:
    (found,) = verdict.thresholds
    return found


def test_a_failed_repetition_is_an_error() -> None:
    verdict = judged(s.repetitions([100, 100]), NONE, failures=[KILLED])
    found = only(verdict)
    assert found.outcome is Outcome.FAIL
    assert found.samples == (0, 0, 1)
    assert found.reason.startswith("errors of oltp/bs=4k is 1, limit")
    assert found.reason.endswith("(repetition 3); it failed")
    assert (verdict.outcome, verdict.exit_code) == (Outcome.FAIL, ExitCode.RUN_FAILED)


def test_what_the_engine_counted_is_what_counts() -> None:
    counted = replace(KILLED, errors={"job": {"EIO": 3, "ENOSPC": 1}, "other": {}})
    assert only(judged([], NONE, failures=[counted])).value == 4
    for job, value in {"job": 4, "other": 0}.items():
        limit = s.threshold(f"jobs.{job}.errors", Comparison.LESS, 1)
        assert only(judged([], limit, failures=[counted])).value == value
    of_job = s.threshold("jobs.job.errors", Comparison.LESS, 1)
    assert only(judged([], of_job, failures=[KILLED])).value == 1


def test_a_metric_made_of_errors_counts_them_too() -> None:
    own = DefinedMetric("failed", "2 * errors", Unit.COUNT, Better.LOW)
    limit = s.threshold("failed", Comparison.LESS, 1)
    found = only(judged(s.repetitions([1]), limit, failures=[KILLED], metrics=(own,)))
    assert (found.outcome, found.samples) == (Outcome.FAIL, (0, 2))
    mixed = replace(own, expression="errors / write.iops")
    found = only(judged(s.repetitions([1]), limit, failures=[KILLED], metrics=(mixed,)))
    assert found.samples == (0,)


def test_what_was_stopped_or_refused_is_no_error_of_the_storage() -> None:
    stopped = replace(KILLED, faultless=True)
    verdict = judged(s.repetitions([100, 100]), NONE, failures=[stopped])
    assert only(verdict).outcome is Outcome.PASS
    assert verdict.exit_code == ExitCode.RUN_FAILED


def test_other_limits_are_judged_on_what_was_measured() -> None:
    found = only(judged(s.repetitions([100, 100]), s.threshold(value=1.0), failures=[KILLED]))
    assert (found.outcome, found.samples) == (Outcome.PASS, (100, 100))


def test_one_repetition_with_errors_is_no_noise() -> None:
    errors = [0] * 9 + [2]
    found = [
        s.measurement(s.job(errors={"EIO": n} if n else {}), repetition=number)
        for number, n in enumerate(errors, 1)
    ]
    verdict = only(judged(found, NONE))
    assert (verdict.outcome, verdict.value) == (Outcome.FAIL, 2)
    assert verdict.reason.endswith("(repetition 10)")
    assert only(judged(found[:9], NONE)).outcome is Outcome.PASS


def test_what_the_kernel_tells_of_the_target_fails_without_a_word_in_the_spec() -> None:
    verdict = judged(measured((), (OWN, OTHERS), ()))
    found = only(verdict)
    assert (verdict.outcome, verdict.exit_code) == (Outcome.FAIL, ExitCode.FAIL)
    assert (found.threshold.metric, found.value) == ("kernel_errors", 2)
    assert found.threshold.limit.text == "< 1 (iogate's own)"
    assert found.reason.endswith(f"(repetition 2); {LINE}")


def test_a_failed_repetition_tells_what_the_kernel_said() -> None:
    told = replace(KILLED, kernel_log=(OWN,))
    found = only(judged(measured(()), failures=[told]))
    assert (found.outcome, found.value) == (Outcome.FAIL, 2)


@pytest.mark.parametrize("log", [(), (OTHERS,), (HOSTS,), (OTHERS, HOSTS), None])
def test_what_is_not_of_the_target_is_not_told_of(log: tuple[KernelTrouble, ...] | None) -> None:
    verdict = judged(measured(log, log))
    assert verdict.thresholds == ()
    assert verdict.exit_code == ExitCode.PASS


def test_the_spec_says_otherwise() -> None:
    many = s.threshold("kernel_errors", Comparison.LESS, 100)
    assert only(judged(measured((OWN,)), many)).outcome is Outcome.PASS
    warns = replace(NO_KERNEL, level=Level.WARN)
    verdict = judged(measured((OWN,)), warns)
    assert only(verdict).outcome is Outcome.WARN
    assert verdict.exit_code == ExitCode.PASS


def test_a_limit_of_the_spec_is_not_kept_where_nobody_looked() -> None:
    found = only(judged(measured((), None), NO_KERNEL))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "not known" in found.reason
    assert only(judged(measured(None), NO_KERNEL)).outcome is Outcome.INCONCLUSIVE
    before = KernelTrouble("I/O error", 1, ("I/O error, dev sda",))
    assert only(judged(measured((before,)), NO_KERNEL)).outcome is Outcome.INCONCLUSIVE


def test_more_repetitions_do_not_undo_an_error() -> None:
    case = replace(s.case(NONE), repetitions=Repetitions(1, 9))
    assert not wants_more(case, s.repetitions([100]), s.plan(case))


def test_both_arms_answer_for_their_disk_and_the_candidate_for_its_errors() -> None:
    plan = replace(s.plan(s.case(NONE)), comparison=Rule(Arm("base"), Arm("new"), seed=0))
    pair = [
        replace(one, arm=arm, block=1)
        for one, arm in zip(measured((OWN,), ()), ("base", "new"), strict=True)
    ]
    errors, kernel = judge(plan, pair, [], ()).thresholds
    assert (errors.outcome, kernel.outcome) == (Outcome.PASS, Outcome.FAIL)
    assert "(block 1, base); EXT4-fs error" in kernel.reason
    for repetition, outcome in ((3, Outcome.PASS), (4, Outcome.FAIL)):
        failure = replace(KILLED, repetition=repetition)
        pair = [replace(one, kernel_log=()) for one in pair]
        assert only(judge(plan, pair, [failure], ())).outcome is outcome


def test_a_disturbed_repetition_is_not_judged_but_its_faults_are() -> None:
    disturbed = Disturbance("cpu", 5.0, 1.0, "s", "stolen")
    spoiled = [replace(one, disturbances=(disturbed,)) for one in measured((OWN,), ())]
    assert only(judged([*spoiled, *measured(())])).outcome is Outcome.FAIL


def test_a_count_of_faults_is_true_whatever_disturbed_the_speed() -> None:
    disturbed = Disturbance("cpu", 5.0, 1.0, "s", "stolen")
    spoiled = [replace(one, disturbances=(disturbed,)) for one in measured((), (), ())]
    verdict = judged(spoiled, NONE)
    found = only(verdict)
    assert (found.outcome, found.value, found.samples) == (Outcome.PASS, 0, (0, 0, 0))
    assert verdict.outcome is Outcome.PASS
    assert verdict.sentence == (
        "pass: the only limit holds; every repetition was disturbed (stolen), so only faults"
        " are judged"
    )
    assert only(judged(spoiled, NO_KERNEL)).outcome is Outcome.PASS
    both = judged(spoiled, NONE, s.threshold(value=1.0)).thresholds
    assert [one.outcome for one in both] == [Outcome.PASS, Outcome.INCONCLUSIVE]


def test_faults_that_nobody_counted_are_not_none_where_all_was_disturbed() -> None:
    disturbed = Disturbance("cpu", 5.0, 1.0, "s", "stolen")
    spoiled = [replace(one, disturbances=(disturbed,)) for one in measured(None, None)]
    found = only(judged(spoiled, NO_KERNEL))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "kernel_errors of oltp/bs=4k has no value in any of 2 repetitions" in found.reason
    assert "the log of the kernel could not be read" in found.reason


def test_a_change_of_errors_from_the_baseline_is_judged_on_what_counts() -> None:
    change = s.threshold("errors", Comparison.LESS, 0.1, relative=True)
    disturbed = Disturbance("cpu", 5.0, 1.0, "s", "stolen")
    spoiled = [replace(one, disturbances=(disturbed,)) for one in measured((), ())]
    found = only(judged(spoiled, change))
    assert found.outcome is Outcome.INCONCLUSIVE
    assert "2 of 2 repetitions were disturbed" in found.reason


AGAIN = replace(KILLED, errors={"job": {"EIO": 1}}, kernel_log=(OWN,), again=True)


def test_a_failure_that_was_measured_again_is_judged_for_its_errors_alone() -> None:
    over = s.threshold(comparison=Comparison.GREATER, value=1)
    verdict = judged(measured((), ()), over, NONE, failures=[AGAIN])
    assert [each.outcome for each in verdict.thresholds] == [
        Outcome.PASS,
        Outcome.FAIL,
        Outcome.FAIL,
    ]
    assert verdict.thresholds[2].threshold.metric == "kernel_errors"
    assert (verdict.outcome, verdict.exit_code) == (Outcome.FAIL, ExitCode.FAIL)
    assert verdict.failed_cases == ()
    assert verdict.sentence.endswith("failed in 1 repetition, of which only the errors count")


def test_a_spec_that_allows_such_errors_passes_with_them() -> None:
    loose = s.threshold("kernel_errors", Comparison.LESS, 100)
    verdict = judged(measured((), ()), loose, failures=[AGAIN])
    assert (verdict.outcome, verdict.exit_code) == (Outcome.PASS, ExitCode.PASS)


def test_one_that_failed_for_good_after_it_fails_the_case() -> None:
    last = replace(AGAIN, repetition=4, reason="EIO once more", again=False)
    verdict = judged(measured(()), failures=[AGAIN, last])
    assert verdict.exit_code == ExitCode.RUN_FAILED
    assert "repetition 4 of oltp/bs=4k: EIO once more; fail" in verdict.sentence
