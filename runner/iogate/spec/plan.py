"""A spec to a plan: every case, in the order it runs."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.errors import RefusedError, SpecError
from iogate.model.plan import Case, Plan
from iogate.model.spec import JobSpec, Spec, TargetKind, Threshold, Workload
from iogate.spec.build_jobs import with_options
from iogate.spec.identity import case_id
from iogate.spec.matrix import expand_matrix, point_name
from iogate.spec.overrides import apply_overrides
from iogate.spec.problems import Problems
from iogate.spec.sanity import applies

_NOT_APPLIED = ("environment", "precondition")
_SIZES = ("size", "filesize", "fill_device", "file_append", "read_iolog")


def make_plan(spec: Spec, *, overrides: Sequence[str] = ()) -> Plan:
    """The plan of a spec. Raises SpecError for cases that cannot be run as they are, and
    RefusedError where the spec asks for a setting that would silently not be applied."""
    refuse_not_applied(spec)
    return expand_spec(spec, overrides=overrides)


def refuse_not_applied(spec: Spec) -> None:
    """RefusedError when the spec holds sections that this version does not act on."""
    ignored = not_applied(spec)
    if ignored:
        raise RefusedError(
            f"{spec.source}: {', '.join(ignored)}: this version of iogate does not apply it, "
            "and measuring without it would not be what the spec says",
            remedy="take it out of the spec, and set up the host by hand",
        )


def not_applied(spec: Spec) -> tuple[str, ...]:
    """The parts of a spec that are read and kept, and not acted on."""
    used = {workload.target for workload in spec.workloads}
    sections = [f"{name}:" for name in _NOT_APPLIED if getattr(spec, name)]
    sections += [
        f"targets.{target.name}.filesystem"
        for target in spec.targets.values()
        if target.kind is TargetKind.FILESYSTEM and target.name in used
    ]
    return tuple(sections)


def expand_spec(spec: Spec, *, overrides: Sequence[str] = ()) -> Plan:
    """As make_plan, also for a spec whose sections are not all applied: to look at."""
    spec = apply_overrides(spec, overrides)
    problems = Problems()
    cases: list[Case] = []
    for workload in spec.workloads:
        try:
            cases += workload_cases(workload, spec)
        except SpecError as error:
            problems.take(error)
    _check_twins(cases, spec, problems)
    for case in cases:
        _check_sizes(case, problems)
    problems.check()
    return Plan(
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
    )


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
    return [_case(workload, spec, point, aka) for point in points]


def _case(
    workload: Workload, spec: Spec, point: dict[str, str], aka: dict[str, tuple[str, ...]]
) -> Case:
    target = spec.targets[workload.target]
    jobs = tuple(with_options(job, point) for job in workload.jobs)
    name = point_name(point)
    return Case(
        id=case_id(jobs, target, spec.targets.get(target.on or "")),
        name=f"{workload.name}/{name}" if name else workload.name,
        workload=workload.name,
        target=target,
        jobs=jobs,
        parameters=point,
        repetitions=workload.repetitions,
        thresholds=tuple(_thresholds(workload.thresholds, jobs, point)),
        description=workload.description,
        tags=workload.tags,
        aka=aka.get(name, ()),
        chart=workload.chart,
    )


def _thresholds(
    thresholds: Sequence[Threshold], jobs: tuple[JobSpec, ...], point: dict[str, str]
) -> Iterator[Threshold]:
    """Those that apply, with ``when`` spelled as the case's own parameters are."""
    for threshold in thresholds:
        if applies(threshold, jobs, point):
            when = {key: point.get(key, value) for key, value in threshold.when.items()}
            yield replace(threshold, when=when)


def _aka(workload: Workload, names: list[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for entry in workload.aka:
        point, _, identifier = entry.rpartition(":")
        if point not in names and not (point == "" and len(names) == 1):
            raise SpecError(
                f"aka of workload {workload.name!r} has no case {point!r}",
                remedy=f"write aka: {{ '{names[0]}': [{identifier}] }}",
                where=workload.where,
            )
        point = point or names[0]
        found[point] = (*found.get(point, ()), identifier)
    return found


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


def _check_sizes(case: Case, problems: Problems) -> None:
    if case.target.kind not in (TargetKind.DIRECTORY, TargetKind.FILESYSTEM):
        return
    for job in case.jobs:
        if not any(key in job.options for key in _SIZES):
            problems.add(
                f"job {job.name!r} of workload {case.workload!r} has no size",
                job.where,
                "add size: with how much of its file it works on, such as size: 1g",
            )
