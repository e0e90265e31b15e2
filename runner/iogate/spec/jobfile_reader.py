"""Reads a plain job file (fio's format) as the jobs of a workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from iogate.errors import Location, SpecError

_COMMENTS = (";", "#")


@dataclass(frozen=True, slots=True)
class Assignment:
    """``key=value`` where it was written; ``text`` is None for a bare key. In a job file
    a key may repeat, and the last one counts."""

    key: str
    text: str | None
    key_at: Location
    value_at: Location
    may_repeat: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One job, its ``[global]`` options first."""

    name: str
    where: Location
    assignments: tuple[Assignment, ...]
    from_job_file: bool = False


def read_job_file(text: str, file: str, named_at: Location) -> list[Section]:
    """The jobs of a job file; SpecError with the line for what cannot be read."""
    shared: list[Assignment] = []
    sections: list[Section] = []
    current: Section | None = None
    for where, line in _lines(text, file):
        if line.startswith("["):
            current = Section(_section_name(line, where), where, (), from_job_file=True)
            sections.append(current)
            continue
        if current is None:
            raise SpecError(
                "an option stands before the first [section]",
                remedy="begin with [global], or with the job's name in brackets",
                where=where,
            )
        item = _assignment(line, where)
        if current.name.startswith("global"):
            shared.append(item)
            continue
        before = current.assignments or tuple(shared)
        current = replace(current, assignments=(*before, item))
        sections[-1] = current
    return _jobs(sections, shared, file, named_at)


def _jobs(
    sections: list[Section], shared: list[Assignment], file: str, named_at: Location
) -> list[Section]:
    jobs = [
        section if section.assignments else replace(section, assignments=tuple(shared))
        for section in sections
        if not section.name.startswith("global")
    ]
    if not jobs:
        raise SpecError(f"{file} holds no job", remedy="add a [job]", where=named_at)
    return jobs


def _lines(text: str, file: str) -> Iterator[tuple[Location, str]]:
    """Lines without comments and blanks around them, and where they begin."""
    for number, raw in enumerate(text.split("\n"), 1):
        end = min((at for c in _COMMENTS if (at := raw.find(c)) >= 0), default=len(raw))
        line = raw[:end].strip()
        if line:
            yield Location(file, number, len(raw) - len(raw.lstrip()) + 1), line


def _section_name(line: str, where: Location) -> str:
    name = line[1:-1].strip()
    if not line.endswith("]") or not name:
        raise SpecError(
            "a section is a name in brackets", remedy="write [name] alone on its line", where=where
        )
    if "]" in name or "/" in name or not name.isprintable():
        raise SpecError(
            f"{name!r} cannot name a job, nor the files that are named after it",
            remedy="use a plain name, without brackets and slashes",
            where=where,
        )
    return name


def _assignment(line: str, where: Location) -> Assignment:
    if line.startswith(("include ", "include\t")):
        raise SpecError(
            "include is not read in a workload's job file",
            remedy="put what it includes into this file",
            where=where,
        )
    key, equals, value = line.partition("=")
    column = where.column + len(key) + 1 + len(value) - len(value.lstrip())
    value_at = replace(where, column=column) if equals else where
    return Assignment(
        key.strip(), value.strip() if equals else None, where, value_at, may_repeat=True
    )
