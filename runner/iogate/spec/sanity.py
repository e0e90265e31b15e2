"""Whether a threshold can be judged on a case at all: a read-only case has no
``write.iops``. A threshold that applies to no case of its workload is an error."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iogate.errors import SpecError
from iogate.jobs.options import DEFAULT_ENGINE, DEFAULT_RW, transfers_of
from iogate.metrics import table_paths
from iogate.model.measurement import DIRECTIONS
from iogate.model.spec import DefinedMetric, JobSpec, Threshold, Workload
from iogate.spec.build.jobs import with_options
from iogate.spec.depths import is_sync
from iogate.spec.histograms import histogram_obstacle, of_job
from iogate.spec.matrix import Point, expand_matrix, matches, point_name
from iogate.spec.obstacles import Obstacle, obstacle_of
from iogate.spec.siblings import Siblings
from iogate.spec.text.problems import Problems

_OF_COMMANDS = ("runtime", "cpu.usr", "cpu.sys", "errors", "kernel_errors")
_SYNCS = ("fsync", "fdatasync", "end_fsync", "sync_file_range", "end_syncfs", "fsync_on_close")


def check_thresholds(
    workload: Workload, metrics: tuple[DefinedMetric, ...], problems: Problems
) -> None:
    """Note every threshold of a workload that no case can be judged by. ``metrics`` are those
    that the spec defines."""
    cases = _cases(workload)
    for threshold in workload.thresholds:
        chosen = [jobs for jobs, point in cases if is_selected(threshold, jobs, point)]
        error = _nowhere(threshold, chosen, metrics) if chosen else _unmatched(threshold)
        if error := error or _without_sibling(threshold, workload, metrics):
            problems.take(error)


def check_kept(workload: Workload, metrics: tuple[DefinedMetric, ...]) -> None:
    """SpecError where a threshold of a workload that was changed after it was checked cannot be
    judged any more. A case that ``when`` asks for may be gone: it is not measured then."""
    cases = _cases(workload)
    for threshold in workload.thresholds:
        chosen = [jobs for jobs, point in cases if is_selected(threshold, jobs, point)]
        error = _nowhere(threshold, chosen, metrics)
        if error := error or _without_sibling(threshold, workload, metrics):
            raise error


def _cases(workload: Workload) -> list[tuple[tuple[JobSpec, ...], Mapping[str, str]]]:
    """The jobs and the point of each case."""
    points = expand_matrix(workload.matrix, workload.exclude, workload.include)
    return [(tuple(with_options(job, point) for job in workload.jobs), point) for point in points]


def applies(
    threshold: Threshold,
    jobs: Sequence[JobSpec],
    point: Point,
    siblings: Siblings,
    metrics: tuple[DefinedMetric, ...] = (),
) -> bool:
    """Whether the case of a point is judged by a threshold: it is chosen and has the metric. Where
    the limit names another case, that one has to be among its ``siblings`` and have it, too."""
    if not (is_selected(threshold, jobs, point) and has_metric(threshold.metric, jobs, metrics)):
        return False
    if not threshold.limit.case:
        return True
    other = siblings.of(point, threshold.limit.case)
    return other is not None and has_metric(threshold.metric, siblings.jobs(other), metrics)


def has_metric(path: str, jobs: Sequence[JobSpec], metrics: tuple[DefinedMetric, ...] = ()) -> bool:
    """Whether a case of these jobs may have a metric."""
    return not _why_not(path, jobs, metrics)


def is_selected(threshold: Threshold, jobs: Sequence[JobSpec], point: Mapping[str, str]) -> bool:
    """Whether a limit's ``when`` chooses the case of a point. It may name a matrix key,
    or an option that all jobs give one value."""
    shared = {
        key: value
        for key, value in jobs[0].options.items()
        if all(job.options.get(key) == value for job in jobs)
    }
    own = {f"{job.name}.{key}": value for job in jobs for key, value in job.options.items()}
    return matches({**own, **shared, **point}, threshold.when)


def _unmatched(threshold: Threshold) -> SpecError:
    when = ", ".join(f"{key}: {value}" for key, value in threshold.when.items())
    return SpecError(
        f"{threshold.metric}: no case has {when}",
        remedy="when: selects among the values of the matrix",
        where=threshold.where,
    )


def _nowhere(
    threshold: Threshold,
    chosen: Sequence[Sequence[JobSpec]],
    metrics: tuple[DefinedMetric, ...],
) -> SpecError | None:
    """What is wrong where none of the cases that ``when`` chooses has the metric."""
    obstacles = [_why_not(threshold.metric, jobs, metrics) for jobs in chosen]
    if not obstacles or not all(obstacles):
        return None
    why, remedy = next(filter(None, obstacles))
    return SpecError(
        f"{threshold.metric} cannot exist: {why}", remedy=remedy, where=threshold.where
    )


def _without_sibling(
    threshold: Threshold, workload: Workload, metrics: tuple[DefinedMetric, ...]
) -> SpecError | None:
    """What is wrong where a limit names a case, and compares no other one with it."""
    case = threshold.limit.case
    if not case:
        return None
    cases = _cases(workload)
    siblings = Siblings(workload.jobs, [point for _, point in cases])
    if any(applies(threshold, jobs, point, siblings, metrics) for jobs, point in cases):
        return None
    return SpecError(
        f"{threshold.metric}: no other case can be compared with {point_name(case)}",
        remedy="it takes cases that differ in these values alone, and both have the metric",
        where=threshold.where,
    )


def _why_not(
    metric: str, jobs: Sequence[JobSpec], metrics: tuple[DefinedMetric, ...]
) -> Obstacle | None:
    """Why these jobs never have the metric, or one that it is made of; None when they may."""
    command = jobs[0].command
    if any(each.name == metric and each.pattern for each in metrics):
        printed = command.metrics if command else ()
        own = any(each.name == metric for each in printed)
        return None if own else Obstacle("no command of this workload prints it")
    parts = table_paths(metric, metrics)
    return next((obstacle for part in parts if (obstacle := _obstacle(part, jobs))), None)


def _obstacle(metric: str, jobs: Sequence[JobSpec]) -> Obstacle | None:
    """Why these jobs never have a metric of the table; None when they may."""
    metric, jobs = of_job(metric, jobs)
    if why := _nothing_of_it(metric, jobs):
        return Obstacle(why)
    direction = metric.partition(".")[0]
    doing = [job for job in jobs if direction == "all" or direction in _directions(job)]
    if why := histogram_obstacle(metric, doing):
        return Obstacle(why)
    return obstacle_of(metric, doing)


def _nothing_of_it(metric: str, jobs: Sequence[JobSpec]) -> str | None:
    """Why what these jobs do has no such metric; None when it has."""
    if jobs and jobs[0].command and metric not in _OF_COMMANDS:
        return f"a command has {', '.join(_OF_COMMANDS)} and what its metrics: name"
    direction, _, rest = metric.partition(".")
    if direction in DIRECTIONS and not any(
        direction in directions for directions in map(_directions, jobs)
    ):
        return f"with {_said(jobs, 'rw', DEFAULT_RW)} there is no {direction}"
    if rest.partition(".")[0] == "slat" and all(is_sync(job) for job in jobs):
        engine = _said(jobs, "ioengine", DEFAULT_ENGINE)
        return f"with {engine} a submission is the whole I/O"
    if direction == "sync" and rest.startswith("iops.") and rest != "iops.mean":
        return "no engine keeps a time series of syncs, so sync.iops has its mean alone"
    return None


def _directions(job: JobSpec) -> set[str]:
    directions = set(transfers_of(job.options.get("rw", DEFAULT_RW)))
    if job.options.get("trim_percentage", "0") != "0":
        directions.add("trim")
    if "verify" in job.options and "write" in directions:
        directions.add("read")
    if "write" in directions and any(job.options.get(key, "0") != "0" for key in _SYNCS):
        directions.add("sync")
    return directions


def _said(jobs: Sequence[JobSpec], key: str, default: str) -> str:
    return " and ".join(dict.fromkeys(_values(jobs, key, default)))


def _values(jobs: Sequence[JobSpec], key: str, default: str) -> Iterator[str]:
    for job in jobs:
        yield f"{key}={job.options.get(key, default)}"
