"""The same year of nights in every store gives the same exports and the same trends."""

from __future__ import annotations

import io
import json
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.archive import keep, open_format, read_history
from iogate.history.trends import Question, find_trend
from iogate.model.decision import Action, Decision, SeriesKey
from iogate.model.document import to_document
from iogate.model.run import Run
from iogate.store import Store, open_store
from support.stores import URLS
from support.year import case_id, year

DECISION = Decision(
    "a1b2", Action.ACK, "someone", "known", 5, "nightly", "machine-1", "", 1, 2,
    (SeriesKey(case_id(0), "read.iops"),),
)  # fmt: skip


@pytest.fixture(scope="module")
def nights() -> list[Run]:
    """Without the series, which make it long: one night in forty keeps them."""
    found = list(year(nights=365, series=2, repetitions=1))
    return [run if at % 40 == 0 else _bare(run) for at, run in enumerate(found)]


def _bare(run: Run) -> Run:
    measurements = (
        replace(m, jobs=tuple(replace(job, series=None) for job in m.jobs))
        for m in run.measurements
    )
    return replace(run, measurements=tuple(measurements))


def exported(store: Store) -> bytes:
    out = io.BytesIO()
    open_format("jsonl").write(read_history(store), out)
    return out.getvalue()


def trend(store: Store, run: Run) -> str:
    found = find_trend(store, run.plan, Question(metrics=("read.clat.mean",), last=400))
    return json.dumps(to_document(replace(found, made_ns=0)))


@pytest.mark.parametrize("kind", sorted(URLS))
def test_exports_and_trends_are_the_same(kind: str, nights: list[Run], tmp_path: Path) -> None:
    with closing(open_store(str(tmp_path / "reference.sqlite"))) as reference:
        reference.add_runs(nights)
        reference.add_decision(DECISION)
        expected, line = exported(reference), trend(reference, nights[-1])
    assert len(json.loads(line)["series"]) > 0
    with closing(open_store(URLS[kind](tmp_path))) as store:
        tally = keep(store, open_format("jsonl").read(io.BytesIO(expected), "year"))
        assert (tally.added, tally.decisions) == (len(nights), 1)
        store.sync()
        assert exported(store) == expected
        assert trend(store, nights[-1]) == line
