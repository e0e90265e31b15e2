"""The options of jobs as another program resolved them, spelled as a spec would."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache

from iogate.jobs.options import OPTIONS, Kind, canonical_key, transfers_of
from iogate.model.spec import JobSpec, Target, TargetKind
from iogate.spec.options.values import BadValueError, read_value


def only_direction(options: Mapping[str, object]) -> str | None:
    """The direction of a job that has one alone."""
    pattern = options.get("rw") or options.get("readwrite") or "read"
    transfers = transfers_of(str(pattern))
    return transfers[0] if len(transfers) == 1 else None


def job_spec(name: str, options: Iterable[tuple[str, object]]) -> JobSpec:
    """A job with canonical keys; the last of two values counts. A value that no spec could
    hold stays as it is: what ran, ran."""
    canonical: dict[str, str] = {}
    for key, value in options:
        known = canonical_key(key) or key
        if known != "name":
            canonical[known] = _value(known, "" if value is None else str(value))
    return JobSpec(name, canonical)


def place_jobs(jobs: Sequence[JobSpec], directory: str = "") -> tuple[Target, tuple[JobSpec, ...]]:
    """What the jobs worked on, and the jobs without what only repeats that. ``directory`` is
    where they ran, for those that name none; else it is the directory that nobody knows."""
    directories = {job.options.get("directory", directory) for job in jobs}
    filenames = {job.options.get("filename", "") for job in jobs}
    path = _only_path(filenames) if len(filenames) == 1 else ""
    if path.startswith("/") or (path and directories == {""}):
        return _of_path(path), _without(jobs, ("directory", "filename"))
    if len(directories) == 1:
        place = directories.pop().replace("\\:", ":") or "."
        target = Target("target", TargetKind.DIRECTORY, posixpath.normpath(place))
        return target, _without(jobs, ("directory",))
    return Target("target", TargetKind.DIRECTORY, "."), tuple(jobs)


def _only_path(filenames: set[str]) -> str:
    """The path, unless a colon separates several."""
    (text,) = filenames
    return "" if ":" in text.replace("\\:", "") else text.replace("\\:", ":")


def _of_path(path: str) -> Target:
    path = posixpath.normpath(path)
    is_device = path.startswith("/dev/") and not path.startswith("/dev/shm/")  # noqa: S108
    return Target("target", TargetKind.DEVICE if is_device else TargetKind.FILE, path)


def _without(jobs: Sequence[JobSpec], keys: Sequence[str]) -> tuple[JobSpec, ...]:
    return tuple(
        JobSpec(job.name, {key: job.options[key] for key in job.options if key not in keys})
        for job in jobs
    )


def unique_jobs(jobs: Iterable[JobSpec]) -> tuple[JobSpec, ...]:
    """Clones have a row each, and are one job."""
    unique: dict[tuple[str, frozenset[tuple[str, str]]], JobSpec] = {}
    for job in jobs:
        unique.setdefault((job.name, frozenset(job.options.items())), job)
    return tuple(unique.values())


@lru_cache(maxsize=4096)  # a year of results has the same options every night
def _value(key: str, text: str) -> str:
    if key not in OPTIONS:
        return text
    if not text and OPTIONS[key] in (Kind.FLAG, Kind.BOOL):
        return "1"
    try:
        return read_value(key, text)
    except BadValueError:
        return text


def texts(options: object) -> list[tuple[str, object]]:
    """The pairs of a JSON object, of what should be one."""
    return list(options.items()) if isinstance(options, Mapping) else []
