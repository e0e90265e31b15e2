"""The jobs of a workload: ``fio``, ``jobs`` or ``jobfile``, and what its target decides."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from collections.abc import Mapping as Map
from dataclasses import replace

from iogate.errors import Location, SpecError
from iogate.files import bounds
from iogate.jobs.job_file import format_names, names_out
from iogate.jobs.options import OPTIONS, Kind, canonical_key
from iogate.model.axes import is_option
from iogate.model.spec import JobSpec, Target, TargetKind
from iogate.spec.options.check import PLACES, read_key, read_option
from iogate.spec.reading.included import untold
from iogate.spec.reading.job_file import Assignment, Section, check_count, read_job_file
from iogate.spec.text.commas import cut_values
from iogate.spec.text.problems import Problems
from iogate.spec.text.sources import Sources
from iogate.spec.text.tree import Entry, Mapping, Node, Scalar

_SOURCES = ("fio", "jobs", "jobfile")


def build_jobs(
    name: str,
    node: Mapping,
    targets: Collection[Target],
    sources: Sources,
    problems: Problems,
) -> tuple[JobSpec, ...]:
    """The jobs of a workload, with canonical keys; at least one. Its cases are on ``targets``."""
    if not any(key in node.entries for key in _SOURCES):
        raise SpecError(
            f"workload {name!r} does no I/O",
            remedy="say what it does under fio, jobs or jobfile",
            where=node.where,
        )
    if "jobs" in node.entries and "jobfile" in node.entries:
        raise SpecError(
            f"workload {name!r} has jobs and jobfile",
            remedy="keep one of them",
            where=node.entries["jobfile"].key_at,
        )
    sections = _sections(name, node, sources)
    network = "network" in node.entries
    shared = _options(_spec_assignments(node.get("fio")), problems, network=network)
    owns = [_options(each.assignments, problems, network=network) for each in sections]
    return tuple(
        _job(section, own, shared, targets, problems)
        for section, own in zip(sections, owns, strict=True)
    )


def _sections(name: str, node: Mapping, sources: Sources) -> list[Section]:
    jobfile, jobs = node.get("jobfile"), node.get("jobs")
    if isinstance(jobfile, Scalar):
        where = jobfile.where
        shown = str(sources.path.parent / jobfile.text)
        text = sources.text(sources.place(sources.own, jobfile.text, where), shown, where)
        return read_job_file(text, shown, where)
    if isinstance(jobs, Mapping):
        check_count(len(jobs.entries), bounds.JOBS, "jobs", jobs.where)
        return [_named_job(job, entry) for job, entry in jobs.entries.items()]
    return [Section(name, node.where, ())]


def _named_job(name: str, entry: Entry) -> Section:
    if name.startswith("global"):
        raise SpecError(
            f"a job cannot be named {name!r}: job files keep names that begin with global",
            remedy="name it otherwise; what jobs share stands under fio",
            where=entry.key_at,
        )
    return Section(name, entry.key_at, tuple(_spec_assignments(entry.value)))


def _spec_assignments(node: Node | None) -> Iterable[Assignment]:
    if not isinstance(node, Mapping):
        return
    cut = cut_values(node)
    for key, entry in node.entries.items():
        if key in cut and canonical_key(key) is None:
            continue  # the schema has told of it
        assert isinstance(entry.value, Scalar)
        bare = entry.value.plain and entry.value.text in ("", "~", "null")
        yield Assignment(key, None if bare else entry.value.text, entry.key_at, entry.value.where)


Options = dict[str, tuple[str, Location]]


def _options(
    assignments: Iterable[Assignment], problems: Problems, *, network: bool = False
) -> Options:
    """Canonical options with the places of their keys; what is wrong is noted."""
    options: Options = {}
    for item in assignments:
        if problems.full:
            break
        try:
            key = read_key(item.key, item.key_at, network=network)
            _check_repeat(key, item, options)
            options[key] = (_value(key, item, network=network), item.key_at)
        except SpecError as error:
            problems.take(untold(error, item) if item.from_job_file else error)
    return options


def read_options(node: Node | None, problems: Problems) -> Options:
    """A mapping of fio's options, with canonical keys and the places of those; what is wrong
    is noted."""
    return _options(_spec_assignments(node), problems)


def _check_repeat(key: str, item: Assignment, options: Options) -> None:
    if key in options and not item.from_job_file:
        raise SpecError(
            f"{item.key} is there twice: {key} has another name",
            remedy=f"the first is at {options[key][1]}; keep one",
            where=item.key_at,
        )


def _value(key: str, item: Assignment, *, network: bool) -> str:
    if item.text is not None:
        return read_option(key, item.text, item.value_at, network=network)
    if OPTIONS[key] is Kind.FLAG:
        return "1"
    raise SpecError(
        f"{item.key} has no value",
        remedy=f"write {item.key}: VALUE; only flags such as time_based stand alone",
        where=item.key_at,
    )


def _job(
    section: Section,
    own: Options,
    shared: Options,
    targets: Collection[Target],
    problems: Problems,
) -> JobSpec:
    from_file = section.from_job_file
    options = {**own, **shared} if from_file else {**shared, **own}
    kept = {}
    for key, (value, where) in options.items():
        if key not in PLACES:
            kept[key] = value
            continue
        try:
            if _is_own_place(key, value, (section.name, where), targets):
                kept[key] = value
        except SpecError as error:
            told = error.what.replace(f"{key} {value} is", f"{key} is") if from_file else error.what
            problems.add(told, error.where, error.remedy)
    places = {key: options[key][1] for key in kept}
    return JobSpec(section.name, kept, section.where, places)


def _is_own_place(
    key: str, value: str, job: tuple[str, Location], targets: Collection[Target]
) -> bool:
    """Whether a place goes into the job, which is the same on all targets."""
    own = {_is_in(key, value, job, target) for target in targets}
    if len(own) > 1:
        raise SpecError(
            f"{key} {value} means one thing on one target, and another on the next",
            remedy="leave it out, or make a workload for each target",
            where=job[1],
        )
    return own.pop()


def _is_in(key: str, value: str, job: tuple[str, Location], target: Target) -> bool:
    """Whether a ``directory``, ``filename`` or ``filename_format`` goes into the job: what
    names files inside a directory target does; what repeats the target does not; anything
    else is an error. ``job`` is its name, and where the key stands."""
    name, where = job
    if value == target.path.replace(":", r"\:"):
        return False
    inside = target.kind in (TargetKind.DIRECTORY, TargetKind.FILESYSTEM)
    leads = {
        "filename": lambda: names_out(value),
        "filename_format": lambda: names_out(format_names(value, name)),
    }
    if inside and key in leads and not leads[key]():
        return True
    raise SpecError(
        f"{key} {value} is not in target {target.name!r}, {target.kind.named}",
        remedy=f"the target alone says where I/O goes: leave {key} out here, and let a target name"
        " what is meant",
        where=where,
    )


def with_options(job: JobSpec, values: Map[str, str]) -> JobSpec:
    """The job with the values of a matrix point, given by option or ``job.option``."""
    changed = dict(job.options)
    for key, value in values.items():
        name, _, option = key.rpartition(".")
        if is_option(key) and name in ("", job.name):
            changed[option] = value
    return replace(job, options=changed)
