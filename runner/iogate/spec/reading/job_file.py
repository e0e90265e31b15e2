"""Reads a plain job file (fio's format) as the jobs of a workload."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from iogate.errors import Location, SpecError
from iogate.files import bounds

_COMMENTS = (";", "#")
# A log that is asked for by its bare key is named after the job.
_LOGS = ("write_bw_log", "write_hist_log", "write_iops_log", "write_lat_log")


@dataclass(frozen=True, slots=True)
class Assignment:
    """``key=value`` where it was written; ``text`` is None for a bare key. In a job file
    a key may repeat, and the last one counts; and it may be no job file."""

    key: str
    text: str | None
    key_at: Location
    value_at: Location
    from_job_file: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """One job, its ``[global]`` options first."""

    name: str
    where: Location
    assignments: tuple[Assignment, ...]
    from_job_file: bool = False


@dataclass(slots=True)
class _Open:
    """A section that is being read; ``items`` is None until it has an option of its own."""

    name: str
    where: Location
    items: list[Assignment] | None = None
    own_from: int = 0  # the first of items that is not of a global section

    @property
    def is_global(self) -> bool:
        return self.name.startswith("global")


def read_job_file(text: str, file: str, named_at: Location) -> list[Section]:
    """The jobs of a job file; SpecError with the line for what cannot be read. What the file
    holds is not repeated there: it may be no job file, and nobody's to read."""
    shared: list[Assignment] = []
    sections: list[_Open] = []
    count = 0
    for where, line in _lines(text, file):
        if line.startswith("["):
            sections.append(_Open(_section_name(line, where), where))
            check_count(len(sections), bounds.JOBS, "sections", where)
            continue
        if not sections:
            raise SpecError(
                "an option stands before the first [section]",
                remedy="begin with [global], or with the job's name in brackets",
                where=where,
            )
        item, current = _assignment(line, where), sections[-1]
        if current.is_global:
            shared.append(item)
        elif current.items is None:
            current.items, current.own_from = [*shared, item], len(shared)
            count += len(shared)
        else:
            current.items.append(item)
        count += 1
        check_count(count, bounds.JOB_OPTIONS, "options, counting what jobs share", where)
    return _jobs(sections, shared, file, named_at)


def check_count(count: int, most: int, what: str, where: Location) -> None:
    """SpecError for more than anybody needs."""
    if count > most:
        raise SpecError(
            f"the workload has more than {most:,} {what}",
            remedy="make several workloads of it",
            where=where,
        )


def _jobs(
    sections: list[_Open], shared: list[Assignment], file: str, named_at: Location
) -> list[Section]:
    jobs = [
        _named(each, shared if each.items is None else each.items)
        for each in sections
        if not each.is_global
    ]
    if not jobs:
        raise SpecError(f"{file} holds no job", remedy="add a [job]", where=named_at)
    last = jobs[-1].where
    total = sum(len(job.assignments) for job in jobs)
    check_count(total, bounds.JOB_OPTIONS, "options, counting what jobs share", last)
    return jobs


def _named(section: _Open, items: list[Assignment]) -> Section:
    """A job with what names it: ``name`` of its own, in place of its section. That of a global
    section names no job. A log without a name has the job's."""
    name = section.name
    for item in section.items[section.own_from :] if section.items else ():
        if item.key == "name":
            name = _section_name(f"[{item.text or ''}]", item.value_at)
    kept = (item for item in items if item.key != "name")
    logs = (
        replace(item, text=name) if item.text is None and item.key in _LOGS else item
        for item in kept
    )
    return Section(name, section.where, tuple(logs), from_job_file=True)


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
            "this cannot name a job, nor the files that are named after it",
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
        key.strip(), value.strip() if equals else None, where, value_at, from_job_file=True
    )
