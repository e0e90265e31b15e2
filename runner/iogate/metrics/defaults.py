"""Which metrics are shown when nobody asked for any."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from iogate.metrics.base import Metric
from iogate.metrics.path import metric
from iogate.model.measurement import COMMAND, DIRECTIONS, TRANSFERS, Measurement
from iogate.model.spec import DefinedMetric

_TRANSFER_STATS = (
    "iops", "bw", "clat.mean", "clat.p50", "clat.p99", "clat.p99.9",
    "intended_lat.p99", "intended_lat.p99.9",
)  # fmt: skip
_SYNC_STATS = ("lat.mean", "lat.p99")
_JOB_STATS = ("iops", "bw", "clat.mean", "clat.p99")
_WHOLE = ("cpu.usr", "cpu.sys", "cpu_per_io", "errors")
_MOST_JOBS = 16
_DERIVED = ("tail", "stalls", "slope")
_DERIVED_WHOLE = ("iops_per_core",)


def default_metrics(
    measurements: Sequence[Measurement], defined: tuple[DefinedMetric, ...] = ()
) -> tuple[str, ...]:
    """Paths worth showing for these repetitions: those of each direction that did I/O, of
    each job where a few ran at once, the cost in CPU, and what the spec defines. Only paths
    with a value."""
    names = [each.name for each in defined]
    own = [*_directions(measurements), *_jobs(measurements), *_of_commands(measurements)]
    paths = [*own, *_WHOLE, *names]
    return tuple(path for path in paths if _has_value(path, measurements, defined))


def _of_commands(measurements: Sequence[Measurement]) -> tuple[str, ...]:
    """A command does no I/O that is counted: how long it took is what it is measured by."""
    return ("runtime",) if any(m.engine.name == COMMAND for m in measurements) else ()


def _directions(measurements: Sequence[Measurement], job: str | None = None) -> Iterator[str]:
    for direction in DIRECTIONS:
        if any(
            job in (None, row.name)
            and direction in row.directions
            and row.directions[direction].total_ios > 0
            for measurement in measurements
            for row in measurement.jobs
        ):
            for stat in _stats(direction, job):
                yield f"jobs.{job}.{direction}.{stat}" if job else f"{direction}.{stat}"


def _stats(direction: str, job: str | None) -> tuple[str, ...]:
    if direction == "sync":
        return _SYNC_STATS
    return _JOB_STATS if job else _TRANSFER_STATS


def _jobs(measurements: Sequence[Measurement]) -> Iterator[str]:
    names = dict.fromkeys(row.name for m in measurements for row in m.jobs if row.name)
    if 1 < len(names) <= _MOST_JOBS:
        for name in names:
            yield from _directions(measurements, name)


def _has_value(
    path: str, measurements: Sequence[Measurement], defined: tuple[DefinedMetric, ...] = ()
) -> bool:
    extract = metric(path, defined).extract
    return any(extract(measurement) is not None for measurement in measurements)


def kept_metrics(measurements: Sequence[Measurement]) -> tuple[str, ...]:
    """Paths whose values a history keeps as plain numbers: what is shown by default, and
    what is made of others."""
    derived = [f"{name}.{stat}" for name in TRANSFERS for stat in _DERIVED]
    derived_paths = [path for path in (*derived, *_DERIVED_WHOLE) if _has_value(path, measurements)]
    return (*default_metrics(measurements), *derived_paths)


def kept_values(measurement: Measurement, wanted: Sequence[Metric] = ()) -> dict[str, float]:
    """The finite values of what a history keeps of a repetition as plain numbers, and of what
    is ``wanted`` besides, by what it is kept as. Each is taken once: this is done for every
    repetition."""
    active = [name for name in TRANSFERS if any(name in row.directions for row in measurement.jobs)]
    derived = (f"{name}.{stat}" for name in active for stat in _DERIVED)
    alone = [measurement]
    usual = (*_directions(alone), *_jobs(alone), *_of_commands(alone), *_WHOLE)
    paths = (*usual, *derived, *_DERIVED_WHOLE)
    values = {}
    for each in (*map(metric, paths), *wanted):
        value = each.extract(measurement)
        if value is not None and math.isfinite(value):
            values[each.kept_as] = value
    return values


def is_always_kept(path: str) -> bool:
    """Whether every history has the metric wherever it has a value."""
    if path in (*_WHOLE, *_DERIVED_WHOLE):
        return True
    direction, _, stat = path.partition(".")
    known = (*_stats(direction, None), *_DERIVED)
    return direction in DIRECTIONS and stat in known
