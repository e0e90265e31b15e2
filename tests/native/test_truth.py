"""What is measured is what happened, on disks whose behaviour is known.

A request cannot be answered before its time, so every lower bound here holds on the busiest
machine; how close measurements are to it is for `make bench-truth` to print.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from iogate.engine.result import parse_result
from iogate.metrics.combine import merged_latency
from iogate.model.document import measurement_from_document, to_document
from support import samples
from support.block_trace import block_trace
from support.devices import needs_root
from support.engine_runs import run
from support.slow_disk import SlowDisk, needs_fuse, slow_disk, throttled

pytestmark = needs_root


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SlowDisk]:
    """One for all tests; each says how slow it is."""
    with slow_disk(tmp_path_factory.mktemp("disk")) as made:
        yield made


def _run(engine: Path, folder: Path, options: str, prefix: tuple[str, ...] = ()) -> dict[str, Any]:
    text = "[j]\n" + "\n".join(options.split()) + "\n"
    command = [*prefix, str(engine), "--output-format=json+", "-"]
    document = run(command[0], command[1:], folder, text).document()
    assert isinstance(document["jobs"][0], dict)
    return document


def _clat(document: dict[str, Any], way: str = "read") -> dict[str, Any]:
    found: dict[str, Any] = document["jobs"][0][way]["clat_ns"]
    return found


@needs_fuse
def test_latency_follows_the_disk(engine: Path, tmp_path: Path, disk: SlowDisk) -> None:
    last = 0.0
    for delay_us in (300, 3_000, 30_000):
        disk.become(delay_us=delay_us)
        options = f"filename={disk.device} rw=randread direct=1 number_ios=20"
        clat = _clat(_run(engine, tmp_path, options))
        assert clat["N"] == 20
        assert clat["min"] >= delay_us * 1000
        assert clat["percentile"]["1.000000"] >= delay_us * 1000 * (1 - 1 / 128)
        # The system may read a disk that just appeared, too: with it, the fastest is no slower.
        served = disk.served()
        assert served.requests >= 20
        assert clat["min"] >= served.min_ns >= delay_us * 1000
        assert clat["min"] > last
        last = clat["min"]


@needs_fuse
@pytest.mark.parametrize("name", ["libaio", "io_uring"])
def test_deep_latency_follows_the_disk(
    engine: Path, tmp_path: Path, disk: SlowDisk, name: str
) -> None:
    """lat: a busy machine may begin an I/O before its submission returns."""
    disk.become(delay_us=2000)
    options = f"filename={disk.device} rw=randread direct=1 number_ios=40"
    document = _run(engine, tmp_path, f"{options} ioengine={name} iodepth=4")
    lat = document["jobs"][0]["read"]["lat_ns"]
    assert lat["N"] == 40
    assert lat["min"] >= 2_000_000


@needs_fuse
def test_no_io_is_faster_than_the_kernel_saw_it(
    engine: Path, tmp_path: Path, disk: SlowDisk
) -> None:
    """From the call to its return is no less than from the queue to the completion."""
    disk.become(delay_us=500)
    options = f"filename={disk.device} rw=randread direct=1 number_ios=50"
    with block_trace(disk.device, tmp_path) as trace:
        _run(engine, tmp_path, f"{options} write_lat_log=x log_offset=1")
    rows = [line.split(", ") for line in (tmp_path / "x_clat.1.log").read_text().splitlines()]
    sectors = {int(row[4]) // 512 for row in rows}
    traced = [io for io in trace.ios if io.sector in sectors]
    assert [io.sector for io in traced] == [int(row[4]) // 512 for row in rows]
    for row, io in zip(rows, traced, strict=True):
        assert int(row[1]) >= (io.took_us - 1) * 1000
        assert io.took_us >= 500


@needs_fuse
@pytest.mark.parametrize("way", ["read", "write"])
def test_throughput_is_the_device_s_own(
    engine: Path, tmp_path: Path, disk: SlowDisk, way: str
) -> None:
    disk.become()
    options = f"filename={disk.device} rw=rand{way} direct=1 bs=16k size=8m invalidate=0"
    before = disk.counters()
    document = _run(engine, tmp_path, f"{options} ioengine=libaio iodepth=4 numjobs=2")
    after = disk.counters()
    at = 0 if way == "read" else 2
    jobs = [job[way] for job in document["jobs"]]
    assert sum(job["total_ios"] for job in jobs) == after[at] - before[at] == 1024
    assert sum(job["io_bytes"] for job in jobs) == after[at + 1] - before[at + 1] == 16 << 20
    (util,) = document["disk_util"]
    assert util[f"{way}_ios"] == 1024
    assert util[f"{way}_sectors"] == 32768


@needs_fuse
def test_a_stall_shows_from_the_intended_start(
    engine: Path, tmp_path: Path, disk: SlowDisk
) -> None:
    """200 I/Os a second and a stall of 400 ms: a fifth of a 2-second run waits, and 80 I/Os
    should have begun meanwhile. One was in flight: the ordinary clat knows of one."""
    disk.become(stall_ms=400, every_ms=1900)
    options = f"filename={disk.device} rw=randread direct=1 rate_iops=200 time_based runtime=1800ms"
    document = _run(engine, tmp_path, options)
    intended = document["jobs"][0]["iogate"]["read"]["intended_lat_ns"]
    assert intended["max"] >= 350_000_000
    assert intended["percentile"]["90.000000"] >= 50_000_000
    bins = {int(value): count for value, count in _clat(document)["bins"].items()}
    slow = sum(count for value, count in bins.items() if value >= 50_000_000)
    late = {int(value): count for value, count in intended["bins"].items()}
    assert sum(count for value, count in late.items() if value >= 50_000_000) > 10 * slow


@needs_fuse
def test_a_failed_request_is_no_throughput(engine: Path, tmp_path: Path, disk: SlowDisk) -> None:
    options = f"filename={disk.device} rw=randread direct=1 number_ios=50 invalidate=0"
    disk.become(fail_at=31)
    text = "[j]\n" + "\n".join(options.split()) + "\n"
    ran = run(engine, ["--output-format=json", "-"], tmp_path, text)
    assert ran.status == 1
    assert '"EIO": 1' in ran.out.replace('"EIO" : 1', '"EIO": 1')
    assert "Input/output error" in ran.err


@needs_fuse
def test_a_throttled_device(engine: Path, tmp_path: Path, disk: SlowDisk) -> None:
    """100 I/Os a second and 4 in flight: 40 ms each, by Little's law; and never more."""
    disk.become()
    options = f"filename={disk.device} rw=randread direct=1 ioengine=libaio iodepth=4"
    with throttled(disk.device, 100) as prefix:
        document = _run(engine, tmp_path, f"{options} time_based runtime=1s", tuple(prefix))
    job = document["jobs"][0]["read"]
    # The kernel lets a slice's worth through at once: 0.1 s of them at most, twice.
    assert job["total_ios"] <= 100 * (job["runtime"] / 1000) + 24
    assert job["lat_ns"]["mean"] * job["iops"] <= 4.0 * 1e9 * 1.001


def test_percentiles_of_the_histogram_are_the_log_s(engine: Path, tmp_path: Path) -> None:
    """Against the sorted log of each I/O: never off by more than 1/128."""
    options = "rw=randread size=8m ioengine=libaio iodepth=8 write_lat_log=x numjobs=2"
    options = f"{options} group_reporting percentile_list=1:10:50:90:99:99.9:99.99:100"
    document = _run(engine, tmp_path, options)
    values = sorted(
        int(line.split(", ")[1])
        for number in (1, 2)
        for line in (tmp_path / f"x_clat.{number}.log").read_text().splitlines()
    )
    clat = _clat(document)
    assert clat["N"] == len(values) == 4096
    assert clat["min"] == values[0]
    assert clat["max"] == values[-1]
    assert clat["mean"] == pytest.approx(sum(values) / len(values), abs=0.001)
    for percent, found in clat["percentile"].items():
        exact = values[max(ceil(len(values) * float(percent) / 100 - 1e-9), 1) - 1]
        assert abs(found - exact) <= exact / 128, percent


def _middle(value_ns: int) -> int:
    """Of the value's bucket: its first seven bits stay, and the rest is half of what it may be."""
    shift = max(value_ns.bit_length() - 7, 0)
    return (value_ns >> shift << shift) + (1 << shift >> 1 if shift else 0)


def test_merging_jobs_is_exact(engine: Path, tmp_path: Path) -> None:
    """The group's bins are the bins of all logged I/Os, bucket by bucket."""
    options = "rw=randread size=4m ioengine=libaio iodepth=8 write_lat_log=x numjobs=3"
    bins = {
        int(value): count
        for value, count in _clat(_run(engine, tmp_path, f"{options} group_reporting"))[
            "bins"
        ].items()
    }
    counted: Counter[int] = Counter()
    for path in tmp_path.glob("x_clat.*.log"):
        for line in path.read_text().splitlines():
            counted[_middle(int(line.split(", ")[1]))] += 1
    assert counted == bins


def test_merging_repetitions_and_hosts_is_exact(engine: Path, tmp_path: Path) -> None:
    """Results of separate executions, after each has been a document on its way: the bins are
    those of all I/Os in all logs, and so are count, least and greatest."""
    latencies, values = [], []
    for name in ("first", "second", "elsewhere"):
        options = "rw=randread size=4m ioengine=libaio iodepth=8 write_lat_log=x numjobs=2"
        found = parse_result(_run(engine, tmp_path / name, f"{options} group_reporting"))
        document = json.dumps(to_document(samples.measurement(*found.jobs)))
        back = measurement_from_document(json.loads(document))
        latencies += [job.directions["read"].clat for job in back.jobs]
        for log in (tmp_path / name).glob("x_clat.*.log"):
            values += [int(line.split(", ")[1]) for line in log.read_text().splitlines()]
    whole = merged_latency(part for part in latencies if part)
    assert whole
    assert whole.histogram
    assert whole.n == len(values) == 3 * 2 * 1024
    assert (whole.min_ns, whole.max_ns) == (min(values), max(values))
    assert whole.mean_ns == pytest.approx(sum(values) / len(values), rel=1e-9)
    assert whole.histogram.bins == Counter(_middle(value) for value in values)


def test_the_clock_keeps_time(engine: Path, tmp_path: Path) -> None:
    document = _run(engine, tmp_path, "ioengine=null rw=read size=1m time_based runtime=1s")
    clock = document["iogate"]["clock"]
    assert clock["source"] in {"tsc", "clock_monotonic"}
    assert abs(clock["error_ppm"]) <= 20
    assert "fallback" not in clock or clock["source"] == "clock_monotonic"


def test_a_counter_that_the_kernel_dropped_is_not_used(engine: Path, tmp_path: Path) -> None:
    """In a mount namespace of its own, where the kernel seems to keep another clock."""
    names = Path("/sys/devices/system/clocksource/clocksource0/current_clocksource")
    if names.read_text().strip() not in {"tsc", "kvm-clock"}:
        pytest.skip("this kernel does not use the counter anyway")
    other = tmp_path / "clocksource"
    other.write_text("acpi_pm\n")
    inside = f'mount --bind {other} {names} && exec "$0" "$@"'
    arguments = ["--mount", "sh", "-c", inside, str(engine), "--output-format=json", "-"]
    ran = run("unshare", arguments, tmp_path, "[j]\nioengine=null\nrw=read\nsize=1m\n")
    clock = ran.document()["iogate"]["clock"]
    assert (clock["source"], clock["frequency_hz"]) == ("clock_monotonic", 1e9)
    assert clock["fallback"] == "the kernel itself does not use it"
    assert "warning: jobs are timed by clock_gettime" in ran.err
