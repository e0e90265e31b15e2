"""Throughput and stalls of a disk that is held to what it may do."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from truth.measure import AT_ONCE, GOAL, Program, Row, close, engine, equal, near, programs
from truth.seen import both, see

from support.slow_disk import SlowDisk, throttled

DEPTH = 4
# I/Os a second, I/Os. The kernel lets the first tenth of a second through at once: 0.5 and
# 0.6 % of these.
LIMITS = ((200, 4000), (1000, 16_000))
STALL_MS, EVERY_MS, FIRST_MS = 1000, 10_000, 4000
RATE, RUNTIME_S = 200, 18


def throttles(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """A limit of the kernel on I/Os a second."""
    disk.become()
    for limit, count in LIMITS:
        ours, fio = programs(folder)
        yield from both(
            _throttled(disk, folder, ours, limit, count),
            _throttled(disk, folder, fio, limit, count),
        )


def _throttled(
    disk: SlowDisk, folder: Path, program: Program, limit: int, count: int
) -> Iterator[Row]:
    """Counts, the rate as the kernel's own times give it, and latency by Little's law: with
    all of the depth in flight but for the last ones, the latencies add up to depth x time.
    The kernel lets fewer through where its threads have to wait for a CPU, and never more."""
    options = f"ioengine=libaio iodepth={DEPTH} number_ios={count} invalidate=0"
    before = disk.counters()
    with throttled(disk.device, limit) as prefix:
        seen = see(disk, folder, program, options, (*AT_ONCE, *prefix))
    after = disk.counters()
    job = seen.document["jobs"][0]["read"]
    what = f"blkio limit {limit:,} IOPS, depth {DEPTH}"
    missing_us = 1e6 / limit * DEPTH * (DEPTH - 1) / 2
    yield equal(f"{what}, I/Os of the device", after[0] - before[0], job["total_ios"])
    yield near(f"{what}, rate by the kernel's times", count / seen.span_us * 1e6, job["iops"], "/s")
    above = job["iops"] / limit - 1
    yield Row(
        f"{what}, rate", f"≤ {limit:,} /s", f"{job['iops']:,.1f} /s", f"{above:+.2%}",
        "at most +2 %", above <= GOAL,
    )  # fmt: skip
    yield close(
        f"{what}, mean lat", (DEPTH * seen.span_us - missing_us) / count,
        job["lat_ns"]["mean"] / 1000,
    )  # fmt: skip


def counters(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """I/Os and bytes against the device's own counters."""
    disk.become()
    for way in ("read", "write"):
        ours, fio = programs(folder)
        yield from both(_counted(disk, folder, ours, way), _counted(disk, folder, fio, way))


def _counted(disk: SlowDisk, folder: Path, program: Program, way: str) -> Iterator[Row]:
    at = 0 if way == "read" else 2
    before = disk.counters()
    options = f"filename={disk.device} rw=rand{way} direct=1 bs=8k numjobs=2 invalidate=0"
    document = engine(
        folder, f"{options} size=64m ioengine=io_uring iodepth=8 thread", path=program.path
    )
    after = disk.counters()
    jobs = [job[way] for job in document["jobs"]]
    ios, moved = (sum(job[key] for job in jobs) for key in ("total_ios", "io_bytes"))
    yield equal(f"{way}s of the device", after[at] - before[at], ios)
    yield equal(f"bytes of {way}s", after[at + 1] - before[at + 1], moved)


def stalls(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """A stall of 1 s every 10 s under a fixed rate; both of the run's lie inside it. What is due
    in one waits for its end, a second down to nothing: of n I/Os the hundredth part that waits
    longest comes from both alike, so p99 is n / 200 I/Os after their beginnings."""
    disk.become(stall_ms=STALL_MS, every_ms=EVERY_MS, first_ms=FIRST_MS)
    options = (
        f"filename={disk.device} rw=randread direct=1 rate_iops={RATE} time_based "
        f"runtime={RUNTIME_S}s"
    )
    job = engine(folder, options, prefix=AT_ONCE)["jobs"][0]
    what = f"stall of 1 s every 10 s, {RATE} IOPS due"
    read = job["read"]
    beyond = read["total_ios"] / 100 / 2
    intended = job["iogate"]["read"]["intended_lat_ns"]["percentile"]["99.000000"] / 1e6
    yield near(f"{what}, p99 from when it was due", STALL_MS - beyond * 1000 / RATE, intended, "ms")
    clat = read["clat_ns"]["percentile"]["99.000000"] / 1e6
    yield Row(
        f"{what}, p99 of clat", "1 I/O knows of a stall", f"{clat:,.2f} ms", "", "< 100 ms",
        clat < 100, _fio_stalled(disk, folder, options),
    )  # fmt: skip
    yield equal(f"{what}, I/Os of over 500 ms by clat", 2, _longer(read, 500))
    yield equal(f"{what}, I/Os that were due", RATE * RUNTIME_S, read["total_ios"])


def _fio_stalled(disk: SlowDisk, folder: Path, options: str) -> str:
    disk.become(stall_ms=STALL_MS, every_ms=EVERY_MS, first_ms=FIRST_MS)
    document = engine(folder, f"{options} size=64m", prefix=AT_ONCE, path=programs(folder)[1].path)
    return f"{document['jobs'][0]['read']['clat_ns']['percentile']['99.000000'] / 1e6:,.2f} ms"


def _longer(part: dict[str, Any], ms: int) -> int:
    return sum(n for ns, n in part["clat_ns"]["bins"].items() if int(ns) > ms * 1_000_000)
