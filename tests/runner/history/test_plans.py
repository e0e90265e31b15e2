"""What the runs of a history say of each spec, taken together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.history.plans import kept_plans
from iogate.model.plan import Case
from iogate.model.run import Run, RunStatus
from support import samples as s

A, B, C = "a" * 16, "b" * 16, "c" * 16


def run(*cases: Case, status: RunStatus = RunStatus.COMPLETE) -> Run:
    return s.run(the_plan=s.plan(*cases), status=status)


def ids(*runs: Run) -> list[str]:
    return [case.id for case in kept_plans(runs)["demo"].cases]


def test_every_case_is_there_as_it_was_measured_last() -> None:
    newest = s.case(id=A, name="now")
    plan = kept_plans([run(newest), run(s.case(id=B), s.case(id=A, name="then"))])["demo"]
    assert [(case.id, case.name) for case in plan.cases] == [(A, "now"), (B, "oltp/bs=4k")]


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.INTERRUPTED])
def test_a_run_that_is_no_night_says_nothing(status: RunStatus) -> None:
    assert ids(run(s.case(id=B), status=status), run(s.case(id=A))) == [A]
    assert kept_plans([run(s.case(id=B), status=status)]) == {}


def test_a_case_with_a_new_id_is_no_second_one() -> None:
    renamed = s.case(id=B, aka=(A,))
    assert ids(run(renamed), run(s.case(id=A))) == [B]
    back = kept_plans([run(s.case(id=A)), run(s.case(id=B, aka=(A, C)))])["demo"]
    assert [(case.id, case.aka) for case in back.cases] == [(A, ()), (B, (C,))]


def test_what_is_known_already_is_older() -> None:
    earlier = kept_plans([run(s.case(id=A, name="then"), s.case(id=B))])
    other = replace(s.plan(s.case()), spec_name="other")
    found = kept_plans([run(s.case(id=A, name="now"))], {**earlier, "other": other})
    assert [(case.id, case.name) for case in found["demo"].cases] == [(A, "now"), (B, "oltp/bs=4k")]
    assert found["other"] == other
