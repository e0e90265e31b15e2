"""From a checked tree to the model."""

from __future__ import annotations

from collections.abc import Mapping as Map

from iogate.errors import SpecError
from iogate.files import bounds
from iogate.model.spec import (
    BaselineRule,
    DefinedMetric,
    OnMissingBaseline,
    Spec,
    Target,
    Workload,
)
from iogate.spec.arms import build_compare
from iogate.spec.build.command import printed_by, printed_metrics
from iogate.spec.build.environment import build_environment
from iogate.spec.build.metrics import build_metrics
from iogate.spec.build.patterns import check_patterns
from iogate.spec.build.precondition import build_precondition, check_precondition
from iogate.spec.build.targets import build_targets
from iogate.spec.build.validity import build_validity
from iogate.spec.build.workloads import build_workload
from iogate.spec.matrix import matrix_size
from iogate.spec.sanity import check_thresholds
from iogate.spec.text.problems import Problems
from iogate.spec.text.scalars import to_json, whole_number
from iogate.spec.text.sources import Sources
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar, Sequence


def build_spec(tree: Mapping, sources: Sources, text: str, problems: Problems) -> Spec:
    """The spec of a tree that the schema allows. Other problems are noted; the spec is
    whole only when there are none."""
    metrics = build_metrics(tree.get("metrics"), problems)
    targets = build_targets(_mapping(tree, "targets", problems), problems)
    path, parts = sources.path, 0
    workloads = []
    section = _mapping(tree, "workloads", problems)
    for name, entry in section.entries.items():
        workload = _workload(name, entry, sources, problems, targets=targets, metrics=metrics)
        if workload:
            parts = _counted(workload, parts)
            workloads.append(workload)
    check_patterns(section, problems)
    check_precondition(tree.get("precondition"), targets, problems)
    missing = scalar_text(tree.get("on_missing_baseline"), OnMissingBaseline.WARN)
    inconclusive = scalar_text(tree.get("on_inconclusive"), OnMissingBaseline.WARN)
    return Spec(
        name=scalar_text(tree.get("name"), path.name.removesuffix(path.suffix)),
        source=str(path),
        text=text,
        targets=targets,
        workloads=tuple(workloads),
        description=scalar_text(tree.get("description"), ""),
        baseline=_baseline(tree.get("baseline")),
        on_missing_baseline=OnMissingBaseline(missing),
        on_inconclusive=OnMissingBaseline(inconclusive),
        runner=_section(tree.get("runner")),
        environment=build_environment(tree.get("environment"), problems),
        precondition=build_precondition(tree.get("precondition"), problems),
        compare=build_compare(tree.get("compare"), tuple(targets), problems),
        metrics=(*metrics, *printed_metrics(workloads, problems)),
        validity=build_validity(tree.get("validity"), problems),
    )


def _workload(
    name: str,
    entry: Entry,
    sources: Sources,
    problems: Problems,
    *,
    targets: Map[str, Target],
    metrics: tuple[DefinedMetric, ...],
) -> Workload | None:
    """A workload whose thresholds make sense for what it does, or None."""
    own = Problems()
    workload = None
    try:
        workload = build_workload(name, entry, sources, own, targets=targets, metrics=metrics)
        if not own:
            check_thresholds(workload, (*metrics, *printed_by(workload.jobs)), own)
    except SpecError as error:
        own.take(error)
    problems.join(own)
    return workload


def _counted(workload: Workload, before: int) -> int:
    """How many parts all cases have, so far: each its jobs with their options, and its limits.
    SpecError where those are more than anybody waits for."""
    points = matrix_size(workload.matrix) + len(workload.include)
    options = sum(len(job.options) for job in workload.jobs)
    parts = before + points * (1 + len(workload.jobs) + len(workload.thresholds)) + options
    if parts > bounds.CASE_PARTS:
        raise SpecError(
            f"the cases up to those of workload {workload.name!r} have {parts:,} jobs and"
            f" limits together, and at most {bounds.CASE_PARTS:,} are read",
            remedy="make its matrix smaller, or two specs of this one",
            where=workload.where,
        )
    return parts


def _baseline(node: Node | None) -> BaselineRule:
    if not isinstance(node, Mapping):
        return BaselineRule()
    counts = {
        key: whole_number(value)
        for key in ("window", "min_samples")
        if isinstance(value := node.get(key), Scalar)
    }
    ref, fallback = scalar_text(node.get("ref"), ""), scalar_text(node.get("fallback"), "")
    compare = node.get("compare")
    facts = {
        key: tuple(item.text for item in items.items if isinstance(item, Scalar))
        for key in ("also", "across")
        if isinstance(compare, Mapping) and isinstance(items := compare.get(key), Sequence)
    }
    usual = BaselineRule()
    return BaselineRule(
        ref=ref or None,
        fallback=fallback or None,
        window=counts.get("window", usual.window),
        min_samples=counts.get("min_samples", usual.min_samples),
        also=facts.get("also", ()),
        across=facts.get("across", ()),
    )


def scalar_text(node: Node | None, default: str) -> str:
    """The text of a scalar, or the default where there is none."""
    return node.text if isinstance(node, Scalar) else default


def _mapping(tree: Mapping, key: str, problems: Problems) -> Mapping:
    node = tree.get(key)
    if isinstance(node, Mapping):
        return node
    problems.add(f"the key {key!r} is missing", tree.where, f"add {key}: to the spec")
    return Mapping(tree.where)


def _section(node: Node | None) -> dict[str, object]:
    if not isinstance(node, Mapping):
        return {}
    values = to_json(node)
    return {key: value for key, value in values.items() if not key.startswith("x-")}
