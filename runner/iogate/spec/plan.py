"""A spec to a plan: every case, in the order it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.errors import SpecError
from iogate.model.axes import TARGET
from iogate.model.plan import Case, Plan
from iogate.model.spec import DefinedMetric, JobSpec, Spec, Target, Threshold, Workload
from iogate.spec.build.jobs import with_options
from iogate.spec.build.making import made_at
from iogate.spec.build.settings import environment_at
from iogate.spec.case_id import case_id, former_ids, setup_of
from iogate.spec.histograms import with_histograms
from iogate.spec.matrix import expand_matrix, point_name
from iogate.spec.network import check_network
from iogate.spec.overrides import apply_overrides
from iogate.spec.pools import pooled_metrics, pools_of
from iogate.spec.runnable import check_runnable
from iogate.spec.sanity import applies
from iogate.spec.sharing import check_sharing
from iogate.spec.siblings import Siblings
from iogate.spec.text.problems import Problems


def make_plan(spec: Spec, *, overrides: Sequence[str] = ()) -> Plan:
    """The plan of a spec. Raises SpecError for cases that cannot be run as they are."""
    spec = apply_overrides(spec, overrides)
    problems = Problems()
    cases: list[Case] = []
    for workload in spec.workloads:
        try:
            cases += workload_cases(workload, spec)
        except SpecError as error:
            problems.take(error)
    _check_twins(cases, spec, problems)
    cases = _each_with_its_own(cases, spec)
    pools = pools_of(spec, cases, problems, cut=bool(overrides))
    for case in cases:
        check_runnable(case, problems)
        check_network(case, problems)
    problems.check()
    plan = Plan(
        spec_name=spec.name,
        spec_file=spec.source,
        spec_sha256=hashlib.sha256(spec.text.encode()).hexdigest(),
        spec_text=spec.text,
        cases=tuple(cases),
        description=spec.description,
        overrides=tuple(overrides),
        baseline=spec.baseline,
        on_missing_baseline=spec.on_missing_baseline,
        on_inconclusive=spec.on_inconclusive,
        metrics=spec.metrics,
        precondition=spec.precondition,
        validity=spec.validity,
        exclusive=spec.exclusive,
        pools=tuple(pools),
    )
    check_sharing(plan)
    return plan


def workload_cases(workload: Workload, spec: Spec) -> list[Case]:
    """The cases of one workload; SpecError when there are none, or far too many."""
    points = expand_matrix(workload.matrix, workload.exclude, workload.include)
    if not points:
        raise SpecError(
            f"workload {workload.name!r} has no case: exclude leaves nothing of its matrix",
            remedy="exclude less",
            where=workload.where,
        )
    aka = _aka(workload, [point_name(point) for point in points])
    siblings = Siblings(workload.jobs, points)
    return [_case(workload, spec, point, aka, siblings) for point in points]


def _case(
    workload: Workload,
    spec: Spec,
    point: dict[str, str],
    aka: dict[str, tuple[str, ...]],
    siblings: Siblings,
) -> Case:
    target = _target(workload, spec, point)
    jobs = tuple(with_options(job, point) for job in workload.jobs)
    name = point_name(point)
    thresholds = tuple(_thresholds(workload.thresholds, jobs, point, siblings, spec.metrics))
    limited = [each.metric for each in thresholds]
    limited += pooled_metrics(workload.pooled, jobs, point)
    # What is asked of the engine on account of a limit does not make it another case.
    spec = replace(spec, environment=environment_at(spec.environment, point, workload.where))
    identified = jobs, target, {**setup_of(spec), **_network(workload)}
    return Case(
        id=case_id(*identified),
        name=f"{workload.name}/{name}" if name else workload.name,
        workload=workload.name,
        target=target,
        jobs=with_histograms(jobs, limited, spec.metrics),
        parameters=point,
        repetitions=workload.repetitions,
        thresholds=thresholds,
        description=workload.description,
        tags=workload.tags,
        aka=tuple(dict.fromkeys((*aka.get(name, ()), *former_ids(*identified)))),
        chart=workload.chart,
        environment=spec.environment,
        network=workload.network,
    )


def _target(workload: Workload, spec: Spec, point: dict[str, str]) -> Target:
    name, told = point.get(TARGET, workload.target), f"{workload.name}/{point_name(point)}"
    if not name:
        raise SpecError(
            f"case {told} has no target",
            remedy="name its target: too, where include adds it",
            where=workload.where,
        )
    return made_at(spec.targets[name], point, told, workload.where)


def _network(workload: Workload) -> dict[str, object]:
    """What of it makes another case; nothing for one without."""
    return {"network": sorted(map(str, workload.network))} if workload.network else {}


def _thresholds(
    thresholds: Sequence[Threshold],
    jobs: tuple[JobSpec, ...],
    point: dict[str, str],
    siblings: Siblings,
    metrics: tuple[DefinedMetric, ...],
) -> Iterator[Threshold]:
    """Those that apply, with ``when`` spelled as the case's own parameters are, and the case that
    a limit names as that one's are."""
    for threshold in thresholds:
        if applies(threshold, jobs, point, siblings, metrics):
            when = {key: point.get(key, value) for key, value in threshold.when.items()}
            case = threshold.limit.case
            other = (siblings.of(point, case) if case else None) or {}
            limit = replace(threshold.limit, case={key: other[key] for key in case})
            yield replace(threshold, when=when, limit=limit)


def _aka(workload: Workload, names: list[str]) -> dict[str, tuple[str, ...]]:
    aka: dict[str, tuple[str, ...]] = {}
    known = set(names)
    for entry in workload.aka:
        point, _, identifier = entry.rpartition(":")
        if point not in known and not (point == "" and len(names) == 1):
            raise SpecError(
                f"aka of workload {workload.name!r} has no case {point!r}",
                remedy=f"write aka: {{ '{names[0]}': [{identifier}] }}",
                where=workload.where,
            )
        point = point or names[0]
        aka[point] = (*aka.get(point, ()), identifier)
    return aka


def _each_with_its_own(cases: list[Case], spec: Spec) -> list[Case]:
    """A case that has an id today has its history alone, also where another one had it by an older
    rule; what a spec itself writes is taken as it is."""
    written = {entry.rpartition(":")[2] for each in spec.workloads for entry in each.aka}
    taken = {case.id for case in cases} - written
    return [replace(case, aka=tuple(i for i in case.aka if i not in taken)) for case in cases]


def _check_twins(cases: list[Case], spec: Spec, problems: Problems) -> None:
    """Two cases with one id would be mixed up in the history."""
    first: dict[str, Case] = {}
    places = {workload.name: workload.where for workload in spec.workloads}
    for case in cases:
        twin = first.setdefault(case.id, case)
        if twin is not case:
            problems.add(
                f"cases {twin.name} and {case.name} do the same I/O on the same target",
                places[case.workload],
                "drop one, or let them differ in an option",
            )
