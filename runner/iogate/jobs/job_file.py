"""A case as the text of a job file, for iogate-engine and for fio. Pure."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator

from iogate.errors import UsageError
from iogate.jobs.plain_values import plain_value
from iogate.model.plan import Case
from iogate.model.spec import Command, Target, TargetKind

AUTO = "auto"
NAME_KEYWORDS = ("$jobname", "$jobnum", "$filenum")  # what fio replaces in filename_format
_IN_DIRECTORY = (TargetKind.DIRECTORY, TargetKind.FILESYSTEM)


def render(case: Case, *, location: str | None = None) -> str:
    """The job file of a case: a header, then a section for each job with its options in
    the order that they were written, numbers as all engines read them. ``location`` takes the
    place of the target's path. Raises UsageError for text that would be read as something else
    than it says."""
    lines = list(_header(case, location))
    if case.command:
        return "\n".join([*lines, *_told(case.command)]) + "\n"
    for job in case.jobs:
        lines += ["", f"[{_section(job.name)}]", *_place(case.target, location)]
        kb_base = 1000 if job.options.get("kb_base") == "1000" else 1024
        lines += [
            f"{key}={_value(key, plain_value(key, value, kb_base=kb_base))}"
            for key, value in job.options.items()
        ]
    return "\n".join(lines) + "\n"


def names_out(filename: str) -> bool:
    r"""Whether a job's ``filename``, names with colons between them, leads out of the directory
    of its target, or may be read in two ways: ``\:`` is a colon in a name, and a backslash
    before anything else, a backslash too, is nothing that all readers agree on."""
    names = re.sub(r"(?<!\\)\\:", "\0", filename)
    return "\\" in names or any(_is_out(name) for name in names.split(":"))


def _is_out(name: str) -> bool:
    """``-`` is what a program reads from or writes to, not a file."""
    return name in ("", "-", ".") or name.startswith("/") or ".." in name.split("/")


def format_names(pattern: str, job: str) -> str:
    """A ``filename_format`` as the name that it gives: of numbers, all are digits. Empty, as a
    name that leads out is, for what is nothing but a list or holds any other ``$``."""
    for keyword, value in zip(NAME_KEYWORDS, (job, "0", "0"), strict=True):
        pattern = pattern.replace(keyword, value)
    return "" if any(c in pattern for c in "$:\\") else pattern


def _told(command: Command) -> Iterator[str]:
    """No job, but comments: what runs is a program."""
    yield "; no job: it is a command that is measured"
    for argv in command.prepare:
        yield f"; prepare: {_comment(shlex.join(argv))}"
    yield f"; command: {_comment(shlex.join(command.argv))}"


def _header(case: Case, location: str | None) -> Iterator[str]:
    yield f"; {_comment(case.name)}"
    yield f"; case {_comment(case.id)} on target {_comment(case.target.name)}"
    if case.target.kind in _IN_DIRECTORY and _path(case.target, location) is None:
        yield "; directory: a fresh one, made when the case runs"
    elif case.target.kind is TargetKind.ARRAY and location is None:
        yield "; filename: the array, made when the case runs"


def _place(target: Target, location: str | None) -> Iterator[str]:
    path = _path(target, location)
    if path is None:
        return
    key = "directory" if target.kind in _IN_DIRECTORY else "filename"
    # A colon would separate two paths.
    yield f"{key}={_value(key, path).replace(':', chr(92) + ':')}"


def _path(target: Target, location: str | None) -> str | None:
    path = location if location is not None else target.path
    return None if path in ("", AUTO) else path


def _section(name: str) -> str:
    if not name or "]" in name or "/" in name or name.startswith("global"):
        raise UsageError(f"{name!r} cannot name a job", remedy="rename the job")
    return _line("the job's name", name)


def _value(key: str, value: str) -> str:
    """An option's value as it is: an engine would replace a ``$`` by something else."""
    left = value
    for keyword in NAME_KEYWORDS if key == "filename_format" else ():
        left = left.replace(keyword, "")
    if "$" in left:
        raise UsageError(
            f"{key}: {value!r} cannot stand in a job file: an engine would replace its $",
            remedy="write what it stands for",
        )
    return _line(key, value)


def _line(what: str, value: str) -> str:
    """The value, when it survives being a part of one line."""
    bad = next((c for c in value if c in ";#" or not c.isprintable()), None)
    if bad is not None or not value or value != value.strip():
        reason = f"holds {bad!r}" if bad else "is empty or has blanks around it"
        raise UsageError(
            f"{what}: {value!r} cannot stand in a job file: it {reason}",
            remedy="; and # begin comments there, and a line holds one value",
        )
    return value


def _comment(text: str) -> str:
    """A name, on one line, of which no CI system takes a part for a command."""
    return "".join(c if c.isprintable() else " " for c in text).replace("##[", "# #[")
