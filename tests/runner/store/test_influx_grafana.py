"""The dashboard asks the real servers, as Grafana would, and the answers are what was kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models.dashboard import Dashboard

from iogate.metrics import metric
from iogate.model.comparison import Arm, Comparison
from iogate.model.decision import Action, Decision
from iogate.model.run import Run
from iogate.model.verdict import Outcome, RunVerdict, ThresholdVerdict
from iogate.store import open_store
from iogate.store.server import Row, Server
from support import samples as s
from support.influx import SERVERS
from support.stores import shared_server

DASHBOARD = json.loads((Path(__file__).resolve().parents[3] / "docs/grafana.json").read_text())
DAY_NS = 86_400 * 10**9
START_NS = 20_000 * DAY_NS
DECISION = Decision(
    "a1b2c3d4",
    Action.ACK,
    "Ada",
    "a known bug",
    START_NS + DAY_NS,
    "demo",
    "machine-a",
    "e1",
    START_NS,
    START_NS + DAY_NS,
    (),
)
VALUES = {"spec": "demo", "host": "host-a", "case": r"oltp\/bs=4k", "metric": "write.iops"}
PATHS = (
    *(
        f"{d}.{name}"
        for d in ("read", "write", "trim")
        for name in ("iops", "bw.stdev", "clat.p99.9")
    ),
    *("sync.lat", "all.intended_lat.max", "write.slat", "write.tail", "all.stalls", "read.slope"),
    *("cpu.usr", "cpu.sys", "cpu_per_io", "iops_per_core", "ctx_per_io", "errors", "runtime"),
)
MACROS = {
    "$timeFilter": f"time >= {START_NS} AND time < {START_NS + 30 * DAY_NS}",
    "$__interval": "1s",
    "$over_time": "write.iops",
}


@pytest.fixture(scope="module", params=sorted(SERVERS))
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Server]:
    """A server with three nights, and a comparison of another spec."""
    url = shared_server(request.param).fresh()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
        with closing(open_store(url)) as store:
            store.add_runs(night(number) for number in range(3))
            store.add_decision(DECISION)
            store.add_runs([comparison()])
    with closing(SERVERS[request.param].client(url)) as client:
        yield client


def night(number: int) -> Run:
    at_ns = START_NS + number * DAY_NS
    series = s.series([100 + number, 300 + number], name="write")
    measured = [
        replace(one, started_ns=at_ns, jobs=(replace(one.jobs[0], series=series),))
        for one in s.repetitions([100 + number, 140 + number, 900])
    ]
    limit = s.threshold("write.iops", value=120.0)
    judged = ThresholdVerdict(
        s.CASE_ID,
        limit,
        Outcome.FAIL if number == 2 else Outcome.PASS,
        'not "enough":\nof it',
        metric("write.iops").unit,
        metric("write.iops").better,
        value=140.0 + number,
        change=-0.25,
    )
    outcome = judged.outcome
    verdict = RunVerdict(outcome, int(outcome is Outcome.FAIL), f"night {number}", (judged,))
    plan = s.plan(s.case(limit))
    run = s.run(f"night-{number}", started_ns=at_ns, the_plan=plan, measurements=tuple(measured))
    return replace(run, verdict=verdict)


def comparison() -> Run:
    rule = Comparison(Arm("old"), Arm("new"), seed=1)
    plan = replace(s.plan(s.case()), spec_name="compared", comparison=rule)
    measured = [
        replace(one, started_ns=START_NS, arm="old" if number % 2 else "new", block=number // 2)
        for number, one in enumerate(s.repetitions([200, 100, 204, 102]), 2)
    ]
    return s.run("compared", started_ns=START_NS, the_plan=plan, measurements=tuple(measured))


def filled(query: str) -> str:
    for macro, text in MACROS.items():
        query = query.replace(macro, text)
    query = re.sub(r"\$\{(\w+):regex\}", lambda found: VALUES[found[1]], query)
    return re.sub(r"\$(metric)\b", lambda found: VALUES[found[1]], query)


def ask(server: Server, query: str) -> list[Row]:
    text = filled(query)
    assert "${" not in text
    return list(server.query(text))


def panel(server: Server, title: str) -> list[Row]:
    (found,) = (each for each in DASHBOARD["panels"] if each["title"] == title)
    return [row for target in found["targets"] for row in ask(server, target["query"])]


def test_every_query_has_an_answer(server: Server) -> None:
    queries: list[Any] = [
        target["query"] for each in DASHBOARD["panels"] for target in each["targets"]
    ]
    queries += [v["query"] for v in DASHBOARD["templating"]["list"] if v["type"] == "query"]
    queries += [each["target"]["query"] for each in DASHBOARD["annotations"]["list"]]
    assert len(queries) == 14
    for query in queries:
        assert ask(server, query), query


def test_nights_are_the_medians_that_were_kept(server: Server) -> None:
    rows = panel(server, "$metric by night")
    assert [row["median"] for row in rows] == [140, 141, 142]
    assert {row["case"] for row in rows} == {"oltp/bs=4k"}
    spread = panel(server, "$metric: spread of the repetitions")
    assert [(row["min"], row["max"]) for row in spread] == [(100, 900), (101, 900), (102, 900)]


def test_the_arms_of_a_comparison_are_apart(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(VALUES, "spec", "compared")
    rows = panel(server, "$metric by night")
    assert [(row["arm"], row["median"]) for row in rows] == [("new", 202), ("old", 101)]
    spread = panel(server, "$metric: spread of the repetitions")
    assert [(row["min"], row["max"]) for row in spread] == [(200, 204), (100, 102)]


def test_time_within_the_runs(server: Server) -> None:
    rows = [r for r in panel(server, "$over_time within the runs") if r["repetition"] == "1"]
    assert [row["mean"] for row in rows] == [100, 300, 101, 301, 102, 302]
    assert rows[0]["time"] == START_NS + 10**9


def test_verdicts_with_their_reasons(server: Server) -> None:
    assert [row["sentence"] for row in panel(server, "Verdicts")] == [
        "night 2",
        "night 1",
        "night 0",
    ]
    (failed,) = panel(server, "Limits that did not hold")
    assert failed["reason"] == 'not "enough":\nof it'
    assert (failed["value"], failed["change"], failed["run"]) == (142, -0.25, "night-2")


def test_failed_nights_and_decisions_are_marked(server: Server) -> None:
    marks = {
        each["name"]: ask(server, each["target"]["query"])
        for each in DASHBOARD["annotations"]["list"]
    }
    assert [row["run"] for row in marks["Failed nights"]] == ["night-2"]
    assert [row["reason"] for row in marks["Decisions on alerts"]] == ["a known bug"]
    assert [row["kernel"] for row in marks["Kernel of each night"]] == ["6.1"] * 3


def test_each_metric_is_shown_in_its_unit() -> None:
    shown = {"ns": "ns", "B/s": "binBps", "1/s": "iops", "%": "percent"}
    for each in DASHBOARD["panels"]:
        if each["type"] != "timeseries":
            continue
        rules = [
            (re.compile(rule["matcher"]["options"].strip("/")), rule["properties"][0]["value"])
            for rule in each["fieldConfig"]["overrides"]
        ]
        for path in (*PATHS, *(f"jobs.my-job.{path}" for path in PATHS)):
            units = [unit for regex, unit in rules if regex.search(f"{path} host-a a/bw=1")]
            unit = metric(path).unit.value
            assert units == ([shown[unit]] if unit in shown else []), path


def test_grafana_knows_every_key() -> None:
    """By the schema in Grafana's own library for Python, which drops what it does not know; no
    Grafana itself can be had from a registry of packages. The targets of annotations are their
    data source's own, and no part of that schema."""
    known = json.loads(JSONEncoder().encode(Dashboard.from_json(DASHBOARD)))
    places = unknown(DASHBOARD, known, "")
    assert [each for each in places if "annotations.list" not in each] == []


def unknown(ours: Any, known: Any, place: str) -> Iterator[str]:
    """Where the second lacks what the first has."""
    if isinstance(ours, dict):
        for key, value in ours.items():
            if not isinstance(known, dict) or key not in known:
                yield f"{place}.{key}"
            else:
                yield from unknown(value, known[key], f"{place}.{key}")
    elif isinstance(ours, list):
        for index, value in enumerate(ours):
            yield from unknown(value, known[index], f"{place}[{index}]")
    elif ours != known:
        yield f"{place}: {ours!r}, {known!r}"


def test_runs_and_what_can_be_chosen(server: Server) -> None:
    runs = panel(server, "Runs")
    assert {row["env.kernel.release"] for row in runs} == {"6.1"}
    assert {row["subject"] for row in runs} == {"Make it quick"}
    chosen = next(v for v in DASHBOARD["templating"]["list"] if v["name"] == "metric")
    fields = [row["fieldKey"] for row in ask(server, chosen["query"])]
    offered = [name for name in fields if re.search(chosen["regex"].strip("/"), name)]
    assert "write.iops" in offered
    assert not any(name.startswith(("document", "histogram", "run")) for name in offered)
