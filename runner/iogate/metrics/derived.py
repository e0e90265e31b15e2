"""Metrics made of others: what a core does, the tail, stalls, how steady it was."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.metrics.combine import directions_of
from iogate.metrics.latency import latency_value
from iogate.metrics.rates import interval_rates
from iogate.metrics.system import cpu_per_io
from iogate.model.measurement import JobMeasurement

STALL_MS = 100
_LEAST_INTERVALS = 5  # below that a slope says nothing at all
_NS_PER_S = 1e9
_MS_PER_MINUTE = 60_000


def iops_per_core(jobs: Sequence[JobMeasurement], direction: str, stat: str) -> float | None:
    """Reads, writes and trims for each second of CPU time: what one busy core would do."""
    cost_ns = cpu_per_io(jobs, direction, stat)
    return _NS_PER_S / cost_ns if cost_ns else None


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
