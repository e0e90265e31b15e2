"""What every store in the registry must do; a new one is tested once it has a row here."""

from __future__ import annotations

import math
import multiprocessing
from dataclasses import replace
from multiprocessing.connection import Connection

import pytest

from iogate.errors import StoreError, UsageError
from iogate.model.measurement import KernelTrouble, Measurement, Whose
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.model.verdict import Outcome
from iogate.store import STORES, Store, open_store
from support import samples as s
from support.stores import URLS

EVERYTHING = 2**62


def test_every_store_of_the_registry_is_tested() -> None:
    assert set(URLS) == set(STORES)


def full_measurement(repetition: int = 1, case_id: str = s.CASE_ID) -> Measurement:
    part = s.direction(clat=s.latency([100, 200, 70_000]), lat=s.latency([300, 400]))
    found = s.measurement(
        s.job("log", series=s.series([5, 6]), write=part),
        s.job("data", read=part),
        case_id=case_id,
        repetition=repetition,
    )
    return replace(found, kernel_log=(KernelTrouble("I/O error", 2, ("dev sda, sector 8",)),))


def accepted(store: Store, id: str, started_ns: int, *measurements: Measurement) -> None:
    store.begin_run(s.run(id, started_ns=started_ns, status=RunStatus.RUNNING))
    for one in measurements:
        store.add_measurement(id, one)
    finish(store, id, Outcome.PASS)


def finish(store: Store, id: str, outcome: Outcome, status: RunStatus = RunStatus.COMPLETE) -> None:
    store.finish_run(id, status=status, finished_ns=99, verdict=s.verdict(outcome))


def baseline_ids(store: Store, **wanted: object) -> list[str]:
    question: dict[str, object] = {
        "machine_id": "machine-a",
        "before_ns": EVERYTHING,
        "window": 20,
    } | wanted
    return [run.id for run in store.baseline([s.CASE_ID], **question)]  # type: ignore[arg-type]


def test_a_path_that_is_not_utf_8_is_kept_byte_for_byte(store: Store) -> None:
    path = b"/srv/caf\xe9".decode("utf-8", "surrogateescape")
    run = s.run("a", measurements=s.repetitions([5]))
    run = replace(
        run,
        folder=path,
        revision=replace(run.revision, label=path),
        environment={"target.disk.path": path},
    )
    store.add_runs([run])
    assert store.run("a") == run
    assert store.runs() == [replace(run, measurements=())]


@pytest.mark.parametrize("bound", ["DOCUMENT_BYTES", "DOCUMENT_VALUES"])
def test_what_could_not_be_read_again_is_not_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch, bound: str
) -> None:
    """An engine says as much as it likes, and the history is damaged to whoever reads it next."""
    store.begin_run(s.run("a", status=RunStatus.RUNNING))
    kept = full_measurement(1)
    store.add_measurement("a", kept)
    series = s.series(list(range(20_000)))
    large = s.measurement(s.job("log", series=series), repetition=2)
    monkeypatch.setattr(f"iogate.files.bounded.{bound}", 50_000)
    with pytest.raises(StoreError, match="is not kept") as raised:
        store.add_measurement("a", large)
    assert raised.value.remedy
    finish(store, "a", Outcome.PASS)
    assert store.run("a").measurements == (kept,)


def test_a_run_comes_back_as_it_was_put_in(store: Store, url: str) -> None:
    begun = s.run(status=RunStatus.RUNNING)
    measurements = tuple(full_measurement(n) for n in (1, 2))
    log = (KernelTrouble("I/O error", 2, ("I/O error, dev sda",), Whose.TARGET),)
    failure = CaseFailure(s.CASE_ID, 3, "the disk was full", {"job": {"EIO": 2}}, log)
    store.begin_run(begun)
    for one in measurements:
        store.add_measurement(begun.id, one)
    store.add_failure(begun.id, failure)
    store.finish_run(
        begun.id, status=RunStatus.COMPLETE, finished_ns=7, verdict=s.verdict(Outcome.WARN)
    )
    expected = replace(
        begun,
        status=RunStatus.COMPLETE,
        finished_ns=7,
        verdict=s.verdict(Outcome.WARN),
        measurements=measurements,
        failures=(failure,),
    )
    assert store.run(begun.id) == expected
    store.close()
    again = open_store(url)
    assert again.run(begun.id) == expected
    again.close()


def steady(found: str = "SNIA") -> DevicePrecondition:
    rounds = SteadyState("snia", "iops", 1.0, (3e5, 1.2e5, 1e5), 2, found, 1.1e5, (1e5, 1.2e5))
    return DevicePrecondition("raw", "/dev/nvme0n1", "done by this run", True, 5, "a", 9, rounds)


def test_the_state_that_devices_were_brought_to_is_kept(store: Store, url: str) -> None:
    begun = s.run("a", status=RunStatus.RUNNING)
    store.begin_run(begun)
    store.keep_preconditions("a", [steady(), replace(steady(), device="/dev/sdb", steady=None)])
    store.keep_preconditions("a", [steady("x" * 200_000)])  # all of it anew
    store.add_measurement("a", full_measurement())
    store.finish_run("a", status=RunStatus.COMPLETE, finished_ns=7, verdict=s.verdict())
    for opened in (store, open_store(url)):
        assert opened.run("a").preconditions == (steady("x" * 200_000),)
        (listed,) = opened.runs()
        assert listed.preconditions == (steady("x" * 200_000),)
        assert opened.run("a").plan == begun.plan
        opened.close()


def test_a_whole_run_brings_its_preconditions_along(store: Store) -> None:
    store.add_runs([replace(s.run("a"), preconditions=(steady(),))])
    assert store.run("a").preconditions == (steady(),)
    store.keep_preconditions("a", [])
    assert store.run("a").preconditions == ()


def test_what_was_measured_is_there_while_the_run_goes_on(store: Store, url: str) -> None:
    store.begin_run(s.run(status=RunStatus.RUNNING))
    store.add_measurement("run-1", full_measurement())
    reader = open_store(url)
    assert reader.run("run-1").measurements == (full_measurement(),)
    assert reader.run("run-1").status is RunStatus.RUNNING
    reader.close()


def test_a_run_that_already_holds_measurements_keeps_them(store: Store) -> None:
    whole = s.run(measurements=(full_measurement(),), outcome=s.verdict())
    store.begin_run(whole)
    assert store.run(whole.id) == whole


def test_adding_a_repetition_again_changes_nothing(store: Store) -> None:
    store.begin_run(s.run())
    store.add_measurement("run-1", full_measurement())
    changed = replace(full_measurement(), duration_ns=1)
    store.add_measurement("run-1", changed)
    store.add_failure("run-1", CaseFailure(s.CASE_ID, 2, "first"))
    store.add_failure("run-1", CaseFailure(s.CASE_ID, 2, "second"))
    assert store.run("run-1").measurements == (full_measurement(),)
    assert [failure.reason for failure in store.run("run-1").failures] == ["first"]


def test_measurements_keep_the_order_in_which_they_ran(store: Store) -> None:
    store.begin_run(s.run())
    order = [("b", 2), ("a", 1), ("b", 1), ("a", 2)]
    for case_id, repetition in order:
        store.add_measurement("run-1", full_measurement(repetition, case_id))
    found = [(m.case_id, m.repetition) for m in store.run("run-1").measurements]
    assert found == order


def test_numbers_that_json_does_not_know_survive(store: Store) -> None:
    store.begin_run(s.run())
    store.add_measurement("run-1", s.repetitions([math.inf])[0])
    store.add_measurement("run-1", s.repetitions([1, math.nan])[1])
    first, second = (m.jobs[0].directions["write"].iops for m in store.run("run-1").measurements)
    assert first == math.inf
    assert math.isnan(second)


def test_a_run_that_was_never_begun_is_refused(store: Store) -> None:
    with pytest.raises(StoreError, match="no run 'nobody'"):
        store.keep_preconditions("nobody", [steady()])
    with pytest.raises(StoreError):
        store.add_measurement("nobody", full_measurement())
    with pytest.raises(StoreError):
        store.add_failure("nobody", CaseFailure("c", 1, "why"))
    with pytest.raises(StoreError):
        finish(store, "nobody", Outcome.PASS)
    store.begin_run(s.run("somebody"))  # a refusal leaves nothing half done
    store.add_measurement("somebody", full_measurement())
    assert [run.id for run in store.runs()] == ["somebody"]


def test_an_id_is_taken_once(store: Store) -> None:
    store.begin_run(s.run())
    with pytest.raises(StoreError):
        store.begin_run(s.run(started_ns=5))
    assert store.run("run-1").started_ns == 1


def test_a_run_is_found_by_the_beginning_of_its_id(store: Store) -> None:
    for name in ("abc-1", "abc-2", "abd", "ab"):
        store.begin_run(s.run(name))
    assert store.run("abd").id == "abd"
    assert store.run("abc-2").id == "abc-2"
    assert store.run("ab").id == "ab"
    with pytest.raises(UsageError, match="several runs: abc-") as several:
        store.run("abc")
    assert "give more" in several.value.remedy
    for absent in ("x", "ab%", "ab_", "ABD"):
        with pytest.raises(UsageError, match="no run"):
            store.run(absent)


def test_runs_are_listed_newest_first_without_measurements(store: Store) -> None:
    other = s.plan(s.case(), spec_name="other")
    store.begin_run(s.run("first", started_ns=10, measurements=(full_measurement(),)))
    store.begin_run(s.run("third", started_ns=30, the_plan=other))
    store.begin_run(s.run("second", started_ns=20, machine_id="machine-b"))
    assert [run.id for run in store.runs()] == ["third", "second", "first"]
    assert [run.id for run in store.runs(limit=1)] == ["third"]
    assert [run.id for run in store.runs(spec="other")] == ["third"]
    assert [run.id for run in store.runs(host="machine-b")] == ["second"]
    assert len(store.runs(host="host-a")) == 3
    assert store.runs(host="elsewhere") == []
    assert store.runs(limit=0) == []
    assert all(run.measurements == () for run in store.runs())


def test_runs_are_listed_without_verdicts_where_nobody_asks(store: Store) -> None:
    judged = s.run("judged", outcome=s.verdict())
    store.add_runs([judged])
    assert list(store.runs(verdicts=False)) == [replace(judged, verdict=None)]
    assert list(store.runs()) == [judged]


def test_many_runs_have_the_plans_that_they_had(store: Store) -> None:
    """Nights of a spec share its plan, which takes a megabyte where it has 200 cases."""
    plans = [s.plan(s.case(), spec_name=name) for name in ("demo", "other")]
    plans.append(s.plan(s.case(id="9" * 16, name="added"), spec_name="demo"))
    runs = [
        s.run(f"run-{n:03}", started_ns=n * s.SECOND_NS, the_plan=plans[2 if n == 60 else n % 2])
        for n in range(130)
    ]
    store.add_runs(runs)
    kept = list(store.runs())
    assert kept == runs[::-1]
    assert len({id(run.plan) for run in kept}) < 6


def test_a_baseline_is_the_last_accepted_runs_of_the_case_on_the_host(store: Store) -> None:
    for number in range(1, 5):
        accepted(store, f"run-{number}", number, full_measurement())
    assert baseline_ids(store) == ["run-4", "run-3", "run-2", "run-1"]
    assert baseline_ids(store, window=2) == ["run-4", "run-3"]
    assert baseline_ids(store, before_ns=3) == ["run-2", "run-1"]
    assert baseline_ids(store, machine_id="machine-b") == []
    assert baseline_ids(store, window=0) == []
    assert store.baseline([], machine_id="machine-a", before_ns=EVERYTHING, window=9) == []


@pytest.mark.parametrize("outcome", list(Outcome))
def test_only_accepted_outcomes_make_a_baseline(store: Store, outcome: Outcome) -> None:
    store.begin_run(s.run(status=RunStatus.RUNNING, measurements=(full_measurement(),)))
    finish(store, "run-1", outcome)
    assert baseline_ids(store) == ([] if outcome is Outcome.FAIL else ["run-1"])


@pytest.mark.parametrize("status", [status for status in RunStatus if status != "complete"])
def test_only_complete_runs_make_a_baseline(store: Store, status: RunStatus) -> None:
    store.begin_run(s.run(status=RunStatus.RUNNING, measurements=(full_measurement(),)))
    finish(store, "run-1", Outcome.PASS, status)
    assert baseline_ids(store) == []


def test_a_baseline_brings_its_cases_and_no_time_series(store: Store) -> None:
    accepted(store, "run-1", 1, full_measurement(), full_measurement(case_id="other"))
    accepted(store, "run-2", 2, full_measurement(case_id="other"))
    (run,) = store.baseline([s.CASE_ID], machine_id="machine-a", before_ns=9, window=9)
    (found,) = run.measurements
    assert found.case_id == s.CASE_ID
    assert found.jobs[0].series is None
    assert found.jobs[0].directions == full_measurement().jobs[0].directions


def test_a_baseline_of_very_many_cases(store: Store) -> None:
    accepted(store, "run-1", 1, full_measurement())
    ids = [f"{number:016x}" for number in range(40_000)] + [s.CASE_ID]
    found = store.baseline(ids, machine_id="machine-a", before_ns=9, window=9)
    assert [run.id for run in found] == ["run-1"]


def test_closing_twice_is_harmless_and_using_it_then_is_an_error(store: Store) -> None:
    store.close()
    store.close()
    with pytest.raises(StoreError, match="closed"):
        store.runs()


def _write(url: str, name: str, barrier: object) -> None:
    barrier.wait(timeout=60)  # type: ignore[attr-defined]
    store = open_store(url)
    store.begin_run(s.run(name))
    for number in range(1, 21):
        store.add_measurement(name, full_measurement(number))
    finish(store, name, Outcome.PASS)
    store.close()


def test_processes_may_write_at_once_from_the_very_beginning(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    barrier = context.Barrier(3)
    names = ["one", "two", "three"]
    processes = [context.Process(target=_write, args=(url, name, barrier)) for name in names]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
    assert [process.exitcode for process in processes] == [0, 0, 0]
    store = open_store(url)
    runs: list[Run] = [store.run(name) for name in names]
    store.close()
    assert [len(run.measurements) for run in runs] == [20, 20, 20]


def _write_until_killed(url: str, kept: Connection) -> None:
    store = open_store(url)
    store.begin_run(s.run("killed", status=RunStatus.RUNNING))
    for number in range(1, 100_000):
        store.add_measurement("killed", full_measurement(number))
        kept.send(number)


def test_a_killed_process_loses_nothing_that_was_kept(url: str) -> None:
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_write_until_killed, args=(url, sender))
    process.start()
    sender.close()
    while receiver.recv() < 5:
        pass
    process.kill()
    process.join(60)
    kept = 5
    while receiver.poll():
        try:
            kept = receiver.recv()
        except EOFError:
            break
    receiver.close()
    store = open_store(url)
    found = [m.repetition for m in store.run("killed").measurements]
    store.close()
    assert found[:kept] == list(range(1, kept + 1))
