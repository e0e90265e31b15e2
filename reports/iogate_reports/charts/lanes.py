"""Which lines a case has: each direction, and each job where several run at once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import DIRECTIONS, Interval, JobMeasurement, Measurement, Series
from iogate_reports.text import plural

MAX_JOBS = 6
"""With more jobs than this at once, they are drawn as one."""


@dataclass(frozen=True, slots=True)
class Lane:
    """``job`` is empty where all jobs are drawn together."""

    job: str
    direction: str

    def jobs_of(self, measurement: Measurement) -> list[JobMeasurement]:
        return [job for job in measurement.jobs if not self.job or job.name == self.job]


def directions(measurements: Iterable[Measurement]) -> list[str]:
    """The directions that did I/O, in the fixed order."""
    seen = {
        name
        for m in measurements
        for job in m.jobs
        for name, part in job.directions.items()
        if part.total_ios
    }
    return [name for name in DIRECTIONS if name in seen]


def latency_name(direction: str) -> str:
    """What the latency drawn of a direction is called: a sync has but one kind."""
    return "sync latency" if direction == "sync" else "completion latency"


def lanes(measurements: Sequence[Measurement], direction: str) -> list[Lane]:
    """The lines of one direction, in job order."""
    names = dict.fromkeys(
        job.name
        for m in measurements
        for job in m.jobs
        if direction in job.directions and job.directions[direction].total_ios
    )
    every = {job.name for m in measurements for job in m.jobs}
    if len(every) == 1 or len(names) > MAX_JOBS:
        return [Lane("", direction)]
    return [Lane(name, direction) for name in names]


def whole_intervals(series: Series | None) -> Iterator[tuple[int, Interval]]:
    """The intervals of a job, each with its number (from 1): that of the end which its own is
    next to, as ends are a little late or early. Two that end so close to one have its number
    both. The scrap that a run ends with, less than half an interval, is left out: a few I/Os make
    no rate."""
    if series is None or series.interval_ms <= 0:
        return
    width, last = series.interval_ms, len(series.intervals) - 1
    before = 0
    for place, interval in enumerate(series.intervals):
        if place < last or (interval.end_ms - before) * 2 > width:
            yield max((2 * interval.end_ms + width) // (2 * width), 1), interval
        before = interval.end_ms


def not_drawn(what: str, names: Sequence[str]) -> str:
    """Which repetitions a chart over time leaves out, for its note; empty where it shows all."""
    if not names:
        return ""
    told = ", ".join(names[:MAX_JOBS]) + (", …" if len(names) > MAX_JOBS else "")
    few = plural(len(names), what)
    return f"Not drawn: {few} with too few intervals that have I/Os ({told})."


def latency_histogram(measurements: Iterable[Measurement], lane: Lane) -> Histogram:
    """Completion latency of a lane, merged exactly; empty where no histogram was kept."""
    parts = []
    for measurement in measurements:
        for job in lane.jobs_of(measurement):
            part = job.directions.get(lane.direction)
            latency = part and (part.clat or part.lat)
            if latency and latency.histogram:
                parts.append(latency.histogram)
    return parts[0] if len(parts) == 1 else Histogram.merged(parts)


def quantiles_ns(histogram: Histogram, shares: Iterable[float]) -> list[float]:
    """Several quantiles (0..1) in one pass over the buckets, interpolated inside them."""
    values = list(histogram.bins)
    seen = list(accumulate(histogram.bins.values()))
    quantiles = []
    for share in shares:
        rank = share * seen[-1]
        index = min(bisect_left(seen, rank), len(values) - 1)
        low, high = bucket_bounds_ns(values[index])
        count = histogram.bins[values[index]]
        inside = (rank - (seen[index] - count)) / count if count else 0.5
        quantiles.append(low + (high - low) * min(max(inside, 0.0), 1.0))
    return quantiles
