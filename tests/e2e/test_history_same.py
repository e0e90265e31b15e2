"""The same year of nights gives the same answers, whatever it is kept in."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace

import pytest

from iogate.model.run import Revision, Run
from iogate.spec import load_spec, make_plan
from iogate.store import open_store
from support import samples as s
from support.stores import URLS

from .conftest import Iogate

DAY_NS = 86_400 * 10**9
NIGHTS = 365
SPEC = """\
version: 1
name: nightly
targets: { here: { directory: auto } }
workloads:
  scan:
    target: here
    fio: { rw: write, bs: 4k, size: 1m, ioengine: psync }
    repetitions: 2
    thresholds: { write.iops: ">= 1" }
"""


def year(iogate: Iogate) -> Iterator[Run]:
    """A slower level from the 200th night on, and another kernel from the 300th."""
    plan = make_plan(load_spec(iogate.spec(SPEC)))
    noise = random.Random(11)
    for number in range(NIGHTS):
        level = 100_000 if number < 200 else 90_000
        measured = s.repetitions(
            [level * noise.gauss(1, 0.01) for _ in range(2)], case_id=plan.cases[0].id
        )
        run = s.run(f"night-{number:03}", started_ns=(18_000 + number) * DAY_NS, the_plan=plan)
        kernel = "6.1" if number < 300 else "6.12"
        yield replace(
            run,
            measurements=measured,
            revision=Revision(f"{number:040x}", f"Change {number}"),
            environment={"kernel.release": kernel},
            verdict=s.verdict(),
        )


def test_a_year_is_the_same_in_every_store(iogate: Iogate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", iogate.env["XDG_DATA_HOME"])
    runs = list(year(iogate))
    trends, listed, exported = {}, {}, {}
    for kind, url_of in URLS.items():
        url = url_of(iogate.folder)
        with closing(open_store(url)) as store:
            assert store.add_runs(runs) == NIGHTS
        done = iogate("trend", "show", iogate.folder / "spec.yaml", "--json", "--store", url)
        assert done.code in (0, 1), done.text
        trends[kind] = {k: v for k, v in json.loads(done.out).items() if k != "made_ns"}
        listed[kind] = iogate("history", "list", "--json", "--limit", NIGHTS, "--store", url).out
        exported[kind] = iogate("history", "export", "--store", url).out
    assert len(json.loads(listed["sqlite"])) == NIGHTS
    assert "write.iops" in str(trends["sqlite"])
    assert trends["influxdb"] == trends["influxdb1"] == trends["sqlite"]
    assert listed["influxdb"] == listed["influxdb1"] == listed["sqlite"]
    assert len(exported["sqlite"].splitlines()) >= NIGHTS
    assert exported["influxdb"] == exported["influxdb1"] == exported["sqlite"]
