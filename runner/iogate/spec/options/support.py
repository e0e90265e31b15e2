"""What iogate-engine does not do yet, of what fio does: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.errors import SpecError
from iogate.jobs import numbers
from iogate.jobs.engine_table import RANGES
from iogate.jobs.options import NATIVE_CHOICES, NATIVE_OPTIONS
from iogate.model.plan import Plan
from iogate.model.spec import JobSpec, Spec
from iogate.spec.options.values import SPANS
from iogate.spec.text.problems import Problems


def check_native(plan: Plan) -> None:
    """SpecError that names every option of the plan which fio has and iogate-engine does
    not, with the job that sets it."""
    problems = Problems()
    for case in plan.cases:
        for error in _missing(f"workload {case.workload!r}", case.jobs):
            problems.take(error)
    for error in _missing("precondition", _steps(plan)):
        problems.take(error)
    problems.check()


def note_lacking(spec: Spec, problems: Problems) -> None:
    """Note the same of the workloads of a spec that has no plan, as other things are wrong in it:
    what the matrix sets is not looked at."""
    for workload in spec.workloads:
        for error in _missing(f"workload {workload.name!r}", workload.jobs):
            problems.take(error)


def _steps(plan: Plan) -> tuple[JobSpec, ...]:
    """The jobs of a precondition; the runner itself looks whether a device is steady."""
    precondition = plan.precondition
    steps = (precondition.fill, precondition.steady_state) if precondition else ()
    return tuple(replace(step, options=own_options(step)) for step in steps if step)


def own_options(step: JobSpec) -> dict[str, str]:
    """The options of a precondition's step that are the engine's business."""
    return {key: value for key, value in step.options.items() if not key.startswith("steadystate")}


def _missing(what: str, jobs: Sequence[JobSpec]) -> Iterator[SpecError]:
    for job in jobs:
        for key, value in job.options.items():
            if most := _exceeded(key, value):
                yield SpecError(
                    f"{what}: {key} is at most {most} for iogate-engine, not {value}",
                    remedy="make it smaller, or run with --engine fio",
                    where=job.places.get(key, job.where),
                )
            known = NATIVE_CHOICES.get(key)
            word = value.partition(":")[0].strip() if key == "rw" else value
            if key in NATIVE_OPTIONS and (word in known if known else not _is_span(key, value)):
                continue
            said = f"{key}={value}" if key in NATIVE_OPTIONS else key
            remedy = f"use one of {', '.join(known)}" if known else "leave it out"
            remedy = "give one time, such as 5s" if _is_span(key, value) else remedy
            yield SpecError(
                f"{what}: fio has {said}, iogate-engine does not have it yet",
                remedy=f"{remedy}, or run with --engine fio",
                where=job.places.get(key, job.where),
            )


def _exceeded(key: str, value: str) -> int | None:
    """The most that the engine takes of an option, where a value is above it. What cannot be read
    here is the engine's to judge."""
    most = RANGES.get(key, (0, None))[1]
    try:
        parts = [numbers.number(part) for part in numbers.each(value) if part] if most else []
    except numbers.BadNumberError:
        return None
    return most if any(part > (most or 0) for part in parts) else None


def _is_span(key: str, value: str) -> bool:
    return key in SPANS and ("-" in value or ":" in value)
