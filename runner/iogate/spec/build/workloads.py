"""One entry of the ``workloads`` section."""

from __future__ import annotations

from collections.abc import Mapping as Map

from iogate.errors import SpecError, UsageError
from iogate.files.bounds import MATRIX_POINTS, MATRIX_RULES
from iogate.metrics import metric
from iogate.model.measurement import DIRECTIONS
from iogate.model.names import is_spec_case_id
from iogate.model.spec import DefinedMetric, JobSpec, Repetitions, Target, Workload
from iogate.spec.build.beside import axes_of
from iogate.spec.build.command import build_command, check_axes, is_command, printed_by
from iogate.spec.build.jobs import build_jobs
from iogate.spec.build.making import check_making
from iogate.spec.build.matrix import build_matrix, build_points, with_axis_places
from iogate.spec.build.network import build_network
from iogate.spec.build.placed import targets_of
from iogate.spec.build.pools import build_pools
from iogate.spec.build.thresholds import build_thresholds
from iogate.spec.matrix import matrix_size
from iogate.spec.options.check import split_key
from iogate.spec.text.problems import Problems, listed, suggest
from iogate.spec.text.scalars import whole_number
from iogate.spec.text.sources import Sources
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar, Sequence

_SERIES = ("direction",)


def build_workload(
    name: str,
    entry: Entry,
    sources: Sources,
    problems: Problems,
    *,
    targets: Map[str, Target],
    metrics: tuple[DefinedMetric, ...],
) -> Workload:
    """A workload; smaller problems are noted, one that leaves nothing to read is raised."""
    node = entry.value
    assert isinstance(node, Mapping)
    if name.startswith("global"):
        raise SpecError(
            f"a workload cannot be named {name!r}: job files keep names that begin with global",
            remedy="name it otherwise",
            where=entry.key_at,
        )
    strategy = node.get("strategy")
    strategy = strategy if isinstance(strategy, Mapping) else Mapping(node.where)
    target, places = targets_of(name, entry, strategy, targets)
    check_making(strategy, places)
    if is_command(node):
        jobs: tuple[JobSpec, ...] = (build_command(name, entry, places, problems),)
        metrics = (*metrics, *printed_by(jobs))
    else:
        jobs = build_jobs(name, node, places, sources, problems)
    names = {job.name for job in jobs}
    matrix = build_matrix(strategy.get("matrix"), names, problems)
    if matrix_size(matrix) > MATRIX_POINTS:
        raise SpecError(
            f"workload {name!r} has {matrix_size(matrix)} cases",
            remedy=f"at most {MATRIX_POINTS} are run: make its matrix smaller",
            where=entry.key_at,
        )
    _check_rules(name, strategy)
    include = build_points(strategy.get("include"), names, problems)
    check_axes(name, jobs, (matrix, *include), strategy, problems)
    return Workload(
        name=name,
        target=target,
        jobs=with_axis_places(jobs, strategy.get("matrix")),
        description=_text(node.get("description")),
        matrix=matrix,
        exclude=build_points(strategy.get("exclude"), names, problems),
        include=include,
        repetitions=_repetitions(node.get("repetitions")),
        thresholds=build_thresholds(
            node.get("thresholds"), names, metrics, axes_of(matrix, include), problems
        ),
        tags=_texts(node.get("tags")),
        aka=_aka(node.get("aka"), problems),
        chart=_chart(node.get("chart"), matrix, jobs, problems),
        network=build_network(node.get("network"), problems),
        where=entry.key_at,
        pooled=build_pools(node.get("pooled"), names, matrix, metrics, problems),
    )


def _check_rules(name: str, strategy: Mapping) -> None:
    """Each rule is asked of each point."""
    rules = [node for key in ("exclude", "include") if (node := strategy.get(key))]
    count = sum(len(node.items) for node in rules if isinstance(node, Sequence))
    if count > MATRIX_RULES:
        raise SpecError(
            f"workload {name!r} has {count} rules in exclude and include",
            remedy=f"at most {MATRIX_RULES} are read: make several workloads of it",
            where=strategy.where,
        )


def _repetitions(node: Node | None) -> Repetitions:
    if isinstance(node, Scalar):
        return Repetitions(whole_number(node), whole_number(node))
    if not isinstance(node, Mapping):
        return Repetitions()
    limits = [
        whole_number(value) for key in ("min", "max") if isinstance(value := node.get(key), Scalar)
    ]
    low, high = limits[0], limits[-1]
    if high < low:
        raise SpecError(
            f"at most {high} repetitions, and at least {low}",
            remedy="max is not below min",
            where=node.where,
        )
    return Repetitions(low, high)


def _aka(node: Node | None, problems: Problems) -> tuple[str, ...]:
    """``point:id`` texts; the point is empty for a workload of one case."""
    lists: dict[str, Node] = {"": node} if isinstance(node, Sequence) else {}
    if isinstance(node, Mapping):
        lists = {point: entry.value for point, entry in node.entries.items()}
    names = []
    for point, ids in lists.items():
        assert isinstance(ids, Sequence)
        for item in ids.items:
            text = item.text if isinstance(item, Scalar) else ""
            if not is_spec_case_id(text):
                problems.add(
                    f"{text!r} is not a case id",
                    item.where,
                    "a case id has 16 hex digits; iogate history shows them",
                )
            names.append(f"{point}:{text}")
    return tuple(names)


def _chart(
    node: Node | None,
    matrix: Map[str, tuple[str, ...]],
    jobs: tuple[JobSpec, ...],
    problems: Problems,
) -> dict[str, str]:
    """x, y, series ("a,b") and scale, with the canonical names of matrix keys."""
    if not isinstance(node, Mapping):
        return {}
    missing = [key for key in ("x", "y") if key not in node.entries]
    if missing:
        problems.add(f"the chart has no {listed(missing)}", node.where, "a chart needs x and y")
    axes = {job.name for job in jobs}
    chart = {"y": _text(node.get("y")), "scale": _text(node.get("scale"))}
    if "y" in node.entries:
        _check_metric(chart["y"], node.entries["y"].value, problems)
    chart["x"] = _axis(node.get("x"), matrix, axes, (), problems)
    series = node.get("series")
    items = series.items if isinstance(series, Sequence) else (series,) if series else ()
    chart["series"] = ",".join(_axis(item, matrix, axes, _SERIES, problems) for item in items)
    return {key: chart[key] for key in ("x", "y", "series", "scale") if chart[key]}


def _check_metric(path: str, node: Node, problems: Problems) -> None:
    """A metric may leave its direction out: then there is a line for each."""
    try:
        metric(path if path.partition(".")[0] in DIRECTIONS else f"read.{path}")
    except UsageError as error:
        problems.add(f"the chart's y: {error.what}", node.where, error.remedy)


def _axis(
    node: Node | None,
    matrix: Map[str, tuple[str, ...]],
    jobs: set[str],
    words: tuple[str, ...],
    problems: Problems,
) -> str:
    text = _text(node)
    split = split_key(text, jobs)
    name = ".".join(filter(None, split)) if split else text
    if name not in matrix and name not in words and node is not None:
        known = (*matrix, *words)
        problems.add(
            f"the chart's {text!r} is not a key of the matrix",
            node.where,
            suggest(text, known) or f"it is one of {listed(known)}" if known else "add a matrix",
        )
    return name


def _text(node: Node | None) -> str:
    return node.text if isinstance(node, Scalar) else ""


def _texts(node: Node | None) -> tuple[str, ...]:
    items = node.items if isinstance(node, Sequence) else ()
    return tuple(dict.fromkeys(_text(item) for item in items))
