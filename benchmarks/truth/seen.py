"""The same I/Os as the kernel saw them, and as an engine logged them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truth.measure import Program, Row, close, engine, logged, percentile

from support.block_trace import block_trace
from support.slow_disk import SlowDisk

PERCENTS = (50.0, 99.0, 99.9)


@dataclass(frozen=True, slots=True)
class Seen:
    """Sorted times in us: to the completion in the kernel, until the engine ran again, and as
    the engine logged them. ``span_us`` is from the first queued to the last completed."""

    kernel: Sequence[float]
    woken: Sequence[float]
    logs: dict[str, Sequence[float]]
    span_us: float
    document: dict[str, Any]


def see(
    disk: SlowDisk, folder: Path, program: Program, options: str, prefix: Sequence[str]
) -> Seen:
    """Random reads of the disk with these options."""
    options = f"filename={disk.device} rw=randread direct=1 thread {options} size=64m"
    with block_trace(disk.device, folder, program.name) as trace:
        document = engine(
            folder, f"{options} write_lat_log=x log_offset=1", prefix=prefix, path=program.path
        )
    rows = {name: logged(folder / f"x_{name}.1.log") for name in ("clat", "lat")}
    sectors = {offset // 512 for offset, _ in rows["clat"]}
    traced = [io for io in trace.ios if io.sector in sectors]
    assert len(traced) == len(rows["clat"]), f"{len(traced):,} of {len(rows['clat']):,} traced"
    return Seen(
        sorted(float(io.took_us) for io in traced),
        sorted(float(io.woke_us) for io in traced),
        {name: sorted(ns / 1000 for _, ns in row) for name, row in rows.items()},
        max(io.queued_us + io.took_us for io in traced) - min(io.queued_us for io in traced),
        document,
    )


def agree(
    what: str, truth: Sequence[float], measured: Sequence[float], *, goal: bool = True
) -> Iterator[Row]:
    """Mean and percentiles of sorted times."""
    count = len(truth)
    means = (sum(values) / count for values in (truth, measured))
    yield close(f"{what}, mean of {count:,}", *means, goal=goal)
    for percent in PERCENTS:
        pair = (percentile(values, percent) for values in (truth, measured))
        yield close(f"{what}, p{percent:g}", *pair, goal=goal)


def settled(rounds: Iterable[Iterable[Row]]) -> Iterator[Row]:
    """Of each row the round with the median difference: what else this machine does at a
    moment is in a tail, and not in two of three."""
    for same in zip(*rounds, strict=True):
        yield sorted(same, key=lambda row: row.apart)[len(same) // 2]


def both(ours: Iterable[Row], theirs: Iterable[Row]) -> Iterator[Row]:
    """Our rows, each with fio's difference from its own I/Os."""
    for row, other in zip(ours, theirs, strict=True):
        yield row.with_fio(other)
