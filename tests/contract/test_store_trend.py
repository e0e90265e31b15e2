"""What every store gives a trend: nights, and the decisions of people."""

from __future__ import annotations

from dataclasses import replace

import pytest

from iogate.history.trends import Question, find_trend
from iogate.metrics import metric
from iogate.model.comparison import Arm, Comparison
from iogate.model.decision import FOREVER, Action, Decision, SeriesKey
from iogate.model.measurement import Disturbance, Measurement
from iogate.model.night import Spread
from iogate.model.origin import Origin
from iogate.model.run import Run, RunStatus
from iogate.model.spec import DefinedMetric
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome
from iogate.store import Store, open_store
from support import samples as s

OTHER = "ffeeddccbbaa0099"


def night(store: Store, id: str, at: int, *iops: float, **more: object) -> Run:
    run = s.run(id, started_ns=at, measurements=s.repetitions(iops), **more)  # type: ignore[arg-type]
    store.begin_run(run)
    return run


def test_a_night_is_a_run_with_the_median_of_its_repetitions(store: Store) -> None:
    run = night(store, "b", 20, 100, 400, 300)
    night(store, "a", 10, 10, 20)
    first, second = store.nights([s.CASE_ID])
    assert (first.facts.run_id, second.facts.run_id) == ("a", "b")
    assert first.values[s.CASE_ID, "write.iops"] == 15
    assert second.values[s.CASE_ID, "write.iops"] == 300
    assert second.spreads[s.CASE_ID, "write.iops"] == Spread(100, 400, 0.75, 3)
    facts = second.facts
    assert (facts.host, facts.revision, facts.started_ns) == (run.host, run.revision, 20)
    assert facts.environment == run.environment
    assert facts.spec == run.plan.spec_name


@pytest.mark.parametrize("outcome", [Outcome.FAIL, Outcome.PASS])
def test_a_night_knows_how_its_run_ended(store: Store, outcome: Outcome) -> None:
    store.begin_run(s.run("a", status=RunStatus.RUNNING))
    store.add_measurement("a", s.repetitions([100])[0])
    ended = replace(s.verdict(), outcome=outcome)
    store.finish_run("a", status=RunStatus.COMPLETE, finished_ns=9, verdict=ended)
    night(store, "b", 20, 100, status=RunStatus.FAILED, outcome=None)
    told = {each.facts.run_id: each.facts.ended for each in store.nights([s.CASE_ID])}
    assert told == {"a": outcome.value, "b": "failed"}


def test_a_night_that_passes_without_having_judged_is_known_as_such(store: Store) -> None:
    unjudged = (s.judged(Outcome.MISSING_BASELINE),)
    limits = {"a": unjudged, "b": (*unjudged, s.judged(Outcome.PASS)), "c": ()}
    for age, (name, judged) in enumerate(limits.items()):
        verdict = replace(s.verdict(), thresholds=judged)
        run = s.run(name, started_ns=1 + age, measurements=s.repetitions([100]))
        store.begin_run(replace(run, status=RunStatus.RUNNING))
        store.finish_run(name, status=RunStatus.COMPLETE, finished_ns=9, verdict=verdict)
    copied = s.run("d", started_ns=9, measurements=s.repetitions([100]))
    store.begin_run(replace(copied, verdict=replace(s.verdict(), thresholds=unjudged)))
    told = {each.facts.run_id: each.facts.ended for each in store.nights([s.CASE_ID])}
    assert told == {"a": "not judged", "b": "partly judged", "c": "pass", "d": "not judged"}


def test_nights_come_one_by_one_as_they_are_measured(store: Store) -> None:
    store.begin_run(s.run("a", status=RunStatus.RUNNING))
    assert store.nights([s.CASE_ID]) == []
    store.add_measurement("a", s.repetitions([100])[0])
    assert store.nights([s.CASE_ID]) == []  # it may still get more repetitions
    store.finish_run("a", status=RunStatus.COMPLETE, finished_ns=9, verdict=s.verdict())
    assert len(store.nights([s.CASE_ID])) == 1


def test_a_night_does_not_see_what_was_disturbed(store: Store) -> None:
    hogs = Disturbance("cpu", 0.6, 0.1, "", "other processes used 60 % of the engine's CPUs")
    for name, at, numbers in (("a", 10, (2,)), ("b", 20, (1, 2, 3))):
        found = s.repetitions([100, 900, 102])
        kept = (replace(m, disturbances=(hogs,)) if m.repetition in numbers else m for m in found)
        store.begin_run(s.run(name, started_ns=at, measurements=tuple(kept), outcome=s.verdict()))
    for asked in (None, [metric("write.iops")], [metric("write.clat.min")]):
        found_nights = {
            each.facts.run_id: each for each in store.nights([s.CASE_ID], metrics=asked)
        }
        if asked is None or asked[0].path == "write.iops":
            assert found_nights["a"].values[s.CASE_ID, "write.iops"] == 101
        assert not found_nights["b"].values
    assert [m.disturbed for m in store.run("a").measurements] == [False, True, False]


def test_a_comparison_of_two_arms_is_no_night_and_no_baseline(store: Store) -> None:
    arms = Comparison(Arm("base"), Arm("candidate"), seed=1)
    night(store, "a", 1, 100, outcome=s.verdict())
    both = replace(s.plan(s.case()), comparison=arms)
    night(store, "b", 2, 100, 200, the_plan=both, outcome=s.verdict())
    night(store, "c", 3, 100, outcome=s.verdict())
    assert [each.facts.run_id for each in store.nights([s.CASE_ID], limit=2)] == ["a", "c"]
    found = store.baseline([s.CASE_ID], machine_id="machine-a", before_ns=9, window=2)
    assert [run.id for run in found] == ["c", "a"]


def test_a_pull_request_is_no_night_and_no_baseline(store: Store) -> None:
    """But it is kept, with who asked for it."""
    pull = Origin("github", "pull_request", head_ref="main", proposal=True, number=12)
    night(store, "a", 1, 100, outcome=s.verdict())
    proposed = s.run("b", started_ns=2, measurements=tuple(s.repetitions([200])))
    store.add_runs([replace(proposed, verdict=s.verdict(), origin=pull)])
    night(store, "c", 3, 100, outcome=s.verdict())
    assert [each.facts.run_id for each in store.nights([s.CASE_ID], limit=2)] == ["a", "c"]
    found = store.baseline([s.CASE_ID], machine_id="machine-a", before_ns=9, window=2)
    assert [run.id for run in found] == ["c", "a"]
    assert store.run("b").origin == pull


@pytest.mark.parametrize(
    ("status", "counts"),
    [
        (RunStatus.COMPLETE, True),
        (RunStatus.FAILED, True),
        (RunStatus.INTERRUPTED, False),
        (RunStatus.RUNNING, False),
    ],
)
def test_only_runs_that_ended_by_themselves_are_nights(
    store: Store, status: RunStatus, counts: bool
) -> None:
    night(store, "a", 1, 100, status=status)
    assert len(store.nights([s.CASE_ID])) == counts


def test_nights_can_be_narrowed(store: Store) -> None:
    for at in range(1, 6):
        night(store, f"a{at}", at, 100)
        night(store, f"b{at}", at, 100, machine_id="machine-b")

    def ids(**wanted: object) -> list[str]:
        found = store.nights([s.CASE_ID], **wanted)  # type: ignore[arg-type]
        return [each.facts.run_id for each in found]

    assert len(ids()) == 10
    assert ids(host="machine-b", limit=2) == ["b4", "b5"]
    assert sorted(ids(limit=1)) == ["a5", "b5"]  # of each host
    assert ids(limit=0) == []
    assert ids(host="nobody") == []
    assert store.nights([OTHER]) == []
    assert store.nights([]) == []


def test_a_case_that_is_not_asked_for_is_left_out(store: Store) -> None:
    both = (*s.repetitions([100]), *s.repetitions([7], case_id=OTHER))
    store.begin_run(s.run("a", measurements=both))
    (found,) = store.nights([OTHER])
    assert {case for case, _ in found.values} == {OTHER}


def test_a_metric_that_was_not_kept_as_a_number_is_taken_from_the_documents(store: Store) -> None:
    histories: list[tuple[Measurement, ...]] = [
        (s.measurement(s.job(write=s.direction(clat=s.latency([100, 200 + n])))),) for n in range(2)
    ]
    for at, measurements in enumerate(histories):
        store.begin_run(s.run(f"a{at}", started_ns=at, measurements=measurements))
    rare, usual = metric("write.clat.max"), metric("write.iops")
    first, second = store.nights([s.CASE_ID], metrics=[rare, usual])
    assert dict(first.values) == {
        (s.CASE_ID, "write.clat.max"): 200,
        (s.CASE_ID, "write.iops"): 1000,
    }
    assert second.values[s.CASE_ID, "write.clat.max"] == 201
    (last,) = store.nights([s.CASE_ID], metrics=[rare], limit=1)
    assert dict(last.values) == {(s.CASE_ID, "write.clat.max"): 201}
    assert all("write.clat.max" not in path for _, path in store.nights([s.CASE_ID])[0].values)


def test_what_a_limit_is_on_is_kept_as_a_number(store: Store) -> None:
    plan = s.plan(s.case(s.threshold("write.clat.max", value=5.0)))
    night(store, "a", 1, 100, the_plan=plan)
    assert store.nights([s.CASE_ID])[0].values[s.CASE_ID, "write.clat.max"] == 100


def test_a_metric_of_a_spec_is_what_it_is_defined_as_now(store: Store) -> None:
    def mine(expression: str) -> tuple[DefinedMetric, ...]:
        return (DefinedMetric("mine", expression, Unit.PER_SECOND, Better.HIGH),)

    once, now = mine("write.iops"), mine("write.iops * 2")
    night(store, "a", 1, 100, the_plan=replace(s.plan(s.case()), metrics=once))
    night(store, "b", 2, 100, the_plan=replace(s.plan(s.case()), metrics=now))
    for defined, value in ((once, 100), (now, 200)):
        nights = store.nights([s.CASE_ID], metrics=[metric("mine", defined)])
        assert [dict(each.values) for each in nights] == [{(s.CASE_ID, "mine"): value}] * 2
    whole = store.nights([s.CASE_ID])  # without a definition nobody knows which one is meant
    assert not any(path.startswith("mine") for each in whole for _, path in each.values)
    for asked in ((), ("*",), ("*.iops", "write.clat.max")):
        plan = replace(s.plan(s.case()), metrics=now)
        (series,) = (
            each
            for each in find_trend(store, plan, Question(metrics=asked)).series
            if each.metric == "mine"
        )
        assert series.values == (200, 200)


def decision(at_ns: int = 5, **changes: object) -> Decision:
    whole = Decision(
        alert="ab12",
        action=Action.ACK,
        author="Zoë <z@example.com>",
        reason="known: “slow” firmware\nsee the ticket",
        at_ns=at_ns,
        spec="demo",
        machine_id="machine-a",
        environment="e1",
        from_ns=1,
        to_ns=2,
        series=(SeriesKey(s.CASE_ID, "write.iops"),),
        expires_ns=99,
    )
    return replace(whole, **changes)  # type: ignore[arg-type]


def test_decisions_come_back_in_the_order_in_which_they_were_taken(store: Store, url: str) -> None:
    assert store.decisions() == []
    later = decision(9, action=Action.REOPEN, expires_ns=FOREVER)
    taken = [later, decision(5), decision(5, action=Action.ACCEPT)]
    for each in taken:
        store.add_decision(each)
    assert store.decisions() == [taken[1], taken[2], later]
    again = open_store(url)
    assert len(again.decisions()) == 3
    again.close()


def test_a_decision_lapses_when_it_says_so() -> None:
    assert decision(expires_ns=10).in_force(9)
    assert not decision(expires_ns=10).in_force(10)
    assert decision(expires_ns=FOREVER).in_force(2**62)
