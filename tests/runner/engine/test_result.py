from __future__ import annotations

import copy
import json
import math
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from iogate.engine.base import EngineResult
from iogate.engine.result import parse_result
from iogate.errors import EngineError
from iogate.model.histogram import Histogram

JOB = """
[global]
ioengine=psync
size=1m
bs=4k
[mix]
rw=randrw
fsync=8
numjobs=2
group_reporting
[scan]
stonewall
rw=read
"""


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the fio of this system really writes."""
    folder = tmp_path_factory.mktemp("fio")
    (folder / "job.fio").write_text(JOB)
    argv = ["fio", "job.fio", "--output-format=json+", "--output=out.json"]
    subprocess.run(argv, cwd=folder, check=True)
    loaded: dict[str, Any] = json.loads((folder / "out.json").read_text())
    return loaded


@pytest.fixture
def changed(document: dict[str, Any]) -> dict[str, Any]:
    return copy.deepcopy(document)


def test_a_real_result(document: dict[str, Any]) -> None:
    result = parse_result(document)
    assert (result.engine.name, result.engine.version[0]) == ("fio", "3")
    mix, scan = result.jobs
    assert (mix.name, mix.jobs, scan.name, scan.jobs) == ("mix", 2, "scan", 1)
    assert set(mix.directions) == {"read", "write", "sync"}
    assert set(scan.directions) == {"read"}
    blocks = sum(mix.directions[name].total_ios for name in ("read", "write"))
    assert blocks == 2 * 256
    assert scan.directions["read"].io_bytes == 1 << 20


@pytest.mark.parametrize("counted", [60, 0])  # fio counts no fdatasync of a group
def test_clones_that_are_one_row_sync_at_the_same_time(
    changed: dict[str, Any], counted: int
) -> None:
    row = changed["jobs"][0]
    row["job_runtime"] = 2 * 500
    row["sync"]["total_ios"] = counted
    row["sync"]["lat_ns"]["N"] = 60
    sync = parse_result(changed).jobs[0].directions["sync"]
    assert (sync.total_ios, sync.runtime_ns, sync.iops) == (60, 500_000_000, 120)


def test_histograms_count_every_io(document: dict[str, Any]) -> None:
    for job in parse_result(document).jobs:
        for name in set(job.directions) - {"sync"}:
            part = job.directions[name]
            assert part.clat is not None
            assert part.clat.histogram is not None
            assert part.clat.histogram.count == part.total_ios == part.clat.n
            assert list(part.clat.histogram.bins) == sorted(part.clat.histogram.bins)


def test_our_own_additions(changed: dict[str, Any]) -> None:
    changed["iogate"] = {
        "schema": "result/1",
        "engine": "iogate-engine",
        "version": "0.1.0",
        "semantics": 7,
        "clock": {"source": "tsc", "error_ppm": 1.5},
        "interrupted": True,
    }
    changed["jobs"][0]["iogate"] = {
        "jobs": 4,
        "errors": {"EIO": 3},
        "read": {"intended_lat_ns": changed["jobs"][1]["read"]["clat_ns"]},
        "series": {
            "interval_ms": 1000,
            "end_ms": [1000, 2000],
            "read": {
                "ios": [5, 6],
                "bytes": [50, 60],
                "clat_sum_ns": [500, 600],
                "bins": [[[200, 2], [100, 3]], []],
            },
        },
    }
    result = parse_result(changed)
    assert result.interrupted
    assert (result.engine.clock_source, result.engine.clock_error_ppm) == ("tsc", 1.5)
    assert result.engine.semantics == 7
    job = result.jobs[0]
    assert (job.jobs, job.errors) == (4, {"EIO": 3})
    assert job.directions["read"].intended_lat == result.jobs[1].directions["read"].clat
    assert job.directions["write"].intended_lat is None
    assert job.series is not None
    first, second = job.series.intervals
    assert (first.end_ms, first.ios, first.bytes) == (1000, {"read": 5}, {"read": 50})
    assert first.clat_sum_ns == {"read": 500}
    assert first.histograms == {"read": Histogram({100: 3, 200: 2})}
    assert list(first.histograms["read"].bins) == [100, 200]
    assert second.histograms["read"].count == 0


def test_an_error_without_counts_is_counted_once(changed: dict[str, Any]) -> None:
    changed["jobs"][1]["error"] = 28
    assert parse_result(changed).jobs[1].errors == {"ENOSPC": 1}


def paths(value: object, at: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """Every place in a document, to break each in turn."""
    found = [at] if at else []
    if isinstance(value, dict):
        for key, inner in value.items():
            found += paths(inner, (*at, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += paths(inner, (*at, index))
    return found


def broken(document: dict[str, Any], at: tuple[str | int, ...], value: object) -> dict[str, Any]:
    made: Any = copy.deepcopy(document)
    inner = made
    for key in at[:-1]:
        inner = inner[key]
    inner[at[-1]] = value
    return dict(made)


@pytest.mark.parametrize("value", [None, "nonsense", [], {}, math.inf, math.nan, 10**299, -1])
def test_a_damaged_result_is_read_or_refused_never_a_crash(
    document: dict[str, Any], value: object
) -> None:
    small = copy.deepcopy(document)
    for job in small["jobs"]:
        for name in ("read", "write", "trim"):
            for part in ("slat_ns", "clat_ns", "lat_ns"):
                job[name].get(part, {}).pop("bins", None)
                job[name].get(part, {}).pop("percentile", None)
    refused = 0
    for at in paths(small):
        try:
            assert isinstance(parse_result(broken(small, at, value)), EngineResult)
        except EngineError:
            refused += 1
    assert refused


@pytest.mark.parametrize("value", [None, "x", [], {}, [1], [[1]], math.inf, -1, 10**299])
def test_damaged_additions_are_read_or_refused_never_a_crash(
    changed: dict[str, Any], value: object
) -> None:
    rates = {"ios": [5, 6], "bytes": [50, 60], "clat_sum_ns": [5, 6], "bins": [[[200, 2]], []]}
    series = {"interval_ms": 1000, "end_ms": [1000, 2000], "read": rates}
    changed["jobs"] = changed["jobs"][1:]
    changed["jobs"][0]["iogate"] = {"jobs": 1, "errors": {"EIO": 1}, "series": series}
    changed["iogate"] = {"engine": "e", "version": "1", "clock": {"source": "tsc"}}
    roots: list[tuple[str | int, ...]] = [("iogate",), ("jobs", 0, "iogate")]
    for root in roots:
        inner: Any = changed
        for key in root:
            inner = inner[key]
        for at in paths(inner):
            with suppress(EngineError):
                assert isinstance(parse_result(broken(changed, (*root, *at), value)), EngineResult)


@pytest.mark.parametrize("name", ["engine", "version"])
def test_an_engine_whose_name_is_a_book_is_refused(changed: dict[str, Any], name: str) -> None:
    """It would be kept with each repetition."""
    changed["iogate"] = {"engine": "e", "version": "1", name: "x" * 300}
    with pytest.raises(EngineError, match="cannot be read"):
        parse_result(changed)


@pytest.mark.parametrize("place", ["jobname", "errors", "values", "iodepth_level", "name"])
def test_a_part_whose_name_is_a_book_is_refused(changed: dict[str, Any], place: str) -> None:
    job, book = changed["jobs"][0], "x" * 2000
    job["iogate"] = {"errors": {"EIO": 1}, "values": {"throughput": 1.0}}
    changed["disk_util"] = [{"name": "sda", "read_ios": 1, "write_ios": 1, "util": 1.0}]
    holder = {"jobname": job, "iodepth_level": job, "name": changed["disk_util"][0]}
    of = holder.get(place, job["iogate"])
    of[place] = {book: 1} if isinstance(of[place], dict) else book
    with pytest.raises(EngineError, match="a name of 2000 characters"):
        parse_result(changed)


def test_more_intervals_than_any_engine_keeps_are_refused(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A second's job that claims to have four million took a minute a repetition, and damaged the
    history."""
    rates = {"ios": [1] * 60, "bytes": [1] * 60}
    series = {"interval_ms": 100, "end_ms": list(range(60)), "read": rates}
    for job in changed["jobs"][1:]:
        job["iogate"] = {"jobs": 1, "series": series}
    every = len(changed["jobs"][1:]) * 60
    monkeypatch.setattr("iogate.engine.result.RESULT_INTERVALS", every)
    parse_result(changed)
    monkeypatch.setattr("iogate.engine.result.RESULT_INTERVALS", every - 1)
    with pytest.raises(EngineError, match=f"it has {every} intervals"):
        parse_result(changed)


def test_more_jobs_than_any_engine_takes_are_refused(
    changed: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds of thousands fit into a result, and took hours to be read, with the host locked."""
    changed["jobs"] = changed["jobs"][1:] * 5
    monkeypatch.setattr("iogate.engine.result.RESULT_ROWS", len(changed["jobs"]))
    parse_result(changed)
    monkeypatch.setattr("iogate.engine.result.RESULT_ROWS", len(changed["jobs"]) - 1)
    with pytest.raises(EngineError, match="it has 5 jobs"):
        parse_result(changed)


@pytest.mark.parametrize(
    "said", [5, 0.5, "text", [], [1], None, True, {"jobs": [1]}, {"jobs": [1], "iogate": 5}]
)
def test_what_is_no_result_is_refused(said: Any) -> None:
    with pytest.raises(EngineError, match="result"):
        parse_result(said)


@pytest.mark.parametrize("error", [10**30, -(10**30), 1e308, 4096])
def test_an_error_that_no_system_has_is_refused(changed: dict[str, Any], error: float) -> None:
    changed["jobs"][0]["error"] = error
    with pytest.raises(EngineError, match="cannot be read"):
        parse_result(changed)


def test_no_jobs(changed: dict[str, Any]) -> None:
    changed["jobs"] = []
    with pytest.raises(EngineError, match="no jobs"):
        parse_result(changed)


def test_a_newer_result_is_refused_with_what_to_do(changed: dict[str, Any]) -> None:
    changed["iogate"] = {"schema": "result/2"}
    with pytest.raises(EngineError, match="result/2") as caught:
        parse_result(changed)
    assert "same version" in caught.value.remedy


def test_the_stored_results_of_a_run_can_be_read_again(
    document: dict[str, Any], tmp_path: Path
) -> None:
    (tmp_path / "r.json").write_text(json.dumps(document))
    assert parse_result(json.loads((tmp_path / "r.json").read_text())) == parse_result(document)
