"""The ``thresholds`` section of a workload: metric → limit, or limits with conditions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from iogate.errors import Location, SpecError, UsageError
from iogate.metrics import Metric, metric
from iogate.model.spec import DefinedMetric, Level, Threshold
from iogate.spec.build.beside import Axes, read_case
from iogate.spec.build.matrix import read_point
from iogate.spec.limits import case_of, check_reachable, parse_limit
from iogate.spec.options.values import BadValueError
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence

JOB_PREFIX = "jobs."


def build_thresholds(
    node: Node | None,
    jobs: set[str],
    metrics: tuple[DefinedMetric, ...],
    axes: Axes,
    problems: Problems,
) -> tuple[Threshold, ...]:
    """Thresholds in the order written; what is wrong with one is noted. ``metrics`` are
    those that the spec defines, ``axes`` the workload's."""
    thresholds: list[Threshold] = []
    defined = {each.name for each in metrics}
    if not isinstance(node, Mapping):
        return ()
    for path, entry in node.entries.items():
        if problems.full:
            break
        try:
            measured = metric_at(path, entry.key_at, jobs, metrics)
        except SpecError as error:
            problems.take(error)
            continue
        for item in _items(entry.value):
            try:
                read = _threshold(measured, item, jobs, own=measured.path in defined)
                thresholds.append(_with_case(read, jobs, axes))
            except SpecError as error:
                problems.take(error)
    return tuple(thresholds)


def _with_case(threshold: Threshold, jobs: set[str], axes: Axes) -> Threshold:
    """The limit with the case that it names, if it does."""
    text = case_of(threshold.limit.text)
    if text is None:
        return threshold
    assert threshold.where is not None
    point = read_case(text, jobs, axes, threshold.where)
    return replace(threshold, limit=replace(threshold.limit, case=point))


def job_of(path: str, jobs: set[str]) -> str | None:
    """The job that a metric's path names; None for a metric of all jobs."""
    if not path.startswith(JOB_PREFIX):
        return None
    rest = path.removeprefix(JOB_PREFIX)
    named = [job for job in jobs if rest.startswith(f"{job}.")]
    return max(named, key=len, default=rest.partition(".")[0])


def metric_at(
    path: str, where: Location, jobs: set[str], metrics: tuple[DefinedMetric, ...]
) -> Metric:
    """The metric that a path written at a place means. SpecError for one that there is not."""
    try:
        measured = metric(path, metrics)
    except UsageError as error:
        raise SpecError(error.what, remedy=error.remedy, where=where) from None
    job = job_of(path, jobs)
    if job is not None and job not in jobs:
        raise SpecError(
            f"{path}: there is no job {job!r} in this workload",
            remedy=suggest(job, jobs) or f"its jobs are: {', '.join(sorted(jobs))}",
            where=where,
        )
    return measured


def _items(node: Node) -> Iterator[Node]:
    yield from node.items if isinstance(node, Sequence) else (node,)


def _threshold(measured: Metric, node: Node, jobs: set[str], *, own: bool) -> Threshold:
    """``own``: the metric is the spec's, and may be anything."""
    text = node.get("limit") if isinstance(node, Mapping) else node
    assert isinstance(text, Scalar)
    try:
        limit = parse_limit(text.text, measured)
        if not own:
            check_reachable(limit, measured)
    except BadValueError as error:
        raise SpecError(error.what, remedy=error.remedy, where=text.where) from None
    if not isinstance(node, Mapping):
        return Threshold(measured.path, limit, where=text.where)
    level, confidence, when = node.get("level"), node.get("confidence"), node.get("when")
    return Threshold(
        metric=measured.path,
        limit=limit,
        level=Level(level.text) if isinstance(level, Scalar) else Level.FAIL,
        confidence=float(confidence.text) if isinstance(confidence, Scalar) else None,
        when=read_point(when, jobs) if isinstance(when, Mapping) else {},
        where=text.where,
    )
