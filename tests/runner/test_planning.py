"""What a number of blocks can see, from the noise that is kept."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.model.comparison import Arm, Comparison
from iogate.model.run import Run
from iogate.model.spec import Comparison as Compare
from iogate.planning import block_seconds, prospects
from iogate.spec.arms import canary_id
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.05, relative=True)
CASE = s.case(LIMIT)
PLAN = s.plan(CASE)


def canary(*values: float, started_ns: int = 1) -> Run:
    rule = Comparison(Arm("A"), Arm("B"), seed=0, canary=True)
    plan = replace(PLAN, comparison=rule)
    measured = s.repetitions(values, case_id=canary_id(CASE))
    return s.run("canary", the_plan=plan, measurements=measured, started_ns=started_ns)


def test_without_noise_nothing_is_promised() -> None:
    found = prospects(PLAN, [], (10,), most_blocks=28)[0]
    assert (found.noise, found.visible, found.blocks_for_limit) == (None, (None,), None)
    assert prospects(PLAN, [canary(1, 2, 3)], (10,), most_blocks=28)[0].noise is None


def test_more_blocks_see_less_and_more_noise_needs_more() -> None:
    quiet = prospects(PLAN, [canary(100, 101, 99, 100, 102)], (6, 28), most_blocks=28)[0]
    loud = prospects(PLAN, [canary(100, 110, 90, 100, 120)], (6, 28), most_blocks=28)[0]
    assert quiet.visible[0] is not None
    assert quiet.visible[1] is not None
    assert loud.visible[1] is not None
    assert quiet.visible[0] < quiet.visible[1] < 0
    assert loud.visible[1] < quiet.visible[1]
    assert quiet.blocks_for_limit is not None
    assert loud.blocks_for_limit is not None
    assert quiet.blocks_for_limit < 28 < loud.blocks_for_limit


def test_a_canary_is_believed_before_a_newer_run() -> None:
    run = s.run("new", measurements=s.repetitions([1, 9, 1, 9, 5]), started_ns=10**15)
    found = prospects(PLAN, [run, canary(100, 101, 99, 100)], (10,), most_blocks=28)[0]
    assert found.noise is not None
    assert found.noise.source == "canary"
    alone = prospects(PLAN, [run], (10,), most_blocks=28)[0]
    assert alone.noise is not None
    assert alone.noise.source == "history"
    assert alone.noise.sd == pytest.approx(1.1, abs=0.2)


def test_a_block_is_two_runs_of_each_case() -> None:
    assert block_seconds(PLAN, [canary(1, 1, 1, 1)]) == pytest.approx(4.0)
