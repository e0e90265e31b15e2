"""Our numbers beside those that fio itself prints for the same result."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest

from iogate.engine.result import parse_result
from iogate.metrics import metric
from iogate.model.measurement import Measurement
from support import samples as s

JOBS = """\
[global]
ioengine=psync
size=4m
bs=4k
directory={folder}
[mixed]
rw=randrw
fsync=64
[clones]
new_group
rw=randwrite
numjobs=2
group_reporting
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    if not shutil.which("fio"):
        pytest.skip("fio is not installed")
    folder = tmp_path_factory.mktemp("fio")
    (folder / "job.fio").write_text(JOBS.format(folder=folder), encoding="utf-8")
    done = subprocess.run(
        ["fio", "job.fio", "--output-format=json+"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    document: dict[str, Any] = json.loads(done.stdout[done.stdout.index("{") :])
    return document


@pytest.fixture(scope="module")
def measured(result: dict[str, Any]) -> Measurement:
    return s.measurement(*parse_result(result).jobs)


def value(path: str, measured: Measurement) -> float:
    found = metric(path).extract(measured)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("job", "direction"), [("mixed", "read"), ("mixed", "write"), ("clones", "write")]
)
def test_the_same_latencies_and_rates(
    job: str, direction: str, result: dict[str, Any], measured: Measurement
) -> None:
    row = next(row for row in result["jobs"] if row["jobname"] == job)[direction]
    path = f"jobs.{job}.{direction}"
    assert value(f"{path}.iops", measured) == pytest.approx(row["iops"])
    assert value(f"{path}.bw", measured) == row["bw_bytes"]
    for stat, theirs in (("mean", "mean"), ("stdev", "stddev"), ("min", "min"), ("max", "max")):
        assert value(f"{path}.clat.{stat}", measured) == row["clat_ns"][theirs]
    for percent, exact in row["clat_ns"]["percentile"].items():
        ours = value(f"{path}.clat.p{float(percent):g}", measured)
        assert ours == pytest.approx(exact, rel=1 / 64, abs=1)


def test_the_whole_is_the_sum_of_its_jobs(measured: Measurement, result: dict[str, Any]) -> None:
    rates = [row["write"]["iops"] for row in result["jobs"]]
    assert value("write.iops", measured) == pytest.approx(sum(rates))
    peaks = [row["write"]["clat_ns"]["max"] for row in result["jobs"]]
    assert value("write.clat.max", measured) == max(peaks)
    assert value("write.clat.p100", measured) == pytest.approx(max(peaks), rel=1 / 64)


def test_a_sync_has_a_latency_of_its_own(measured: Measurement, result: dict[str, Any]) -> None:
    lat = result["jobs"][0]["sync"]["lat_ns"]
    assert value("sync.lat.mean", measured) == lat["mean"]
    assert value("sync.lat.max", measured) == lat["max"]
