"""Numbers in a result of fio that nothing measured can have."""

from __future__ import annotations

import math
from collections.abc import Iterator

from iogate.engine.base import EngineResult
from iogate.model.measurement import Direction, Latency

Named = Iterator[tuple[str, float]]


def odd_numbers(result: EngineResult) -> tuple[str, ...]:
    """What to tell of numbers that are none (fio prints ``nan``), which no metric has. ValueError
    for one below zero: nobody can say what else of such a result is true."""
    told = []
    for job in result.jobs:
        for name, direction in job.directions.items():
            for what, value in _numbers(direction):
                place = f"{job.name}: {name} {what}"
                if value < 0:
                    raise ValueError(f"{place} of {value:g} is below zero")
                if not math.isfinite(value):
                    told.append(f"{place} is no number: it is left out")
    return tuple(told)


def _numbers(direction: Direction) -> Named:
    yield from (
        ("I/Os", direction.total_ios), ("bytes", direction.io_bytes),
        ("runtime", direction.runtime_ns), ("iops", direction.iops), ("bandwidth", direction.bw),
    )  # fmt: skip
    for name in ("slat", "clat", "lat"):
        latency = getattr(direction, name)
        if latency is not None:
            yield from ((f"{name} {what}", value) for what, value in _of_latency(latency))


def _of_latency(latency: Latency) -> Named:
    yield from (
        ("count", latency.n), ("min", latency.min_ns), ("max", latency.max_ns),
        ("mean", latency.mean_ns), ("stddev", latency.stddev_ns),
    )  # fmt: skip
    yield from ((f"percentile {percent}", value) for percent, value in latency.percentiles.items())
    if latency.histogram is not None:
        bins = latency.histogram.bins
        yield from (("histogram", number) for pair in bins.items() for number in pair)
