"""Metrics that count faults, of a repetition that was measured and of one that failed."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.metrics import metric
from iogate.metrics.faults import counts_faults, failed_value
from iogate.model.measurement import KernelTrouble, Whose
from iogate.model.run import CaseFailure
from support import samples as s

OWN = KernelTrouble("I/O error", 2, (), Whose.TARGET)
OTHERS = KernelTrouble("I/O error", 9, (), Whose.ELSEWHERE)
NOBODYS = KernelTrouble("I/O error", 4)
FAILED = CaseFailure(
    s.CASE_ID, 1, "gone", {"log": {"EIO": 3, "ENOSPC": 1}, "bg.x": {"EIO": 5}}, (OWN, OTHERS, OWN)
)


@pytest.mark.parametrize(
    ("log", "value"),
    [(None, None), ((), 0), ((OWN, OTHERS, OWN), 4), ((OTHERS,), 0), ((OWN, NOBODYS), None)],
)
def test_the_kernels_errors_are_those_of_the_target(
    log: tuple[KernelTrouble, ...] | None, value: float | None
) -> None:
    measured = replace(s.measurement(s.job()), kernel_log=log)
    assert metric("kernel_errors").extract(measured) == value
    assert failed_value("kernel_errors", replace(FAILED, kernel_log=log)) == value


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("errors", 9),
        ("jobs.log.errors", 4),
        ("jobs.bg.x.errors", 5),
        ("jobs.other.errors", 0),
        ("kernel_errors", 4),
        ("read.iops", None),
        ("jobs.log.read.iops", None),
    ],
)
def test_a_repetition_that_failed_has_its_faults(path: str, value: float | None) -> None:
    assert failed_value(path, FAILED) == value
    assert counts_faults(path) == (value is not None)


def test_a_failure_that_nobody_counted_is_one() -> None:
    assert failed_value("errors", replace(FAILED, errors={})) == 1
    assert failed_value("jobs.log.errors", replace(FAILED, errors={"log": {"EIO": 0}})) == 1


def test_what_says_nothing_of_what_is_measured_counts_none() -> None:
    stopped = replace(FAILED, faultless=True)
    assert failed_value("errors", stopped) is None
    assert failed_value("kernel_errors", stopped) == 4
