"""When one more repetition is worth its time."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.gate.more_repetitions import wants_more
from iogate.model.spec import Comparison, Level, Repetitions, Threshold
from support import samples as s

OVER_100 = s.threshold(comparison=Comparison.GREATER, value=100)
UNDECIDED = [120, 80, 120, 80, 120, 80]


def wanted(values: list[int], *limits: Threshold) -> bool:
    case = replace(s.case(*limits), repetitions=Repetitions(5, 12))
    return wants_more(case, s.repetitions(values), s.plan(case))


@pytest.mark.parametrize(
    ("values", "more"), [(UNDECIDED, True), ([120] * 12, False), ([80] * 12, False), ([], False)]
)
def test_until_the_limit_is_decided(values: list[int], more: bool) -> None:
    assert wanted(values, OVER_100) is more


def test_for_any_of_the_limits() -> None:
    decided = s.threshold(comparison=Comparison.GREATER, value=10)
    assert wanted([*UNDECIDED] * 2, decided, OVER_100) is False  # no more are planned
    assert wanted([*UNDECIDED, 80, 120], decided, OVER_100)


def test_not_for_a_limit_that_only_warns() -> None:
    assert not wanted(UNDECIDED, replace(OVER_100, level=Level.WARN))


def test_not_for_a_value_that_some_repetition_lacks() -> None:
    unmeasured = s.threshold("read.iops", Comparison.GREATER, 100)
    assert not wanted(UNDECIDED, unmeasured)
