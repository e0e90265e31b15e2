"""What a repetition tells beside its numbers: faults of the target while it went on."""

from __future__ import annotations

from dataclasses import replace

from iogate.model.measurement import KernelTrouble, Whose
from iogate.run.failures import faults_around
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
