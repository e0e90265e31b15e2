"""By which rule a kept comparison goes on, if it does."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from iogate.errors import UsageError
from iogate.gate.judge import judge
from iogate.host.facts import this_host
from iogate.host.locks.host_lock import host_lock
from iogate.model.comparison import Arm, Comparison, repetition_of
from iogate.model.measurement import Measurement
from iogate.model.run import Run, RunStatus
from iogate.model.spec import Comparison as Compare
from iogate.model.verdict import Outcome
from iogate.run.more import goes_on, is_left
from iogate.sut.local import LocalSut
from support import samples as s

LIMIT = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
RULE = Comparison(Arm("old"), Arm("new"), seed=1)


def noisy(seed: int, n: int, level: float = 1000.0, sd: float = 0.03) -> list[float]:
    return [float(v) for v in level * np.exp(np.random.default_rng(seed).normal(0, sd, n))]


def measured(old: Sequence[float], new: Sequence[float]) -> list[Measurement]:
    return [
        replace(each, arm=arm, block=block, repetition=repetition_of(block, place))
        for place, (arm, values) in enumerate((("old", old), ("new", new)))
        for block, each in enumerate(s.repetitions(values), start=1)
    ]


def kept(old: Sequence[float], new: Sequence[float], **rule: object) -> Run:
    plan = replace(s.plan(s.case(LIMIT)), comparison=replace(RULE, **rule))  # type: ignore[arg-type]
    return s.run("a", the_plan=plan, measurements=tuple(measured(old, new)))


def test_what_was_planned_comes_before_what_is_added() -> None:
    rule = goes_on(kept(noisy(1, 10, 1000), noisy(2, 10, 975)))
    assert rule is not None
    assert (rule.stages, rule.most_blocks) == (1, 28)


def test_as_many_blocks_are_added_as_there_were() -> None:
    at_the_limit = kept(noisy(1, 28), noisy(2, 28, 975))
    assert at_the_limit.plan.comparison == RULE
    rule = goes_on(at_the_limit)
    assert rule == replace(RULE, stages=2, most_blocks=56)
    assert goes_on(replace(at_the_limit, plan=replace(at_the_limit.plan, comparison=rule))) == rule


def test_so_many_are_added_that_they_may_decide() -> None:
    rule = goes_on(kept(noisy(1, 5, sd=0.1), noisy(2, 5, 985, sd=0.1), most_blocks=5))
    assert rule is not None
    assert rule.stages > 2
    assert rule.most_blocks == 5 * rule.stages
    assert goes_on(kept(noisy(1, 28, sd=0.5), noisy(2, 28, sd=0.5))) is None


def test_what_is_decided_does_not_go_on() -> None:
    assert goes_on(kept(noisy(1, 28), noisy(2, 28))) is None
    failed = kept(noisy(1, 12), noisy(2, 12, 800))
    assert judge(failed.plan, failed.measurements, (), ()).outcome is Outcome.FAIL
    assert goes_on(failed) is None


def test_what_is_no_comparison_does_not_go_on() -> None:
    plain = replace(kept([1.0], [1.0]), plan=s.plan(s.case(LIMIT)))
    running = replace(kept([1.0], [1.0]), status=RunStatus.RUNNING)
    for run in (plain, kept([1.0], [1.0], canary=True), running):
        with pytest.raises(UsageError):
            goes_on(run)


def test_added_blocks_decide_what_was_open_and_what_was_judged_stays() -> None:
    old, new = noisy(29, 36), noisy(30, 36, 962)
    longer = kept(old, new, stages=2, most_blocks=56)
    first, both = (
        judge(run.plan, run.measurements, (), ()).thresholds[0]
        for run in (kept(old[:28], new[:28]), longer)
    )
    assert first.outcome is Outcome.INCONCLUSIVE
    assert both.looks[: len(first.looks)] == first.looks
    assert (both.outcome, both.blocks) == (Outcome.FAIL, 36)
    assert both.decision is not None
    assert both.decision.interval.confidence == pytest.approx(0.75)
    assert both.decision.level == pytest.approx(1.1 * 0.0083)
    assert "found after 36 of at most 56 blocks" in both.reason


def test_a_run_that_is_still_held_is_waited_for() -> None:
    """As by the agent of a host by ssh, a minute longer than by its iogate."""
    sut = LocalSut()
    begun = replace(kept([1.0], [1.0]), status=RunStatus.RUNNING)
    begun = replace(begun, host=replace(begun.host, machine_id=this_host(sut).machine_id))
    ends = threading.Event()

    def measure() -> None:
        with host_lock(LocalSut(), begun.id):
            holds.set()
            ends.wait(30)

    holds = threading.Event()
    measuring = threading.Thread(target=measure)
    measuring.start()
    holds.wait(30)
    assert not is_left(begun, sut)
    threading.Timer(0.1, ends.set).start()
    assert is_left(begun, sut, 30)
    measuring.join()
