"""Why a limit has no baseline though the history holds runs of its case."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.history.judging import baseline_for, judge_run
from iogate.model.measurement import Disturbance
from iogate.model.run import Run
from iogate.model.verdict import Outcome
from iogate.store import Store, open_store
from support import samples as s

DAY_NS = 86_400 * 10**9
BUSY = Disturbance("cpu", 0.8, 0.1, "%", "other processes used 80 % of the CPUs")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(open_store(str(tmp_path / "history.sqlite"))) as opened:
        yield opened


def a_run(day: int, outcome: Outcome | None = Outcome.PASS, *, disturbed: int = 0) -> Run:
    """Three repetitions, the first of which were disturbed."""
    found = [
        replace(m, disturbances=(BUSY,)) if m.repetition <= disturbed else m
        for m in s.repetitions([100.0, 101.0, 102.0])
    ]
    limit = s.threshold(value=-0.05, relative=True)
    verdict = None if outcome is None else s.verdict(outcome)
    return s.run(
        f"run-{day}", started_ns=day * DAY_NS, the_plan=s.plan(s.case(limit)),
        measurements=tuple(found), outcome=verdict,
    )  # fmt: skip


def reason(store: Store) -> str:
    """What a run of the ninth day says of its limit, which has no baseline."""
    run = a_run(9, None)
    (one,) = judge_run(run, store, baseline_for(run, store)[0]).thresholds
    assert one.outcome is Outcome.MISSING_BASELINE
    return one.reason


def test_a_run_that_was_disturbed_throughout_is_told(store: Store) -> None:
    store.add_runs([a_run(1, Outcome.WARN, disturbed=3)])
    assert "no samples to compare with" in reason(store)
    assert "in 1 earlier run every repetition was disturbed" in reason(store)


def test_disturbed_repetitions_of_a_run_that_counts_are_told(store: Store) -> None:
    store.add_runs([a_run(1, disturbed=2)])
    assert "2 repetitions of earlier runs were disturbed, and do not count" in reason(store)


def test_runs_that_are_not_accepted_are_told_with_how_they_ended(store: Store) -> None:
    store.add_runs([a_run(1, Outcome.FAIL), a_run(2, Outcome.FAIL)])
    assert "2 earlier runs are not accepted: 2 fail" in reason(store)


def test_without_an_earlier_run_nothing_was_left_out(store: Store) -> None:
    assert "earlier" not in reason(store)
    store.add_runs([a_run(12, Outcome.FAIL)])
    assert "earlier" not in reason(store), "a later one is none"


def test_runs_that_are_dated_later_are_told(store: Store) -> None:
    """As those of years are when the clock of a host has lost its battery."""
    elsewhere = replace(a_run(14), environment={"kernel.release": "5.10"})
    store.add_runs([a_run(10), a_run(11), elsewhere])
    assert "2 runs of this host are dated later, and do not count" in reason(store)
    store.remove_runs(["run-11"])
    assert "1 run of this host is dated later, and does not count" in reason(store)


def test_a_run_that_began_meanwhile_is_not_dated_later(store: Store) -> None:
    run = a_run(9, None)
    long = replace(run.measurements[-1], started_ns=11 * DAY_NS)
    run = replace(run, measurements=(*run.measurements[:-1], long))
    store.add_runs([a_run(10)])
    (one,) = judge_run(run, store, baseline_for(run, store)[0]).thresholds
    assert "dated" not in one.reason
