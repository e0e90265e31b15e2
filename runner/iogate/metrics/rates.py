"""iops and bw: over the whole run, or the spread of the time series."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from iogate.metrics.base import ANY, ANY_TRANSFER, MOMENTS, Row
from iogate.metrics.combine import directions_of
from iogate.model.measurement import TRANSFERS, Direction, Interval, JobMeasurement, Series
from iogate.model.units import Better, Unit

_MS_PER_S = 1000
_STATS: dict[str, Callable[[Sequence[float]], float]] = {
    "min": min,
    "max": max,
    "stdev": lambda rates: statistics.stdev(rates) if len(rates) > 1 else 0.0,
}


def rate_value(
    kind: str, jobs: Sequence[JobMeasurement], direction: str, stat: str
) -> float | None:
    """Mean: the sum of the jobs' own rates. Other stats are over the intervals of the time
    series, summed over the jobs; None where a job kept none."""
    parts = directions_of(jobs, direction)
    if not parts:
        return None
    if stat == "mean":
        return _sum([_rate(kind, part) for part in parts])
    rates = list(interval_rates(kind, jobs, direction).values())
    if not rates:
        return None
    if stat in _STATS:
        return _STATS[stat](rates)
    return _quantile(rates, float(stat[1:]) / 100)


def _sum(rates: Sequence[float | None]) -> float | None:
    known = [rate for rate in rates if rate is not None]
    return sum(known) if len(known) == len(rates) else None


def _rate(kind: str, part: Direction) -> float | None:
    """The engine's own rate; where it gives none (syncs), counted over the runtime."""
    rate = part.iops if kind == "iops" else part.bw
    if rate:
        return rate
    amount = part.total_ios if kind == "iops" else part.io_bytes
    return amount * 1e9 / part.runtime_ns if part.runtime_ns else None


def interval_rates(kind: str, jobs: Sequence[JobMeasurement], direction: str) -> dict[int, float]:
    """Per second, by interval number (from 1), ascending, summed over the jobs, which are
    laid over each other by that number. Empty where a job kept no time series, or none of
    what it did: a count that is not there is no 0."""
    names = TRANSFERS if direction == "all" else (direction,)
    active = [job for job in jobs if directions_of([job], direction)]
    if not all(_is_counted(job, names) for job in active):
        return {}
    total: dict[int, float] = defaultdict(float)
    for job in active:
        if job.series is not None:
            for number, rate in _full_intervals(kind, job.series, names).items():
                total[number] += rate
    return {number: total[number] for number in sorted(total)}


def _is_counted(job: JobMeasurement, names: Sequence[str]) -> bool:
    if job.series is None:
        return False
    counted = {name for interval in job.series.intervals for name in interval.ios}
    done = {name for name in names if directions_of([job], name)}
    return not job.series.intervals or done <= counted


def _full_intervals(kind: str, series: Series, names: Sequence[str]) -> Mapping[int, float]:
    """Rates by interval number; one shorter than half its length (the last) says nothing."""
    rates: dict[int, float] = {}
    start_ms = 0
    for interval in series.intervals:
        length_ms = interval.end_ms - start_ms
        if 2 * length_ms >= series.interval_ms > 0 and length_ms > 0:
            number = round(interval.end_ms / series.interval_ms)
            rates[number] = _amount(kind, interval, names) * _MS_PER_S / length_ms
        start_ms = interval.end_ms
    return rates


def _amount(kind: str, interval: Interval, names: Sequence[str]) -> int:
    counts = interval.ios if kind == "iops" else interval.bytes
    return sum(counts.get(name, 0) for name in names)


def _quantile(values: Sequence[float], q: float) -> float:
    """Linear between order statistics (Hyndman and Fan's type 7)."""
    ordered = sorted(values)
    position = q * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


iops = partial(rate_value, "iops")
bw = partial(rate_value, "bw")

ROWS: tuple[Row, ...] = (
    Row(
        "iops",
        Unit.PER_SECOND,
        Better.HIGH,
        "I/Os per second; mean over the run, other statistics over the time series",
        iops,
        directions=ANY,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "bw",
        Unit.BYTES_PER_SECOND,
        Better.HIGH,
        "bytes per second; mean over the run, other statistics over the time series",
        bw,
        directions=ANY_TRANSFER,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
)
