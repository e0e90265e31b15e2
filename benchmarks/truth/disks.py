"""Latency of a disk that takes as long as it is told."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from truth.measure import ANYWHERE, AT_ONCE, Row, programs
from truth.seen import Seen, agree, both, see, settled

from support.slow_disk import SlowDisk

ROUNDS = 3
# Delay in us, I/Os.
STEPS = ((200, 5000), (400, 5000), (1_000, 3000), (5_000, 1000), (20_000, 300))
LEAST_JUDGED_US = 400
"""Of a shorter I/O the goal is 5 us, and the way into the kernel and back takes 4 to 6."""
DEEP = (
    # engine, depth, delay in us, I/Os
    ("libaio", 1, 1_000, 2000),
    ("io_uring", 1, 1_000, 2000),
    ("libaio", 4, 1_000, 6000),
    ("io_uring", 4, 1_000, 6000),
    ("io_uring", 16, 5_000, 6000),
)


def delays(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """clat of one I/O at a time against queue-to-complete, step by step."""
    for delay_us, count in STEPS:
        disk.become(delay_us=delay_us)
        ours, fio = _rounds(disk, folder, f"ioengine=psync number_ios={count}")
        what = f"delay {delay_us:,} µs, psync"
        least, other = (
            min(engine_run.logs["clat"][0] for engine_run in seen) for seen in (ours, fio)
        )
        yield Row(
            f"{what}, least clat", f"≥ {delay_us:,} µs", f"{least:,.1f} µs",
            f"{least - delay_us:+,.1f} µs", "not below", least >= delay_us,
            f"{other - delay_us:+,.1f} µs",
        )  # fmt: skip
        what = f"{what}, clat"
        goal = delay_us >= LEAST_JUDGED_US
        yield from both(_by_kernel(what, ours, goal=goal), _by_kernel(what, fio, goal=goal))
        what = f"{what}, until it ran again"
        yield from both(_by_wake_up(what, ours), _by_wake_up(what, fio))


def elsewhere(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """The same where the kernel places disk and engine as it likes: what this machine takes to
    wake up a process on a CPU that sleeps, or is busy with something else, is in clat."""
    disk.become(delay_us=1_000)
    ours, fio = _rounds(disk, folder, "ioengine=psync number_ios=2000", ANYWHERE)
    what = "delay 1,000 µs, psync, on any CPU, clat"
    yield from both(_by_kernel(what, ours, goal=False), _by_kernel(what, fio, goal=False))


def depths(disk: SlowDisk, folder: Path) -> Iterator[Row]:
    """lat of engines that hand over and take back apart: their clat begins when the handing
    over returns, which is after the kernel's time began."""
    for name, depth, delay_us, count in DEEP:
        disk.become(delay_us=delay_us)
        options = f"ioengine={name} iodepth={depth} number_ios={count}"
        ours, fio = _rounds(disk, folder, options)
        for kind in ("clat", "lat") if depth == 1 else ("lat",):
            what = f"delay {delay_us:,} µs, {name}, depth {depth}, {kind}"
            yield from both(_by_kernel(what, ours, kind), _by_kernel(what, fio, kind))


def _rounds(
    disk: SlowDisk, folder: Path, options: str, prefix: Sequence[str] = AT_ONCE
) -> tuple[list[Seen], list[Seen]]:
    """Ours and fio in turn."""
    every = [
        see(disk, folder, program, options, prefix)
        for _ in range(ROUNDS)
        for program in programs(folder)
    ]
    return every[::2], every[1::2]


def _by_kernel(
    what: str, rounds: Sequence[Seen], kind: str = "clat", *, goal: bool = True
) -> Iterator[Row]:
    return settled(
        agree(what, engine_run.kernel, engine_run.logs[kind], goal=goal) for engine_run in rounds
    )


def _by_wake_up(what: str, rounds: Sequence[Seen]) -> Iterator[Row]:
    return settled(agree(what, engine_run.woken, engine_run.logs["clat"]) for engine_run in rounds)
