"""How often a case is measured: the least, and more while its limits are undecided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from iogate.gate.judge import judge
from iogate.gate.more_repetitions import wants_more
from iogate.model.measurement import Measurement
from iogate.model.plan import Case, Plan
from iogate.model.spec import Comparison, Level, Repetitions, Threshold
from iogate.model.verdict import Outcome
from iogate.run.measure import most_repetitions, repetitions_of
from support import samples as s

OVER_100 = s.threshold(comparison=Comparison.GREATER, value=100)


def plan_of(*thresholds: Threshold, least: int = 5, most: int = 12) -> Plan:
    return s.plan(replace(s.case(*thresholds), repetitions=Repetitions(least, most)))


def measured(plan: Plan, values: Iterator[float]) -> list[Measurement]:
    """What a run measures where the repetitions have these values, one after the other."""
    found: list[Measurement] = []

    def wanted(case: Case) -> bool:
        return wants_more(case, found, plan)

    for _case, repetition in repetitions_of(plan, wanted):
        found.append(replace(s.repetitions([next(values)])[0], repetition=repetition))
    return found


def cycle(*values: float) -> Iterator[float]:
    while True:
        yield from values


@pytest.mark.parametrize(
    ("values", "count", "outcome"),
    [
        ((120.0,), 5, Outcome.PASS),
        ((80.0,), 5, Outcome.FAIL),
        ((120.0, 80.0), 12, Outcome.INCONCLUSIVE),
        ((80.0, *[120.0] * 20), 9, Outcome.PASS),
    ],
)
def test_a_case_is_repeated_until_it_is_decided(
    values: tuple[float, ...], count: int, outcome: Outcome
) -> None:
    plan = plan_of(OVER_100)
    found = measured(plan, cycle(*values))
    assert len(found) == count
    assert [m.repetition for m in found] == list(range(1, count + 1))
    assert judge(plan, found, (), ()).thresholds[0].outcome is outcome


def test_a_number_is_a_number() -> None:
    plan = plan_of(OVER_100, least=6, most=6)
    assert len(measured(plan, cycle(120.0, 80.0))) == 6
    assert len(list(most_repetitions(plan))) == len(list(repetitions_of(plan))) == 6
    assert len(list(most_repetitions(plan_of(OVER_100)))) == 12


def test_below_five_the_median_is_not_worth_a_point() -> None:
    assert len(measured(plan_of(OVER_100, least=2, most=9), cycle(120.0))) == 5
    few = plan_of(OVER_100, least=2, most=3)
    found = measured(few, cycle(120.0))
    assert len(found) == 3
    assert judge(few, found, (), ()).thresholds[0].point


@pytest.mark.parametrize(
    "threshold",
    [
        s.threshold(comparison=Comparison.GREATER, value=-0.1, relative=True),
        replace(OVER_100, level=Level.WARN),
        replace(OVER_100, metric="read.iops"),
    ],
)
def test_other_limits_do_not_prolong_a_run(threshold: Threshold) -> None:
    assert len(measured(plan_of(threshold), cycle(120.0, 80.0))) == 5
