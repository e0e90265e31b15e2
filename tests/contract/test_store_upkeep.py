"""What looking after a history needs of every store."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.archive import keep
from iogate.errors import StoreError, UsageError
from iogate.history.retention import SETTING, apply_policy
from iogate.model.measurement import Measurement
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.recovery.repair import verify
from iogate.store import Store, open_store
from support import samples as s

EVERYTHING = 2**62


def measured(repetition: int = 1) -> Measurement:
    write = s.direction(clat=s.latency([100, 200, 70_000]))
    return s.measurement(
        s.job("log", series=s.series([5, 6, 7, 8]), write=write),
        s.job("data", write=write),
        repetition=repetition,
    )


def whole(id: str = "run-1", *, at: int = 1, **more: object) -> Run:
    run = s.run(id, started_ns=at, measurements=(measured(1), measured(2)), outcome=s.verdict())
    return replace(run, **more)  # type: ignore[arg-type]


def test_runs_are_kept_whole_in_one_go(store: Store) -> None:
    runs = [
        whole("a"),
        whole("b", at=2, failures=(CaseFailure(s.CASE_ID, 3, "no"),)),
        whole("c", at=3, status=RunStatus.RUNNING, finished_ns=0, verdict=None),
    ]
    assert store.add_runs(iter(runs)) == 3
    assert [store.run(run.id) for run in runs] == runs
    assert len(store.nights([s.CASE_ID])) == 2


def test_a_run_that_is_kept_stays_as_it_is(store: Store) -> None:
    store.add_runs([whole("a")])
    assert store.add_runs([replace(whole("a"), folder="/elsewhere"), whole("b")]) == 1
    assert store.run("a") == whole("a")


def test_a_run_is_completed_by_itself_and_by_no_other(store: Store) -> None:
    run = whole()
    store.add_runs([replace(run, status=RunStatus.FAILED, verdict=None)])
    begun = replace(run, status=RunStatus.RUNNING, finished_ns=0, verdict=None)
    other = replace(run, started_ns=2, measurements=(*run.measurements, measured(3)))
    for each in (begun, other):
        assert keep(store, [each]).different == [run.id]
        assert store.run(run.id) == replace(run, status=RunStatus.FAILED, verdict=None)
    cut = replace(begun, id="cut", measurements=run.measurements[:1])
    store.add_runs([cut])
    ended = replace(run, id="cut")
    assert keep(store, [ended]).completed == 1
    assert store.run("cut") == ended


def test_a_run_that_is_removed_leaves_nothing_and_takes_no_other(store: Store) -> None:
    failed = (CaseFailure(s.CASE_ID, 3, "no"),)
    store.add_runs([whole("a", failures=failed), whole("b", at=2), whole("c", at=3)])
    assert store.remove_runs(["a", "c", "never"]) == 2
    assert store.run_ids() == ["b"]
    assert store.run("b") == whole("b", at=2)
    assert [night.facts.run_id for night in store.nights([s.CASE_ID])] == ["b"]
    with pytest.raises(UsageError, match="no run 'a'"):
        store.run("a")


def test_a_run_that_was_removed_may_come_again(store: Store) -> None:
    again = whole("a", measurements=(measured(1),))
    store.add_runs([whole("a", failures=(CaseFailure(s.CASE_ID, 3, "no"),))])
    store.remove_runs(["a"])
    assert store.add_runs([again]) == 1
    assert store.run("a") == again


def test_ids_are_in_the_order_of_the_runs(store: Store) -> None:
    assert store.run_ids() == []
    store.add_runs([whole("late", at=9), whole("b", at=3), whole("a", at=3)])
    assert store.run_ids() == ["a", "b", "late"]


def test_only_comparable_runs_count_for_a_baseline(store: Store) -> None:
    facts = [{"kernel.release": "6.1"}, {"kernel.release": "6.2"}, {"kernel.release": "6.1"}]
    store.add_runs(
        whole(f"run-{at}", at=at, environment=environment) for at, environment in enumerate(facts)
    )
    found = store.baseline(
        [s.CASE_ID],
        machine_id="machine-a",
        before_ns=EVERYTHING,
        window=2,
        comparable=lambda facts: facts.environment["kernel.release"] == "6.1",
    )
    assert [run.id for run in found] == ["run-2", "run-0"]
    assert found[0].measurements[0].jobs[1] == measured().jobs[1]


def test_time_series_can_be_replaced_and_all_else_stays(store: Store) -> None:
    store.add_runs([whole()])
    store.replace_series("run-1", s.CASE_ID, 1, [s.series([11, 15], interval_ms=2000), None])
    store.replace_series("run-1", s.CASE_ID, 2, [None, None])
    first, second = store.run("run-1").measurements
    log, data = measured(1).jobs
    assert first.jobs == (replace(log, series=s.series([11, 15], interval_ms=2000)), data)
    assert second.jobs == (replace(log, series=None), data)
    assert store.run("run-1").verdict == whole().verdict
    night = store.nights([s.CASE_ID])[0]
    assert night.values[s.CASE_ID, "write.iops"] == 2000


def test_series_of_what_is_not_kept_are_refused(store: Store) -> None:
    store.add_runs([whole()])
    with pytest.raises(StoreError, match="nobody"):
        store.replace_series("nobody", s.CASE_ID, 1, [None, None])
    with pytest.raises(StoreError):
        store.replace_series("run-1", s.CASE_ID, 9, [None, None])


def test_settings_are_kept(store: Store, url: str) -> None:
    assert store.setting("retention") is None
    store.set_setting("retention", "first")
    store.set_setting("retention", "ändert\nsich")
    store.set_setting("other", "x")
    store.set_setting("other", None)
    store.set_setting("never-there", None)
    again = open_store(url)
    assert again.setting("retention") == "ändert\nsich"
    assert again.setting("other") is None
    again.close()


def test_a_sound_history_has_nothing_wrong(store: Store) -> None:
    store.add_runs([whole()])
    assert store.check() == []
    store.compact()
    assert store.run("run-1") == whole()


def test_a_sound_history_is_verified(store: Store, url: str) -> None:
    store.add_runs([whole("a"), whole("b", at=2)])
    findings = verify(url)
    assert (findings.runs, findings.damage, findings.newer) == (2, [], [])


def test_a_policy_thins_what_is_old(store: Store) -> None:
    day_ns = 86_400 * 10**9
    ages = {"old": 1, "new": 80, "last": 90}
    store.add_runs([whole(name, at=day * day_ns) for name, day in ages.items()])
    store.set_setting(SETTING, "30d:2s")
    assert apply_policy(store, now_ns=90 * day_ns) == 2
    assert apply_policy(store, now_ns=90 * day_ns) == 0
    old, new = (store.run(run_id).measurements[0].jobs[0].series for run_id in ("old", "new"))
    assert old == s.series([11, 15], interval_ms=2000)
    assert new == measured().jobs[0].series


def test_runs_without_an_end_are_named_by_host(store: Store) -> None:
    running = {"status": RunStatus.RUNNING, "finished_ns": 0, "verdict": None}
    host = whole().host
    store.add_runs(
        [
            whole("late", at=9, **running),
            whole("done", at=5),
            whole("early", at=3, **running),
            whole("elsewhere", at=4, host=replace(host, machine_id="other"), **running),
        ]
    )
    assert store.unfinished(host.machine_id) == ["early", "late"]
    store.finish_run("early", status=RunStatus.INTERRUPTED, finished_ns=8, verdict=None)
    assert store.unfinished(host.machine_id) == ["late"]
