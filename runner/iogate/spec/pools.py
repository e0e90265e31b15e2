"""Which metrics of which cases a rule of ``pooled`` puts together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from iogate.errors import SpecError
from iogate.metrics import metric
from iogate.model.plan import Case
from iogate.model.pool import FEWEST_MEMBERS, POOLED, Pool, PoolMember, pool_id
from iogate.model.spec import DefinedMetric, JobSpec, PoolRule, Spec, Workload
from iogate.spec.matrix import point_name
from iogate.spec.sanity import has_metric, is_selected
from iogate.spec.text.problems import Problems


def pools_of(spec: Spec, cases: Sequence[Case], problems: Problems, *, cut: bool) -> list[Pool]:
    """The pools of a spec's cases, in the order written. A rule that pools nothing is noted,
    unless the spec is ``cut`` down by an override."""
    pools: list[Pool] = []
    for workload in spec.workloads:
        own = [case for case in cases if case.workload == workload.name]
        for rule in workload.pooled:
            made = _pools(rule, workload, own, spec.metrics)
            pools += made
            for error in () if cut or not own else _wrong(rule, own, made, spec.metrics):
                problems.take(error)
    return pools


def pooled_metrics(
    rules: Sequence[PoolRule], jobs: Sequence[JobSpec], point: Mapping[str, str]
) -> list[str]:
    """The metrics that rules name for the case of a point."""
    chosen = (rule for rule in rules if is_selected(rule.threshold, jobs, point))
    return [path for rule in chosen for path in rule.metrics]


def _pools(
    rule: PoolRule, workload: Workload, cases: Sequence[Case], metrics: tuple[DefinedMetric, ...]
) -> list[Pool]:
    groups: dict[str, list[PoolMember]] = {}
    for case in cases:
        point = case.parameters
        if is_selected(rule.threshold, case.jobs, point):
            own = {key: value for key, value in point.items() if key not in rule.over}
            name = _name(workload, rule, own)
            groups.setdefault(name, []).extend(_members(rule, case, metrics))
    return [
        Pool(
            id=pool_id(members),
            name=name,
            threshold=rule.threshold,
            members=tuple(members),
            workload=workload.name,
        )
        for name, members in groups.items()
        if len(members) >= FEWEST_MEMBERS
    ]


def _name(workload: Workload, rule: PoolRule, point: Mapping[str, str]) -> str:
    """``oltp/bs=4k (read.iops, read.clat.p50)``: what is pooled is said where the rule says it."""
    rest = point_name(point) if rule.over else ""
    name = f"{workload.name}/{rest}" if rest else workload.name
    return f"{name} ({', '.join(rule.metrics)})" if rule.metrics else name


def _members(rule: PoolRule, case: Case, metrics: tuple[DefinedMetric, ...]) -> list[PoolMember]:
    limited = [each.metric for each in case.thresholds if each.limit.vs_baseline]
    named = [path for path in rule.metrics if has_metric(path, case.jobs, metrics)]
    paths = dict.fromkeys(named if rule.metrics else limited)
    return [PoolMember(case.id, path, metric(path, metrics).better) for path in paths]


def _wrong(
    rule: PoolRule, cases: Sequence[Case], made: Sequence[Pool], metrics: tuple[DefinedMetric, ...]
) -> Iterator[SpecError]:
    """What is wrong where a metric that a rule names is nowhere, or nothing is pooled at all."""
    threshold = rule.threshold
    chosen = [case for case in cases if is_selected(threshold, case.jobs, case.parameters)]
    if not chosen:
        when = ", ".join(f"{key}: {value}" for key, value in threshold.when.items())
        yield SpecError(
            f"{POOLED}: no case has {when}",
            remedy="when: selects among the values of the matrix",
            where=threshold.where,
        )
        return
    absent = [p for p in rule.metrics if not any(has_metric(p, c.jobs, metrics) for c in chosen)]
    for path in absent:
        yield SpecError(
            f"{path} cannot be pooled: none of the cases has it",
            remedy="pool metrics that this workload has",
            where=threshold.where,
        )
    if not made and not absent:
        yield _nothing(rule)


def _nothing(rule: PoolRule) -> SpecError:
    wanted = "no two of its metrics" if rule.metrics else "no two limits vs baseline"
    together = "that differ in the axes over: alone " if rule.over else ""
    return SpecError(
        f"nothing to pool: {wanted} in the cases {together}that it chooses",
        remedy="name metrics: that these cases have, or give them limits vs baseline",
        where=rule.threshold.where,
    )
