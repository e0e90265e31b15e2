"""``iogate serve`` shows the same pages of a history, whatever it is kept in."""

from __future__ import annotations

import re
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.cli import live
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import Outcome
from iogate.store import Store, open_store
from support import samples as s
from support.influx import SERVERS, TOKEN
from support.serving import ask, serving

DAY_NS = 86_400 * 10**9
FIRST_NS = 20_000 * DAY_NS


def night(number: int, level: float) -> Run:
    measured = s.repetitions([level, level + 1, level + 2])
    return s.run(
        f"{number:032x}",
        started_ns=FIRST_NS + number * DAY_NS,
        measurements=measured,
        outcome=s.verdict(Outcome.PASS),
    )


def keep(url: str, *runs: Run) -> None:
    """Runs that are over, with all that they measured where the server has it."""
    with closing(open_store(url)) as store:
        for run in runs:
            begin(store, run)
            end(store, run)


def begin(store: Store, run: Run) -> None:
    store.begin_run(replace(run, measurements=(), verdict=None, status=RunStatus.RUNNING))
    for one in run.measurements:
        store.add_measurement(run.id, one)
    store.sync()


def end(store: Store, run: Run) -> None:
    finished_ns = run.started_ns + 1
    store.finish_run(run.id, status=run.status, finished_ns=finished_ns, verdict=run.verdict)
    store.sync()


def test_the_index_a_case_and_a_report_are_served(url: str) -> None:
    nights = [night(n, 1000.0 if n < 8 else 500.0) for n in range(1, 13)]
    keep(url, *nights)
    with serving(url) as port:
        status, index, _ = ask(port, "/")
        assert status == 200
        assert "12 nights;" in index
        folder, _, case = re.findall(r'<th scope="row"><a href="([^"#]+)', index)[0].partition("/")
        status, page, _ = ask(port, f"/{folder}/{case}")
        assert status == 200
        assert s.case().name in page
        assert "regression" in page, "the level moved"
        status, runs, _ = ask(port, "/runs")
        assert status == 200
        assert all(f'href="runs/{run.id}"' in runs for run in nights)
        status, report, _ = ask(port, f"/runs/{nights[-1].id}")
        assert status == 200
        assert "storage performance report" in report
        (before,) = re.findall(r"<dt>Baseline</dt><dd><bdi>([^<]*)", report)
        assert before.startswith("11 runs, ")
        assert ask(port, "/runs/none")[0] == 404


def test_what_comes_while_it_is_served_is_shown(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "SERVER_S", 1e-6)
    keep(url, night(1, 1000.0))
    second = night(2, 1000.0)
    with serving(url) as port:
        assert "1 night;" in ask(port, "/")[1]
        with closing(open_store(url)) as store:
            begin(store, second)
            _, going, _ = ask(port, f"/runs/{second.id}")
            end(store, second)
        assert "2 nights;" in ask(port, "/")[1]
        _, over, _ = ask(port, f"/runs/{second.id}")
    assert "3 repetitions so far" in going
    assert "repetitions so far" not in over


@pytest.mark.parametrize("kind", sorted(SERVERS))
def test_a_server_that_is_away_is_said_and_comes_back(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "SERVER_S", 1e-6)
    server = SERVERS[kind](tmp_path / "server")
    server.start()
    try:
        url = server.fresh()
        keep(url, night(1, 1000.0))
        with serving(url) as port:
            assert ask(port, "/")[0] == 200
            server.kill()
            status, text, _ = ask(port, "/")
            assert status == 503
            assert str(server.port) in text
            assert TOKEN not in text
            server.start()
            assert ask(port, "/")[0] == 200
            assert ask(port, f"/runs/{night(1, 1000.0).id}")[0] == 200
    finally:
        server.kill()
