"""Histograms that an engine keeps only where it is asked to: percentiles of ``lat`` and
``slat`` come from them, so a limit on one asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from iogate.metrics import table_paths
from iogate.model.spec import DefinedMetric, JobSpec
from iogate.spec.build.thresholds import JOB_PREFIX, job_of

_OPTIONS = {
    "slat": ("slat_percentiles", "0"),
    "clat": ("clat_percentiles", "1"),
    "lat": ("lat_percentiles", "0"),
    "tail": ("clat_percentiles", "1"),  # made of percentiles of clat
}
"""What keeps the histogram, and what an engine does where that is not said."""
# A sync has its histogram always.
_NEEDS = re.compile(r"(?:read|write|trim|all)\.(?:(slat|clat|lat)\.p[0-9.]+|(tail))", re.ASCII)


def with_histograms(
    jobs: tuple[JobSpec, ...], limited: Iterable[str], metrics: tuple[DefinedMetric, ...]
) -> tuple[JobSpec, ...]:
    """The jobs with the options that the limited metrics, and those that the spec defines, need;
    an option that the spec sets stays."""
    asked = (*limited, *(each.name for each in metrics))
    parts = dict.fromkeys(part for path in asked for part in table_paths(path, metrics))
    for part in parts:
        path, concerned = of_job(part, jobs)
        option = _option(path)
        if option is not None and option[1] == "0":
            names = {job.name for job in concerned}
            jobs = tuple(_with(job, option[0]) if job.name in names else job for job in jobs)
    return jobs


def histogram_obstacle(metric: str, jobs: Sequence[JobSpec]) -> str | None:
    """Why these jobs have no histogram that a metric needs; None when they have."""
    option = _option(metric)
    if option is None:
        return None
    refused = any(job.options.get(option[0]) == "0" for job in jobs)
    return f"with {option[0]}=0 the engine keeps no histogram of it" if refused else None


def of_job(metric: str, jobs: Sequence[JobSpec]) -> tuple[str, Sequence[JobSpec]]:
    """A metric without the job that it names, and the jobs that it is of."""
    name = job_of(metric, {job.name for job in jobs})
    if name is None:
        return metric, jobs
    own = [job for job in jobs if job.name == name]
    return metric.removeprefix(f"{JOB_PREFIX}{name}."), own


def _option(metric: str) -> tuple[str, str] | None:
    match = _NEEDS.fullmatch(metric)
    return _OPTIONS[match[1] or match[2]] if match else None


def _with(job: JobSpec, option: str) -> JobSpec:
    kept = job.options.get(option, "1")
    return replace(job, options={**job.options, option: kept})
