"""Metrics made of others: the tail, stalls, how steady it was."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.metrics.base import ANY_TRANSFER, Row
from iogate.metrics.combine import directions_of
from iogate.metrics.latency import latency_value
from iogate.metrics.rates import interval_rates
from iogate.model.measurement import JobMeasurement
from iogate.model.units import Better, Unit

STALL_MS = 100
_LEAST_INTERVALS = 5  # below that a slope says nothing at all
_MS_PER_MINUTE = 60_000


def tail(jobs: Sequence[JobMeasurement], direction: str, _stat: str) -> float | None:
    """The 99th percentile of completion latency to its median."""
    high = latency_value("clat", jobs, direction, "p99")
    middle = latency_value("clat", jobs, direction, "p50")
    return high / middle if high is not None and middle else None


def stalls(jobs: Sequence[JobMeasurement], direction: str, _stat: str) -> float | None:
    """The percentage of 100 ms intervals in which no I/O ended, of all jobs that did any.
    None where the time series is coarser."""
    active = [job for job in jobs if directions_of([job], direction)]
    lengths = {job.series.interval_ms for job in active if job.series is not None}
    if len(lengths) != 1 or max(lengths) > STALL_MS:
        return None
    (length_ms,) = lengths
    alive: dict[int, bool] = {}
    for number, rate in interval_rates("iops", jobs, direction).items():
        window = (number - 1) * length_ms // STALL_MS
        alive[window] = alive.get(window, False) or rate > 0
    return 100 * sum(not each for each in alive.values()) / len(alive) if alive else None


def slope(jobs: Sequence[JobMeasurement], direction: str, _stat: str) -> float | None:
    """How much IOPS rose or fell over the time series (least squares), in per cent of their
    mean a minute, without its sign."""
    active = [job for job in jobs if directions_of([job], direction)]
    lengths = {job.series.interval_ms for job in active if job.series is not None}
    rates = interval_rates("iops", jobs, direction)
    if len(lengths) != 1 or len(rates) < _LEAST_INTERVALS:
        return None
    mean, middle = sum(rates.values()) / len(rates), sum(rates) / len(rates)
    rise = sum((number - middle) * rate for number, rate in rates.items())
    spread = sum((number - middle) ** 2 for number in rates)
    if mean <= 0:
        return None
    return abs(100 * rise / spread / mean) * _MS_PER_MINUTE / max(lengths)


ROWS: tuple[Row, ...] = (
    Row(
        "tail",
        Unit.RATIO,
        Better.LOW,
        "how much longer the 99th percentile of completion latency is than its median",
        tail,
        directions=ANY_TRANSFER,
    ),
    Row(
        "stalls",
        Unit.PERCENT,
        Better.LOW,
        "share of 100 ms intervals without a completion; needs a time series that fine",
        stalls,
        directions=ANY_TRANSFER,
    ),
    Row(
        "slope",
        Unit.PERCENT,
        Better.LOW,
        "how much IOPS rose or fell over the run, in % of their mean a minute, without sign",
        slope,
        directions=ANY_TRANSFER,
    ),
)
