"""The ``strategy`` section of a workload: axes, and points of them."""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Mapping as Map
from dataclasses import replace

from iogate.errors import Location, SpecError
from iogate.model.axes import DEFAULT, MKFS, MOUNT, TARGET, is_option, is_setting
from iogate.model.spec import JobSpec
from iogate.spec.build.making import read_arguments
from iogate.spec.build.settings import PREFIX, check_setting, check_value
from iogate.spec.matrix import canonical_point
from iogate.spec.options.check import PLACES, read_key, read_option, split_key
from iogate.spec.text.problems import Problems, suggest
from iogate.spec.text.tree import Mapping, Node, Scalar, Sequence


def build_matrix(
    node: Node | None, jobs: set[str], problems: Problems
) -> dict[str, tuple[str, ...]]:
    """Axes by ``option`` or ``job.option``, with their values as they go into job files."""
    matrix: dict[str, tuple[str, ...]] = {}
    if not isinstance(node, Mapping):
        return matrix
    for key, entry in node.entries.items():
        assert isinstance(entry.value, Sequence)
        try:
            name = point_key(key, jobs, entry.key_at)
            if name in matrix:
                problems.add(f"the axis {name} is there twice", entry.key_at, "keep one")
            matrix[name] = tuple(_values(name, entry.value, problems))
        except SpecError as error:
            problems.take(error)
    return matrix


def _values(name: str, node: Sequence, problems: Problems) -> Iterator[str]:
    """The values of an axis. One that means the same as another is noted: it makes no case."""
    seen: dict[object, str] = {}
    for item in node.items:
        value, count = _value(name, item), len(seen)
        first = seen.setdefault(canonical_point({name: value}), value)
        if len(seen) == count:
            problems.add(
                f"the axis {name} has {first} twice: {value} means the same",
                item.where,
                "keep one of them",
            )
        yield value


def with_axis_places(jobs: tuple[JobSpec, ...], node: Node | None) -> tuple[JobSpec, ...]:
    """The jobs with the places of the axes that give them an option."""
    if not isinstance(node, Mapping):
        return jobs
    names = {job.name for job in jobs}
    axes = [(split_key(key, names), entry.key_at) for key, entry in node.entries.items()]
    return tuple(
        replace(
            job,
            places={
                **job.places,
                **{axis[1]: place for axis, place in axes if axis and axis[0] in ("", job.name)},
            },
        )
        for job in jobs
    )


def build_points(
    node: Node | None, jobs: set[str], problems: Problems
) -> tuple[Map[str, str], ...]:
    """The partial points of ``exclude`` or ``include``."""
    points = []
    for item in node.items if isinstance(node, Sequence) else ():
        assert isinstance(item, Mapping)
        try:
            points.append(read_point(item, jobs))
        except SpecError as error:
            problems.take(error)
    return tuple(points)


def read_point(node: Mapping, jobs: set[str]) -> dict[str, str]:
    """A partial point of a matrix: canonical keys and values as they go into job files."""
    point = {}
    for key, entry in node.entries.items():
        name = point_key(key, jobs, entry.key_at)
        point[name] = _value(name, entry.value)
    return point


def point_key(key: str, jobs: set[str], where: Location) -> str:
    """``target``, ``mkfs``, ``mount`` or a setting of the host as it is written; ``option`` or
    ``job.option`` with the option's canonical name."""
    if key in (TARGET, MKFS, MOUNT):
        return key
    split = split_key(key, jobs)
    if key.startswith(PREFIX) and (is_setting(key) or split is None):
        _check_setting(key, where, is_of_job=split is not None)
        return key
    if split is None:
        job, dot, _ = key.rpartition(".")
        if dot and job not in jobs:
            raise SpecError(
                f"there is no job {job!r}",
                remedy=suggest(job, jobs) or f"jobs are: {', '.join(sorted(jobs))}",
                where=where,
            )
        read_key(key.rpartition(".")[2], where)
        raise AssertionError
    job, option = split
    read_key(option, where)
    if option in PLACES:
        raise SpecError(
            f"{option} cannot vary", remedy="make target an axis: target: [NAME, NAME]", where=where
        )
    return f"{job}.{option}" if job else option


def _check_setting(key: str, where: Location, *, is_of_job: bool) -> None:
    if is_of_job:
        raise SpecError(
            f"{key} may be an option of a job, and a setting of the host",
            remedy="name the job otherwise",
            where=where,
        )
    check_setting(key, where)


def _value(name: str, node: Node) -> str:
    if name in (MKFS, MOUNT):
        return read_arguments(node)
    assert isinstance(node, Scalar)
    return read_text(name, node.text, node.where)


def read_text(name: str, text: str, where: Location) -> str:
    """The value of an axis, or of an option."""
    if is_setting(name):
        return check_value(name, text, where)
    if name in (MKFS, MOUNT):
        return " ".join(text.split()) or DEFAULT
    return read_option(name.rpartition(".")[2], text, where) if is_option(name) else text
