"""fio 2's JSON: latencies in µs, amounts in KiB, and versions that count no I/Os."""

from __future__ import annotations

import json
from typing import Any

from iogate.foreign import Origin, as_run, read_fio
from iogate.model.measurement import Direction
from iogate.model.run import Host, Run

ORIGIN = Origin("old.json", Host("old", "m-old"), ended_ns=10**18)


def latency(mean: float) -> dict[str, Any]:
    return {"min": 53, "max": 6329, "mean": mean, "stddev": 94.5}


def part(**numbers: float) -> dict[str, Any]:
    clat = latency(255.5)
    clat["percentile"] = {"50.000000": 243, "99.000000": 506, "0.00": 0}
    return {**numbers, "slat": latency(0.0) | {"max": 0}, "clat": clat, "lat": latency(256.5)}


def document(version: str, read: dict[str, Any]) -> dict[str, Any]:
    job = {
        "jobname": "random-read", "groupid": 0, "error": 0,
        "read": read, "write": part(io_bytes=0, bw=0, iops=0, runtime=0),
        "usr_cpu": 0.96, "sys_cpu": 23.82, "ctx": 11122, "majf": 0, "minf": 6,
    }  # fmt: skip
    return {"fio version": f"fio-{version}", "jobs": [job]}


def only_run(told: dict[str, Any]) -> Run:
    (result,) = read_fio(json.dumps(told, indent=1))
    return as_run(result, ORIGIN)


def read_of(told: dict[str, Any]) -> Direction:
    return only_run(told).measurements[0].jobs[0].directions["read"]


def test_amounts_and_latencies_are_in_the_units_of_today() -> None:
    told = part(io_bytes=7116, bw=275, iops=68.99, runtime=25788, total_ios=1779)
    read = read_of(document("2.2.10", told))
    assert (read.total_ios, read.io_bytes, read.bw) == (1779, 7116 * 1024, 275 * 1024)
    assert read.clat
    assert read.slat is None
    assert (read.clat.min_ns, read.clat.max_ns, read.clat.mean_ns) == (53000, 6329000, 255500)
    assert read.clat.percentiles == {"50": 243000, "99": 506000}
    assert read.lat
    assert read.lat.mean_ns == 256500


def test_its_last_versions_wrote_bytes() -> None:
    told = part(io_bytes=7116 * 1024, bw=275, iops=68.99, runtime=25788, total_ios=1779)
    assert read_of(document("2.21", told)).io_bytes == 7116 * 1024


def test_ios_that_were_not_counted_are_worked_out() -> None:
    run = only_run(document("2.1.11", part(io_bytes=44920, bw=21, iops=5, runtime=2127550)))
    read = run.measurements[0].jobs[0].directions["read"]
    assert read.total_ios == 44920 // 4
    assert 5 < read.iops < 6
    warning = "random-read: the number of reads is worked out from its rate"
    assert run.measurements[0].warnings == (warning,)
    assert run.finished_ns == ORIGIN.ended_ns
