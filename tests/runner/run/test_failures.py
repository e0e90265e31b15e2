"""What a repetition tells beside its numbers: faults of the target while it went on."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.model.measurement import KernelTrouble, Whose
from iogate.model.plan import Case
from iogate.model.run import CaseFailure
from iogate.model.spec import Repetitions
from iogate.run.failures import again_within, faults_around
from iogate.run.measure import repetitions_of, times_disturbed
from support import samples as s

OWN = KernelTrouble("I/O error", 2, ("loop3: I/O error, sector 8",), Whose.TARGET)
OTHER = KernelTrouble("I/O error", 5, ("sdz: I/O error, sector 8",), Whose.ELSEWHERE)
HOST = KernelTrouble("out of memory", 1, ("Out of memory: killed",), Whose.HOST)


def test_errors_of_the_target_itself_mark_the_repetition() -> None:
    (found,) = faults_around(s.case(), (OTHER, OWN, HOST))
    assert (found.kind, found.value, found.counts) == ("kernel_errors", 2, True)
    assert "loop3: I/O error" in found.text
    assert "sdz" not in found.text


def test_what_is_not_the_targets_or_not_known_marks_nothing() -> None:
    assert faults_around(s.case(), (OTHER, HOST)) == ()
    assert faults_around(s.case(), ()) == ()
    assert faults_around(s.case(), None) == ()


def test_a_spec_with_a_limit_on_them_measures_with_them() -> None:
    allowed = replace(s.case(), thresholds=(s.threshold("kernel_errors"),))
    assert faults_around(allowed, (OWN,)) == ()


BROKEN = CaseFailure(s.CASE_ID, 2, "job io: EIO", {"io": {"EIO": 1}}, (OWN,))


def test_a_failure_of_its_own_disk_is_measured_again_so_often() -> None:
    again = again_within(BROKEN, (), 2, 3)
    assert again.again
    assert "so it is measured again" in again.reason
    last = again_within(BROKEN, (), 3, 3)
    assert not last.again
    assert "at most 3 times (validity.again)" in last.reason


@pytest.mark.parametrize(
    "other",
    [
        replace(BROKEN, errors={}),
        replace(BROKEN, errors={"io": {"EIO": 1, "EILSEQ": 1}}),
        replace(BROKEN, errors={"io": {"ENOSPC": 1}}),
        replace(BROKEN, kernel_log=(OTHER, HOST)),
        replace(BROKEN, kernel_log=None),
        replace(BROKEN, faultless=True),
    ],
)
def test_a_failure_that_may_be_more_than_its_disk_is_not(other: CaseFailure) -> None:
    assert again_within(other, (), 0, 3) == other


def test_a_kernel_that_has_told_of_the_case_need_not_tell_each_time() -> None:
    """It leaves lines out where there are many."""
    silent = replace(BROKEN, repetition=3, kernel_log=())
    assert again_within(silent, (BROKEN,), 1, 3).again
    assert not again_within(silent, (replace(BROKEN, case_id="other"),), 1, 3).again


def test_one_more_repetition_is_due_for_each_that_is_measured_again() -> None:
    case = replace(s.case(), repetitions=Repetitions(3, 3))
    found: list[CaseFailure] = []

    def again(of: Case) -> int:
        return times_disturbed((), of, found)

    numbers = []
    for _, number in repetitions_of(s.plan(case), disturbed=again):
        numbers.append(number)
        if number in {2, 4}:
            found.append(replace(BROKEN, repetition=number, again=True))
    assert numbers == [1, 2, 3, 4, 5]
    assert times_disturbed((), case, [BROKEN]) == 0, "that one is not measured again"
    assert times_disturbed((), s.case(id="ff" * 8), found) == 0
