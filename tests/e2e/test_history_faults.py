"""Whatever dies, and whenever: a repetition that was reported as done is in the history, once.

Few kills by default, so that a test run stays short; IOGATE_FAULT_KILLS=200 for the full proof.
"""

from __future__ import annotations

import json
import os
import random
import re
import sqlite3
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from iogate.model.run import RunStatus
from iogate.store import open_store
from iogate.store.influx.points import REPETITION
from support.devices import fill, needs_root, tmpfs
from support.influx import SERVERS, InfluxServer
from support.stores import URLS

from .conftest import Iogate, wait_for

KILLS = int(os.environ.get("IOGATE_FAULT_KILLS", "10"))
REPETITIONS = 15
SPEC = f"""\
version: 1
name: often
targets: {{ here: {{ directory: auto }} }}
workloads:
  quick:
    target: here
    fio: {{ rw: read, bs: 64k, size: 256k, ioengine: psync }}
    repetitions: {REPETITIONS}
"""
DONE = re.compile(r"^\[\d+/\d+\] quick, repetition (\d+): read", re.MULTILINE)
IN_INFLUX = sorted(SERVERS)


@dataclass(frozen=True, slots=True)
class Reported:
    """What a run said that it had done before it ended, or was ended."""

    run_id: str
    repetitions: frozenset[int]


@pytest.fixture(autouse=True)
def same_data_folder(iogate: Iogate, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", iogate.env["XDG_DATA_HOME"])


@pytest.fixture(params=IN_INFLUX)
def server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[InfluxServer]:
    """One that this test may kill."""
    own = SERVERS[request.param](tmp_path / "server")
    own.start()
    yield own
    own.kill()


def start(iogate: Iogate, url: str, number: int) -> subprocess.Popen[str]:
    spec = iogate.spec(SPEC)
    return iogate.start("run", spec, "--store", url, "--output", iogate.folder / f"run{number}")


def said_until(process: subprocess.Popen[str], repetitions: int) -> str:
    """What a run says until it has reported so many repetitions, and no more than that."""
    assert process.stderr
    said = b""
    while len(DONE.findall(said.decode())) < repetitions:
        more = os.read(process.stderr.fileno(), 4096)
        assert more, said.decode()
        said += more
    return said.decode()


def reported(iogate: Iogate, number: int, said: str) -> Reported:
    found = frozenset(int(text) for text in DONE.findall(said))
    document = iogate.folder / f"run{number}" / "run.json"
    if not document.exists():
        assert not found
        return Reported("", found)
    return Reported(json.loads(document.read_text())["id"], found)


def sync(iogate: Iogate, url: str) -> None:
    done = iogate("history", "sync", "--store", url)
    assert done.code == 0, done.text


def check(url: str, all_reported: list[Reported]) -> None:
    """Every reported repetition is kept, readable, and there once."""
    kept = points_in(url)
    assert max(kept.values(), default=1) == 1
    with closing(open_store(url)) as store:
        known = set(store.run_ids())
        for run in all_reported:
            missing = [n for n in run.repetitions if not kept[run.run_id, n]]
            assert not missing, (run.run_id, missing)
            if run.run_id in known:
                found = [one.repetition for one in store.run(run.run_id).measurements]
                assert set(found) >= run.repetitions
                assert len(found) == len(set(found))


def points_in(url: str) -> Counter[tuple[str, int]]:
    """How often each repetition of each run is there, asked of the backend itself."""
    kind = url.partition(":")[0]
    if kind == "sqlite":
        with closing(sqlite3.connect(url.removeprefix("sqlite://"))) as db:
            return Counter(db.execute("SELECT run_id, repetition FROM measurements").fetchall())
    with closing(SERVERS[kind].client(url)) as server:
        rows = list(server.query(f'SELECT "run" FROM "{REPETITION}" GROUP BY *'))
    return Counter((row["run"], int(row["repetition"])) for row in rows)


@pytest.mark.parametrize("kind", sorted(URLS))
def test_the_runner_may_be_killed_at_any_moment(iogate: Iogate, kind: str) -> None:
    url = URLS[kind](iogate.folder)
    moments, all_reported = random.Random(5), []
    began = time.monotonic()
    iogate.end(start(iogate, url, 0))
    whole = time.monotonic() - began
    for number in range(1, KILLS + 1):
        process = start(iogate, url, number)
        said = ""
        if number % 2:
            time.sleep(moments.uniform(0.1 * whole, whole))
        else:  # how long a run takes varies: these are killed amid it however long that is
            said = said_until(process, moments.randrange(1, REPETITIONS))
            time.sleep(moments.uniform(0, 0.5 * whole / REPETITIONS))
        process.kill()
        said += process.communicate(timeout=60)[1]
        all_reported.append(reported(iogate, number, said))
    assert any(0 < len(run.repetitions) < REPETITIONS for run in all_reported)
    sync(iogate, url)
    check(url, all_reported)


def test_the_server_may_be_killed_while_it_writes(iogate: Iogate, server: InfluxServer) -> None:
    url = f"{server.fresh()}?timeout=2"
    moments, all_reported = random.Random(7), []
    for number in range(max(KILLS // 5, 2)):
        process = start(iogate, url, number)
        for _ in range(3):
            time.sleep(moments.uniform(0.2, 0.6))
            server.kill()
            time.sleep(moments.uniform(0.0, 0.3))
            server.start()
        done = iogate.end(process)
        assert done.code == 0, done.text
        all_reported.append(reported(iogate, number, done.err))
        assert len(all_reported[-1].repetitions) == REPETITIONS
    sync(iogate, url)
    check(url, all_reported)
    with closing(open_store(url)) as store:
        assert {run.status for run in store.runs()} == {RunStatus.COMPLETE}


def test_a_run_needs_no_server_at_all(iogate: Iogate, server: InfluxServer) -> None:
    url = server.fresh()
    server.stop()
    done = iogate("run", iogate.spec(SPEC), "--store", url, "--output", iogate.folder / "run0")
    assert done.code == 0, done.text
    assert "wait on the local disk" in done.err
    assert "judged without a baseline" in done.err
    still = iogate("history", "sync", "--store", url)
    assert still.code == 4
    assert "delivered 0 items" in still.out
    server.start()
    following = iogate.end(start(iogate, url, 1))  # delivers what waits, without being told
    assert following.code == 0, following.text
    assert "wait on the local disk" not in following.err
    check(url, [reported(iogate, 0, done.err), reported(iogate, 1, following.err)])
    assert iogate("history", "sync", "--store", url).out == "delivered 0 items\n"


def test_a_server_that_does_not_answer_costs_a_run_little(
    iogate: Iogate, server: InfluxServer
) -> None:
    url = server.fresh()
    process = start(iogate, f"{url}?timeout=0.5", 0)
    wait_for((iogate.folder / "run0" / "run.json").exists)
    server.freeze()
    done = iogate.end(process)
    assert done.code == 0, done.text
    server.thaw()  # it has a backlog now, and more than half a second to answer
    sync(iogate, url)
    check(url, [reported(iogate, 0, done.err)])
    assert len(points_in(url)) == REPETITIONS


@needs_root
@pytest.mark.parametrize("kind", IN_INFLUX)
def test_a_full_disk_of_the_server_delays_and_loses_nothing(
    iogate: Iogate, kind: str, tmp_path: Path
) -> None:
    with tmpfs(tmp_path / "small", "64m") as small:
        server = SERVERS[kind](small / "server")
        server.start()
        try:
            url = server.fresh()
            first = iogate.end(start(iogate, url, 0))
            fill(small)
            second = iogate.end(start(iogate, url, 1))
            assert second.code == 0, second.text
            assert "wait on the local disk" in second.err
            (small / "filler").unlink()
            server.stop()  # neither version writes to a shard again that once found it full
            server.start()
            sync(iogate, url)
            check(url, [reported(iogate, 0, first.err), reported(iogate, 1, second.err)])
            assert len(points_in(url)) == 2 * REPETITIONS
        finally:
            server.kill()


@needs_root
@pytest.mark.parametrize("kind", sorted(URLS))
def test_a_full_local_disk_stops_the_run_and_keeps_what_it_reported(
    iogate: Iogate, kind: str, tmp_path: Path
) -> None:
    with tmpfs(Path(iogate.env["XDG_DATA_HOME"]), "8m") as small:
        url = URLS[kind](small)
        process = start(iogate, url, 0)
        wait_for((iogate.folder / "run0" / "run.json").exists)
        fill(small)
        done = iogate.end(process)
        (small / "filler").unlink()
        said = reported(iogate, 0, done.err)
        if len(said.repetitions) < REPETITIONS:
            assert done.code == 4
            assert "spool" in done.err or "history" in done.err
        sync(iogate, url)
        check(url, [said])


def test_a_restart_of_the_server_brings_everything_back(
    iogate: Iogate, server: InfluxServer
) -> None:
    url = server.fresh()
    done = iogate.end(start(iogate, url, 0))
    before = points_in(url)
    server.kill()
    server.start()
    assert points_in(url) == before
    check(url, [reported(iogate, 0, done.err)])


def test_what_cannot_be_kept_is_refused_before_it_is_measured(
    iogate: Iogate, tmp_path: Path
) -> None:
    spec, output = iogate.spec(SPEC), iogate.folder / "run"
    (tmp_path / "file").touch()
    for words in (
        ["--store", str(tmp_path), "--output", output],
        ["--store", "/proc/history.sqlite", "--output", output],
        ["--output", tmp_path / "file" / "run"],
    ):
        done = iogate("run", spec, *words)
        assert (done.code, "repetition 1" in done.err) == (3, False), done.err
        assert not output.exists()
