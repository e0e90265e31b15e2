"""slat, clat, lat and intended_lat: moments and percentiles of one direction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from iogate.metrics.base import ANY, ANY_TRANSFER, MOMENTS, Row
from iogate.metrics.combine import directions_of, merged_latency
from iogate.model.measurement import Direction, JobMeasurement, Latency, percentile_key
from iogate.model.units import Better, Unit

_MOMENTS: dict[str, Callable[[Latency], float]] = {
    "mean": lambda latency: latency.mean_ns,
    "min": lambda latency: latency.min_ns,
    "max": lambda latency: latency.max_ns,
    "stdev": lambda latency: latency.stddev_ns,
}
_KINDS: dict[str, Callable[[Direction], Latency | None]] = {
    "slat": lambda direction: direction.slat,
    "clat": lambda direction: direction.clat,
    "lat": lambda direction: direction.lat,
    "intended_lat": lambda direction: direction.intended_lat,
}


def latency_value(
    kind: str, jobs: Sequence[JobMeasurement], direction: str, stat: str
) -> float | None:
    """``stat`` of the ``kind`` of latency in ns over all I/Os of ``jobs``."""
    parts = (_KINDS[kind](part) for part in directions_of(jobs, direction))
    latency = merged_latency(part for part in parts if part is not None)
    if latency is None:
        return None
    if stat in _MOMENTS:
        return _MOMENTS[stat](latency)
    return percentile_ns(latency, float(stat[1:]))


def percentile_ns(latency: Latency, percent: float) -> float | None:
    """A percentile interpolated inside its bucket, and never past the smallest or largest
    latency seen. Where no histogram was kept: what the result itself named, else None."""
    if latency.histogram is None or not latency.histogram.count:
        return latency.percentiles.get(percentile_key(percent))
    value = latency.histogram.quantile_ns(percent / 100)
    return min(max(value, latency.min_ns), latency.max_ns)


slat = partial(latency_value, "slat")
clat = partial(latency_value, "clat")
lat = partial(latency_value, "lat")
intended_lat = partial(latency_value, "intended_lat")

ROWS: tuple[Row, ...] = (
    Row(
        "slat",
        Unit.NANOSECONDS,
        Better.LOW,
        "submission latency: from the start of an I/O until the kernel has it",
        slat,
        directions=ANY_TRANSFER,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "clat",
        Unit.NANOSECONDS,
        Better.LOW,
        "completion latency: from when the kernel has an I/O until it is done",
        clat,
        directions=ANY_TRANSFER,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "lat",
        Unit.NANOSECONDS,
        Better.LOW,
        "total latency: from the start of an I/O until it is done; of a sync, its whole time",
        lat,
        directions=ANY,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "intended_lat",
        Unit.NANOSECONDS,
        Better.LOW,
        "latency from when an I/O was due until it is done, of jobs with a rate: a stall "
        "counts for each I/O that it kept from being issued",
        intended_lat,
        directions=ANY_TRANSFER,
        stats=MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
)
