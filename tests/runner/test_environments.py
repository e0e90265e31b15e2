"""Which environments may be compared, and what is said of those that may not."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.environments import COMPARE_KEYS, Facts, compared, describe, differences, digest
from iogate.gate.judge import judge
from iogate.history.baseline import find_baseline
from iogate.model.run import Run
from iogate.model.verdict import Outcome
from iogate.store import open_store
from support import samples as s

OLD: Facts = {
    "kernel.release": "6.1",
    "target.d.firmware": "A1",
    "load.average_1m": 0.1,
    "vm.swappiness": 60,
}
NEW: Facts = {**OLD, "kernel.release": "6.6", "load.average_1m": 3.5, "vm.swappiness": 10}


def facts(*changes: object) -> list[str]:
    return [change.fact for change in differences(OLD, NEW, *changes)]  # type: ignore[arg-type]


def test_what_moves_numbers_is_a_difference_and_what_varies_is_not() -> None:
    assert facts() == ["kernel.release"]
    assert describe(differences(OLD, NEW)[0]) == "kernel.release was 6.1 and is 6.6"


def test_a_spec_adds_keys_and_takes_some_away() -> None:
    assert facts(("kernel.*",)) == []
    assert facts((), ("vm.*",)) == ["kernel.release", "vm.swappiness"]
    assert facts(("*",), ("vm.*",)) == []


def test_what_one_side_does_not_know_is_no_difference() -> None:
    assert differences({}, NEW) == ()
    assert differences({"cpu.model": "x"}, NEW) == ()


@pytest.mark.parametrize(
    "fact",
    [
        "kernel.release", "kernel.build_id", "kernel.cmdline", "cpu.model", "engine.version",
        "engine.clock", "target.d.model", "target.d.serial_digest", "target.d.firmware",
        "target.d.filesystem", "target.d.mkfs", "target.d.scheduler", "target.d.nr_requests",
    ],
)  # fmt: skip
def test_the_fingerprint_holds(fact: str) -> None:
    assert list(compared({fact: "x"})) == [fact]


# As it was recorded before an engine said its semantics, and later.
RECORDED: Facts = {"engine.name": "native", "engine.version": "0.1.0", "engine.clock": "tsc"}
LATER: Facts = {**RECORDED, "engine.version": "0.2.0", "engine.semantics": 1}
RAISED: Facts = {**LATER, "engine.semantics": 2}


def test_another_version_of_the_engine_is_the_same_environment() -> None:
    assert differences(RECORDED, LATER) == differences(LATER, RECORDED) == ()
    assert digest(compared(LATER)) == digest(compared(RECORDED))
    unsaid: Facts = {**RECORDED, "engine.version": "0.0.9"}
    assert compared(unsaid) == compared(RECORDED)
    as_text: Facts = {**LATER, "engine.semantics": "1"}  # a server keeps facts as text
    assert compared(as_text) == compared(RECORDED)
    imported: Facts = {**LATER, "engine.name": "iogate-engine"}
    assert compared(imported)["engine.version"] == compared(RECORDED)["engine.version"]


def test_another_meaning_of_its_numbers_is_another_environment() -> None:
    for before in (RECORDED, LATER):
        (change,) = differences(before, RAISED)
        assert (change.fact, change.before, change.after) == ("engine.semantics", "1", "2")
    assert describe(change) == "engine.semantics (what the engine's numbers mean) was 1 and is 2"
    assert differences(RAISED, {**RAISED, "engine.version": "0.3.0"}) == ()
    assert differences(RAISED, {**RAISED, "engine.semantics": 3})[0].before == "2"


@pytest.mark.parametrize("pattern", ["engine.*", "engine.version", "engine.semantics"])
def test_a_spec_may_compare_across_meanings(pattern: str) -> None:
    assert differences(RECORDED, RAISED, (pattern,)) == ()


def test_a_spec_may_ask_for_the_same_version() -> None:
    also = (), ("engine.version",)
    (change,) = differences(RECORDED, LATER, *also)
    assert (change.fact, change.before, change.after) == ("engine.version", "0.1.0", "0.2.0")
    (change,) = differences(LATER, RAISED, *also)
    assert change.after == "0.2.0, semantics 2"
    assert compared(RECORDED, *also) == compared(RECORDED)


def test_of_fio_the_version_is_compared() -> None:
    old: Facts = {"engine.name": "fio", "engine.version": "3.33"}
    (change,) = differences(old, {**old, "engine.version": "3.34"})
    assert (change.fact, change.before, change.after) == ("engine.version", "3.33", "3.34")
    assert {c.fact for c in differences(old, RAISED)} == {"engine.name", "engine.version"}


@given(st.dictionaries(st.sampled_from(["cpu.model", "load.x", "engine.name"]), st.text()))
def test_an_environment_does_not_differ_from_itself(environment: dict[str, str]) -> None:
    assert differences(environment, environment) == ()
    assert set(compared(environment)) <= set(environment)
    assert not set(compared(environment, COMPARE_KEYS))


def measured(id: str, at: int, kernel: str, **rule: object) -> Run:
    limit = s.threshold(value=-0.05, relative=True)
    plan = s.plan(s.case(limit), min_samples=5)
    plan = replace(plan, baseline=replace(plan.baseline, **rule))  # type: ignore[arg-type]
    run = s.run(
        id, started_ns=at, the_plan=plan, measurements=s.repetitions([100, 101, 99]),
        outcome=s.verdict(),
    )  # fmt: skip
    return replace(run, environment={"kernel.release": kernel})


def history(path: Path, *kernels: str) -> str:
    url = str(path / "h.sqlite")
    with closing(open_store(url)) as store:
        store.add_runs(measured(f"old-{at}", at, kernel) for at, kernel in enumerate(kernels))
    return url


def test_a_missing_baseline_names_the_fact_that_differs(tmp_path: Path) -> None:
    run = measured("now", 99, "6.6")
    with closing(open_store(history(tmp_path, "6.1", "6.1", "6.2"))) as store:
        baseline = find_baseline(run, store)
    assert baseline.runs == ()
    verdict = judge(run.plan, run.measurements, (), (), why_fewer=baseline.why_fewer)
    (threshold,) = verdict.thresholds
    assert threshold.outcome is Outcome.MISSING_BASELINE
    assert (
        "3 earlier runs are of another environment: kernel.release was 6.2 and is 6.6"
        in threshold.reason
    )
    assert threshold.reason in verdict.sentence


def test_the_window_is_filled_from_before_the_change(tmp_path: Path) -> None:
    url = history(tmp_path, "6.6", "6.6", "6.1", "6.1")
    with closing(open_store(url)) as store:
        narrow = find_baseline(measured("now", 99, "6.6", window=2), store)
        wide = measured("now", 99, "6.6", window=2, across=("kernel.*",))
        across = find_baseline(wide, store)
    assert [run.id for run in narrow.runs] == ["old-1", "old-0"]
    assert [run.id for run in across.runs] == ["old-3", "old-2"]


def test_a_verdict_with_a_baseline_stays_as_it_is(tmp_path: Path) -> None:
    run = measured("now", 99, "6.6")
    with closing(open_store(history(tmp_path, "6.6", "6.6", "6.1"))) as store:
        baseline = find_baseline(run, store)
    verdict = judge(run.plan, run.measurements, (), baseline.runs)
    assert len(baseline.set_aside) == 1
    assert (
        judge(run.plan, run.measurements, (), baseline.runs, why_fewer=baseline.why_fewer)
        == verdict
    )
