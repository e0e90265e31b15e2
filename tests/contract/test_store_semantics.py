"""A history of an earlier engine goes on with a later one, in every store, until its numbers mean
another thing."""

from __future__ import annotations

import io
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from iogate.archive import open_format
from iogate.archive.transfer import keep, read_history
from iogate.history.baseline import find_baseline
from iogate.history.trends import Question, find_trend
from iogate.model.run import Run
from iogate.model.trend import Trend
from iogate.store import Store, open_store
from support import samples as s

Facts = Mapping[str, str | int]

EARLIER: Facts = {"engine.name": "native", "engine.version": "0.1.0"}
LATER: Facts = {**EARLIER, "engine.version": "0.2.0", "engine.semantics": 1}
RAISED: Facts = {**EARLIER, "engine.version": "0.3.0", "engine.semantics": 2}
NIGHTS = 12


def night(number: int, facts: Facts) -> Run:
    limit = s.threshold(value=-0.05, relative=True)
    return replace(
        s.run(
            f"run-{number:02}",
            started_ns=number + 1,
            the_plan=s.plan(s.case(limit), min_samples=5),
            measurements=s.repetitions([100 + number % 3, 101, 99]),
            outcome=s.verdict(),
        ),
        environment=facts,
    )


def trend_of(store: Store, run: Run) -> Trend:
    return find_trend(store, run.plan, Question(metrics=("write.iops",)))


def test_a_later_engine_goes_on_with_the_history(store: Store) -> None:
    store.add_runs(night(number, EARLIER) for number in range(NIGHTS))
    (before,) = trend_of(store, night(0, EARLIER)).series
    run = night(NIGHTS, LATER)
    assert len(find_baseline(run, store).runs) == NIGHTS
    store.add_runs([run])
    trend = trend_of(store, run)
    (series,) = trend.series
    assert (len(series.values), trend.markers) == (NIGHTS + 1, ())
    assert series.environment == before.environment


def test_numbers_of_another_meaning_begin_anew(store: Store) -> None:
    store.add_runs(night(number, EARLIER) for number in range(NIGHTS))
    store.add_runs([night(NIGHTS, LATER)])
    run = night(NIGHTS + 1, RAISED)
    found = find_baseline(run, store)
    assert found.runs == ()
    (why,) = found.why_fewer
    assert why.startswith(
        f"{NIGHTS + 1} earlier runs are of another environment: engine.semantics (what the"
        " engine's numbers mean) was 1 and is 2 ("
    )
    store.add_runs([run])
    trend = trend_of(store, run)
    assert sorted(len(series.values) for series in trend.series) == [1, NIGHTS + 1]
    ((change,),) = [marker.changes for marker in trend.markers]
    assert (change.fact, change.before, change.after) == ("engine.semantics", "1", "2")


def test_a_history_that_moved_goes_on_as_well(store: Store, tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "moved.sqlite"))) as earlier:
        earlier.add_runs(night(number, EARLIER) for number in range(NIGHTS))
        file = io.BytesIO()
        open_format("jsonl").write(read_history(earlier), file)
    file.seek(0)
    keep(store, open_format("jsonl").read(file, "moved.jsonl"))
    assert len(find_baseline(night(NIGHTS, LATER), store).runs) == NIGHTS
    assert find_baseline(night(NIGHTS, RAISED), store).runs == ()
