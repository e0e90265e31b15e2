"""Why jobs never have a value of a metric that takes more than their I/O: when each was due, or
a time series that is fine enough."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from iogate.jobs import numbers
from iogate.jobs.estimate import parse_seconds
from iogate.model.measurement import TRANSFERS
from iogate.model.spec import JobSpec

_RATES = ("rate_iops", "rate")
_FINE_S = 40.0  # so long has iogate-engine's time series intervals of 100 ms
_ENDING = (
    "exitall", "exit_on_io_done", "fill_device", "latency_target", "max_latency", "number_ios",
    "rate_iops_min", "rate_min", "steadystate",
)  # fmt: skip


class Obstacle(NamedTuple):
    """Why there is never a value, and what to do about the limit."""

    why: str
    remedy: str = "limit a metric that this workload has"


def obstacle_of(metric: str, jobs: Sequence[JobSpec]) -> Obstacle | None:
    """Why these jobs never have a metric of the table, which is of all of them; None when they
    may."""
    direction, name, _ = parts_of(metric)
    if name == "intended_lat" and not any(_is_paced(job, direction) for job in jobs):
        return Obstacle(
            f"no job has a rate for {'any I/O' if direction == 'all' else f'its {direction}s'},"
            " so none is ever due",
            "give the job rate_iops or rate, or limit lat in its place",
        )
    if name == "stalls" and any(map(_is_long, jobs)) and not any(map(_is_ended, jobs)):
        return Obstacle(
            f"in a run of more than {_FINE_S:g}s the intervals of the time series are longer"
            " than 100 ms",
            f"let runtime be {_FINE_S:g}s or less, or limit another metric, such as"
            f" {direction}.clat.max",
        )
    return None


def parts_of(metric: str) -> tuple[str, str, str]:
    """``read.clat.p99.9`` as its direction, name and statistic."""
    direction, _, rest = metric.partition(".")
    name, _, stat = rest.partition(".")
    return direction, name, stat


def _is_paced(job: JobSpec, direction: str) -> bool:
    """Whether a job may have a rate for a direction."""
    return any(_limits(job.options.get(key, "0"), direction) for key in _RATES)


def _limits(rate: str, direction: str) -> bool:
    """Whether a rate, ``read,write,trim``, is one for a direction: 0 and nothing are none. What
    cannot be read here is the engine's to judge."""
    try:
        parts = numbers.each(rate)
        each = [bool(part) and numbers.number(part) != 0 for part in parts]
    except numbers.BadNumberError:
        return True
    if direction not in TRANSFERS:
        return any(each)
    return each[min(TRANSFERS.index(direction), len(each) - 1)]


def _is_long(job: JobSpec) -> bool:
    """Whether a job does I/O for so long that its time series gets coarse, however fast it is."""
    if job.options.get("ioengine") == "cpuio":
        return False
    runtime = parse_seconds(job.options.get("runtime", "0"))
    return job.options.get("time_based", "0") != "0" and (runtime or 0.0) > _FINE_S


def _is_ended(job: JobSpec) -> bool:
    """Whether a job may end itself, or others, before its time."""
    return any(job.options.get(key, "0") != "0" for key in _ENDING)
