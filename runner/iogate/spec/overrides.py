"""``--set key=value`` and ``--set workload.key=value``.

The key is an option of fio, ``job.option`` of one job, or ``repetitions``. The value
replaces the option in every job it reaches, and a matrix axis of that key; limits stay, and an
override that leaves one without its metric is refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from iogate.errors import SpecError, UsageError
from iogate.jobs.options import known_keys
from iogate.model.axes import is_option
from iogate.model.spec import JobSpec, Repetitions, Spec, Workload
from iogate.spec.options.check import PLACES, read_key, read_option, split_key
from iogate.spec.sanity import check_kept
from iogate.spec.text.problems import suggest

REPETITIONS = "repetitions"


@dataclass(frozen=True, slots=True)
class Override:
    """``workload`` empty: every workload. ``key`` is as it was written."""

    text: str
    workload: str
    key: str
    value: str


def apply_overrides(spec: Spec, texts: Sequence[str]) -> Spec:
    """The spec with every override applied, in order; again is the same as once. UsageError
    that names the override which cannot be."""
    applied = [spec]
    for text in texts:
        override = _parse(text, spec.workloads)
        try:
            workloads = [_applied(workload, override) for workload in applied[-1].workloads]
        except SpecError as error:
            raise _refused(text, error) from None
        applied.append(replace(spec, workloads=tuple(workloads)))
    _check_limits(applied, texts)
    return applied[-1]


def _check_limits(applied: Sequence[Spec], texts: Sequence[str]) -> None:
    """UsageError where a limit is lost at the end, for the override since which it is."""
    refused = None
    for spec, text in zip(reversed(applied[1:]), reversed(texts), strict=True):
        try:
            for workload in spec.workloads:
                check_kept(workload, spec.metrics)
        except SpecError as error:
            refused = _refused(text, error)
        else:
            break
    if refused:
        raise refused


def _refused(text: str, error: SpecError) -> UsageError:
    return UsageError(f"--set {text}: {error.what}", remedy=error.remedy)


def _parse(text: str, workloads: Sequence[Workload]) -> Override:
    left, equals, value = text.partition("=")
    left = left.strip()
    if not equals or not left:
        raise UsageError(f"--set {text}: an override is key=value", remedy="such as --set size=64m")
    named = [w.name for w in workloads if left.startswith(f"{w.name}.")]
    workload = max(named, key=len, default="")
    key = left.removeprefix(f"{workload}.") if workload else left
    _check_key(text, key, workload, workloads)
    return Override(text, workload, key, value)


def _check_key(text: str, key: str, workload: str, workloads: Sequence[Workload]) -> None:
    reached = [w for w in workloads if workload in ("", w.name)]
    jobs = {job.name for w in reached for job in w.jobs}
    if key == REPETITIONS:
        return
    if reached and all(w.jobs[0].command for w in reached):
        raise UsageError(
            f"--set {text}: {', '.join(w.name for w in reached)} is a command, and has no options "
            "of fio",
            remedy="set repetitions, or change the command in the spec",
        )
    if split_key(key, jobs):
        return
    if not is_option(key):
        raise UsageError(
            f"--set {text}: {key} is no option of a job",
            remedy=f"where it is an axis of a matrix, choose cases by it: --case '*{key}=VALUE*'",
        )
    head, dot, _ = key.partition(".")
    known = [w.name for w in workloads] if dot else (*known_keys(), REPETITIONS)
    kind = "workload or job" if dot else "option of fio"
    remedy = suggest(head, known)
    raise UsageError(
        f"--set {text}: {head!r} is no {kind}",
        remedy=remedy or "write key=value or workload.key=value",
    )


def _applied(workload: Workload, override: Override) -> Workload:
    if override.workload not in ("", workload.name):
        return workload
    if override.key == REPETITIONS:
        count = _count(override)
        return replace(workload, repetitions=Repetitions(count, count))
    split = split_key(override.key, {job.name for job in workload.jobs})
    if split is None or workload.jobs[0].command:
        return workload
    job_name, option = split
    _check_allowed(option)
    value = read_option(option, override.value, None)
    key = f"{job_name}.{option}" if job_name else option
    return replace(
        workload,
        jobs=tuple(_job_with(job, job_name, option, value) for job in workload.jobs),
        matrix={k: (value,) if k == key else v for k, v in workload.matrix.items()},
        include=tuple(_point_with(point, key, value) for point in workload.include),
    )


def _check_allowed(option: str) -> None:
    read_key(option, None)
    if option in PLACES:
        raise SpecError(
            f"{option} cannot be set here", remedy="the target of the spec says where I/O goes"
        )


def _job_with(job: JobSpec, name: str, option: str, value: str) -> JobSpec:
    if name not in ("", job.name):
        return job
    places = {key: place for key, place in job.places.items() if key != option}
    return replace(job, options={**job.options, option: value}, places=places)


def _point_with(point: Mapping[str, str], key: str, value: str) -> dict[str, str]:
    return {k: value if k == key else v for k, v in point.items()}


def _count(override: Override) -> int:
    text = override.value.strip()
    if not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= 1000):
        raise UsageError(
            f"--set {override.text}: repetitions is a number from 1 to 1000",
            remedy="such as --set repetitions=1",
        )
    return int(text)
