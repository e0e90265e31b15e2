"""Latency, throughput and stalls of a disk that does as it is told."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from truth.measure import PERCENTS, Row, close, engine, equal, logged, percentile

from support.block_trace import block_trace
from support.slow_disk import SlowDisk, throttled

STEPS = ((200, 3000), (1_000, 2000), (5_000, 600), (20_000, 200))  # delay in us, I/Os
DEEP = (("libaio", 4, 1_000), ("io_uring", 4, 1_000), ("io_uring", 16, 5_000))


# Woken when its I/O is done, whatever else this machine does: the wake-up is not the subject.
AT_ONCE = ("chrt", "--fifo", "50")


@dataclass(frozen=True, slots=True)
class Seen:
    """The same I/Os as the kernel saw them, to their completion and until the engine ran
    again, as the engine logged them, and as the disk served them; sorted times in us."""

    kernel: list[float]
    woken: list[float]
    logged: list[float]
    served_us: float


def _see(disk: SlowDisk, folder: Path, options: str, log: str) -> Seen:
    options = f"filename={disk.device} rw=randread direct=1 {options}"
    with block_trace(disk.device, folder) as trace:
        engine(folder, f"{options} write_lat_log=x log_offset=1", prefix=AT_ONCE)
    rows = logged(folder / f"x_{log}.1.log")
    sectors = {offset // 512 for offset, _ in rows}
    traced = [io for io in trace.ios if io.sector in sectors]
    kernel = sorted(float(io.took_us) for io in traced)
    woken = sorted(float(io.woke_us) for io in traced)
    assert len(kernel) == len(rows), f"{len(kernel):,} of {len(rows):,} I/Os were traced"
    served = disk.served().mean_ns / 1000
    return Seen(kernel, woken, sorted(ns / 1000 for _, ns in rows), served)


def _agree(what: str, truth: list[float], seen: Seen) -> Iterator[Row]:
    count = len(truth)
    yield close(f"{what}, mean of {count:,}", sum(truth) / count, sum(seen.logged) / count)
    for percent in PERCENTS:
        if count * (1 - percent / 100) >= 1:
            yield close(
                f"{what}, p{percent:g}",
                percentile(truth, percent),
                percentile(seen.logged, percent),
            )


def delays(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """clat of one I/O at a time against queue-to-complete, step by step."""
    for delay_us, count in STEPS:
        disk.become(delay_us=delay_us)
        seen = _see(disk, folder, f"number_ios={count}", "clat")
        what = f"delay {delay_us:,} µs, psync"
        least = min(seen.logged)
        yield Row(
            f"{what}, least clat", f"≥ {delay_us:,} µs", f"{least:,.1f} µs",
            f"{least - delay_us:+,.1f} µs", "not below", least >= delay_us,
        )  # fmt: skip
        yield from _agree(f"{what}, clat", seen.kernel, seen)
        yield from _agree(f"{what}, clat, with the wake-up", seen.woken, seen)


def depths(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """lat of many at a time: clat begins when the submission returns, the kernel's time
    when it reaches the queue, which is before."""
    for name, depth, delay_us in DEEP:
        disk.become(delay_us=delay_us)
        seen = _see(disk, folder, f"ioengine={name} iodepth={depth} number_ios=2000", "lat")
        what = f"delay {delay_us:,} µs, {name}, depth {depth}, lat"
        yield from _agree(what, seen.kernel, seen)
        yield from _agree(f"{what}, with the wake-up", seen.woken, seen)


def throttles(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """A limit of the kernel on I/Os a second; latency by Little's law."""
    disk.become()
    for limit in (200, 1000):
        options = f"filename={disk.device} rw=randread direct=1 ioengine=libaio iodepth=4"
        with throttled(disk.device, limit) as prefix:
            document = engine(
                folder, f"{options} ramp_time=1 time_based runtime=5", prefix=[*AT_ONCE, *prefix]
            )
        job = document["jobs"][0]["read"]
        apart = job["iops"] / limit - 1
        yield Row(
            f"blkio limit {limit:,} IOPS, depth 4", f"{limit:,} IOPS", f"{job['iops']:,.1f} IOPS",
            f"{apart:+.2%}", "2 %", abs(apart) <= 0.02,
        )  # fmt: skip
        mean_us = job["lat_ns"]["mean"] / 1000
        yield close(f"blkio limit {limit:,} IOPS, depth 4, mean lat", 4e6 / limit, mean_us)


def counters(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """I/Os and bytes against the device's own counters."""
    disk.become()
    for at, way in ((0, "read"), (2, "write")):
        before = disk.counters()
        options = f"filename={disk.device} rw=rand{way} direct=1 bs=8k numjobs=2 invalidate=0"
        document = engine(folder, f"{options} ioengine=io_uring iodepth=8")
        after = disk.counters()
        jobs = [job[way] for job in document["jobs"]]
        ios, moved = (sum(job[key] for job in jobs) for key in ("total_ios", "io_bytes"))
        yield equal(f"{way}s of the device", after[at] - before[at], ios)
        yield equal(f"bytes of {way}s", after[at + 1] - before[at + 1], moved)


def stalls(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """A stall of 1 s every 10 s under 200 I/Os a second: a tenth of them should wait half a
    second in the mean, so the 99th percentile of what is due is near 0.9 s."""
    disk.become(stall_ms=1000, every_ms=10_000)
    options = f"filename={disk.device} rw=randread direct=1 rate_iops=200 time_based runtime=19s"
    job = engine(folder, options, prefix=AT_ONCE)["jobs"][0]
    intended = job["iogate"]["read"]["intended_lat_ns"]["percentile"]["99.000000"] / 1e6
    clat = job["read"]["clat_ns"]["percentile"]["99.000000"] / 1e6
    yield Row(
        "stall 1 s of 10, 200 IOPS due: p99 from the intended start", "900 ms",
        f"{intended:,.0f} ms", f"{intended - 900:+,.0f} ms", "10 %", abs(intended - 900) <= 90,
    )  # fmt: skip
    yield Row(
        "the same, p99 of clat", "knows 1 I/O a stall", f"{clat:,.2f} ms", "", "< 100 ms",
        clat < 100,
    )  # fmt: skip
    slow = sum(n for ns, n in job["read"]["clat_ns"]["bins"].items() if int(ns) > 100_000_000)
    yield Row("the same, I/Os of more than 100 ms by clat", "2", str(slow), "", "2", slow == 2)
