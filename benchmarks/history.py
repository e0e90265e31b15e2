"""What a history costs beside writing or asking the bare backend the same.

A point is one number: of an interval of a time series, or of a bucket of a histogram. The
bare side keeps each in a row of SQLite, or writes the same points with the client of the
server alone. Both sides end with everything synced to disk.
"""

from __future__ import annotations

import json
import os
import random
import sqlite3
import tempfile
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import replace
from functools import partial
from http import HTTPStatus
from itertools import islice
from pathlib import Path
from typing import Any

import import_fio
from measure import Comparison, interleaved

from iogate.host.facts import Fact, collect_facts
from iogate.metrics import metric
from iogate.model.histogram import Histogram
from iogate.model.measurement import Interval, Measurement, Series
from iogate.model.run import Run, RunStatus
from iogate.store import open_store
from iogate.store.influx import points
from iogate.store.influx.address import parse_address
from iogate.sut import open_sut
from support import samples as s
from support.influx import SERVERS, TOKEN, InfluxServer

REPETITIONS, INTERVALS, BINS = 1000, 250, 250
POINTS = REPETITIONS * (3 * INTERVALS + BINS)
NIGHTS, CASES, METRICS = 365, 84, 12  # about a thousand series
DAY_NS = 86_400 * 10**9
START_NS = 20_000 * DAY_NS
_ASKED = "write.iops"


def comparisons(rounds: int) -> Iterator[Comparison]:
    """Every comparison of this file."""
    few = max(3, rounds // 3)
    with tempfile.TemporaryDirectory() as text:
        folder = Path(text)
        os.environ["XDG_DATA_HOME"] = str(folder / "data")
        runs = [_run(number) for number in range(10)]
        yield _ingest_sqlite(folder, runs, few)
        yield from _year(folder, rounds)
        yield _overhead(f"sqlite://{folder}/overhead.db", "SQLite")
        yield from import_fio.comparisons(rounds)
        for kind in SERVERS:
            with _server(kind, folder) as server:
                yield _ingest_influx(server, runs, few)
                yield _overhead(server.fresh(), server.kind)


def _run(number: int) -> Run:
    """A tenth of the repetitions, as a run of one case each ten."""
    noise = random.Random(number)
    measured = tuple(
        _measurement(noise, f"{n % 10:016x}", n // 10 + 1) for n in range(REPETITIONS // 10)
    )
    plan = s.plan(*(s.case(id=f"{n:016x}", name=f"case-{n}") for n in range(10)))
    run = s.run(f"run-{number}", started_ns=START_NS + number * DAY_NS, the_plan=plan)
    return replace(run, measurements=measured, verdict=s.verdict())


def _measurement(noise: random.Random, case_id: str, repetition: int) -> Measurement:
    intervals = tuple(
        Interval(
            1000 * (n + 1),
            {"write": (ios := noise.randrange(90_000, 110_000))},
            {"write": ios * 4096},
            {"write": ios * noise.randrange(9_000, 11_000)},
        )
        for n in range(INTERVALS)
    )
    bins = {1000 + 16 * n: noise.randrange(1, 100_000) for n in range(BINS)}
    clat = replace(s.latency([1000, 2000]), histogram=Histogram(bins))
    job = s.job(series=Series(1000, intervals), write=s.direction(clat=clat))
    return s.measurement(job, case_id=case_id, repetition=repetition)


def _rows(runs: Sequence[Run]) -> Iterator[tuple[Any, ...]]:
    """Every point as a row: run, case, repetition, what, where, number."""
    for run in runs:
        for measurement in run.measurements:
            key = run.id, measurement.case_id, measurement.repetition
            series, clat = measurement.jobs[0].series, measurement.jobs[0].directions["write"].clat
            assert series
            assert clat
            assert clat.histogram
            for each in series.intervals:
                yield *key, "ios", each.end_ms, each.ios["write"]
                yield *key, "bytes", each.end_ms, each.bytes["write"]
                yield *key, "clat_sum", each.end_ms, each.clat_sum_ns["write"]
            for value, count in clat.histogram.bins.items():
                yield *key, "clat", value, count


def _timed_ms(work: Callable[[], object]) -> float:
    start = time.perf_counter_ns()
    work()
    return (time.perf_counter_ns() - start) / 1e6


def _ingest_sqlite(folder: Path, runs: Sequence[Run], rounds: int) -> Comparison:
    rows = list(_rows(runs))
    assert len(rows) == POINTS

    def ours() -> float:
        (folder / "ours.db").unlink(missing_ok=True)
        with closing(open_store(str(folder / "ours.db"))) as store:
            return _timed_ms(lambda: store.add_runs(runs))

    def bare() -> float:
        (folder / "bare.db").unlink(missing_ok=True)
        with closing(sqlite3.connect(folder / "bare.db", isolation_level=None)) as db:
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute(
                "CREATE TABLE points (run TEXT, case_id TEXT, repetition INTEGER, what TEXT,"
                " place INTEGER, value INTEGER,"
                " PRIMARY KEY (run, case_id, repetition, what, place)) WITHOUT ROWID"
            )
            return _timed_ms(lambda: _insert(db, rows))

    what = f"SQLite: {POINTS:,} points of {REPETITIONS:,} repetitions, against executemany"
    return Comparison(what, "ms", *interleaved(ours, bare, rounds), 2)


def _insert(db: sqlite3.Connection, rows: Sequence[tuple[Any, ...]]) -> None:
    db.execute("BEGIN")
    db.executemany("INSERT INTO points VALUES (?, ?, ?, ?, ?, ?)", rows)
    db.execute("COMMIT")


def _ingest_influx(server: InfluxServer, runs: Sequence[Run], rounds: int) -> Comparison:
    """The bare side writes the same points in batches of 5,000, which the documentation of
    the clients advises: those of intervals made by the client, and the rest, which hold
    documents, ready as lines."""
    ready = [
        text
        for run in runs
        for position, measurement in enumerate(run.measurements)
        for text in points.measurement_lines(points.run_key(run), measurement, position, ())
        if not text.startswith(points.INTERVAL)
    ]

    def ours() -> float:
        with closing(open_store(f"{server.fresh()}?timeout=60")) as store:
            taken = _timed_ms(lambda: store.add_runs(runs))
            assert not store.sync().notes
            return taken

    def bare() -> float:
        return _BARE[server.kind](server.fresh(), runs, ready)

    what = f"{server.kind}: the same repetitions, against the bare client with the same points"
    return Comparison(what, "ms", *interleaved(ours, bare, rounds), 1.2)


def _intervals(runs: Sequence[Run]) -> Iterator[tuple[Run, dict[str, str], Interval]]:
    """Each with its run and tags."""
    for run in runs:
        key = points.run_key(run)
        for measurement in run.measurements:
            job = measurement.jobs[0]
            tags = key.repetition_tags(measurement.case_id, measurement.repetition) | {
                "job": job.name
            }
            assert job.series
            for each in job.series.intervals:
                yield run, tags, each


def _bare1(url: str, runs: Sequence[Run], ready: Sequence[str]) -> float:
    """Its client of old is no longer maintained: points of today's, by plain HTTP."""
    import urllib3

    address = parse_address(url, "influxdb1://HOST/DB")
    to = f"{address.base_url}/write?db={address.path[0]}&precision=ns"
    pool = urllib3.PoolManager(timeout=60)

    def send(lines: Sequence[str]) -> None:
        answer = pool.request("POST", to, body="\n".join(lines).encode())
        assert answer.status == HTTPStatus.NO_CONTENT, answer.data

    def write() -> None:
        points_of = _points(runs)
        while batch := list(islice(points_of, 5000)):
            send([point.to_line_protocol() for point in batch])
        for at in range(0, len(ready), 200):
            send(ready[at : at + 200])

    return _timed_ms(write)


def _points(runs: Sequence[Run]) -> Iterator[Any]:
    """The intervals as points of InfluxDB's own client."""
    from influxdb_client.client.write.point import Point

    make_point: Any = Point
    for run, tags, each in _intervals(runs):
        point: Any = make_point(points.INTERVAL)
        for tag, text in tags.items():
            point.tag(tag, text)
        for name, value in _fields(run, each).items():
            point.field(name, value)
        yield point.time(run.started_ns + each.end_ms * 10**6)


def _bare2(url: str, runs: Sequence[Run], ready: Sequence[str]) -> float:
    from influxdb_client.client.influxdb_client import InfluxDBClient
    from influxdb_client.client.write_api import SYNCHRONOUS

    address = parse_address(url, "influxdb://HOST/ORG/BUCKET")
    organization, bucket = address.path
    make: Any = InfluxDBClient
    client = make(address.base_url, token=TOKEN, org=organization, timeout=60_000)
    writer = client.write_api(write_options=SYNCHRONOUS)

    def write() -> None:
        points_of = _points(runs)
        while batch := list(islice(points_of, 5000)):
            writer.write(bucket, organization, batch)
        for at in range(0, len(ready), 200):
            writer.write(bucket, organization, "\n".join(ready[at : at + 200]))

    with closing(client):
        return _timed_ms(write)


_BARE = {"influxdb1": _bare1, "influxdb": _bare2}


def _fields(run: Run, each: Interval) -> dict[str, float | str]:
    ios = each.ios["write"]
    return {
        "run": run.id,
        "write.iops": float(ios),
        "write.bw": float(each.bytes["write"]),
        "write.clat.mean": each.clat_sum_ns["write"] / ios,
    }


def _year(folder: Path, rounds: int) -> Iterator[Comparison]:
    """A year of a thousand series; one of them, and all. The environment is that of this
    machine: what a night's facts cost to read goes by how many there are."""
    path = folder / "year.db"
    cases = [f"{number:016x}" for number in range(CASES)]
    facts = collect_facts(open_sut(), {})
    with closing(open_store(str(path))) as store, closing(sqlite3.connect(path)) as db:
        store.add_runs(_night(number, cases, facts) for number in range(NIGHTS))
        asked = [metric(_ASKED)]

        def one(cases: Sequence[str]) -> float:
            return _timed_ms(lambda: store.nights(cases, metrics=asked, limit=NIGHTS))

        def bare() -> float:
            query = (
                "SELECT runs.started_ns, runs.facts, metrics.value FROM metrics"
                " JOIN runs ON runs.id = metrics.run_id"
                " WHERE case_id = ? AND metric = ? ORDER BY runs.started_ns DESC LIMIT ?"
            )
            return _timed_ms(
                lambda: [
                    (at_ns, _loaded(facts), value)
                    for at_ns, facts, value in db.execute(query, (cases[7], _ASKED, NIGHTS))
                ]
            )

        times = interleaved(lambda: one(cases[7:8]), bare, 3 * rounds)
        what = "SQLite: 365 nights of one of 1,008 series, against SQL and json.loads of the facts"
        yield Comparison(what, "ms", *times, 2)
        whole = [_timed_ms(lambda: store.nights(cases, limit=NIGHTS)) for _ in range(rounds)]
        yield Comparison(
            "SQLite: all of them, by the guide", "ms", sorted(whole)[rounds // 2], 1500, 1
        )


def _loaded(facts: bytes) -> Any:
    return json.loads(facts if facts.startswith(b"{") else zlib.decompress(facts))


def _night(number: int, cases: Sequence[str], facts: Mapping[str, Fact]) -> Run:
    noise = random.Random(number)
    measured = tuple(
        s.measurement(
            s.job(write=s.direction(ios=noise.randrange(900, 1100), clat=s.latency([100, 200]))),
            case_id=case_id,
        )
        for case_id in cases
    )
    plan = s.plan(*(s.case(id=case_id, name=case_id) for case_id in cases))
    run = s.run(f"night-{number}", started_ns=START_NS + number * DAY_NS, the_plan=plan)
    environment = {**facts, "load.average_1m": noise.random()}
    return replace(run, measurements=measured, verdict=s.verdict(), environment=environment)


def _overhead(url: str, what: str) -> Comparison:
    """What a repetition of a minute, with two seconds an interval, costs a run: the median."""
    noise = random.Random(3)
    taken = []
    with closing(open_store(url)) as store:
        store.begin_run(s.run("overhead", status=RunStatus.RUNNING))
        for number in range(1, 41):
            measurement = _measurement(noise, s.CASE_ID, number)
            series = measurement.jobs[0].series
            assert series
            short = replace(series, intervals=series.intervals[:60])
            job = replace(measurement.jobs[0], series=short)
            kept = replace(measurement, jobs=(job,))
            taken.append(_timed_ms(partial(store.add_measurement, "overhead", kept)))
    median = sorted(taken)[len(taken) // 2]
    return Comparison(f"{what}: to keep one repetition, by the guide", "ms", median, 30, 1)


@contextmanager
def _server(kind: str, folder: Path) -> Iterator[InfluxServer]:
    server = SERVERS[kind](folder / kind)
    server.start()
    try:
        yield server
    finally:
        server.kill()
