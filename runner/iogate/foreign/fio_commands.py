"""A command line of fio that stands above its output, as jobs with options."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Sequence

from iogate.foreign.fio_options import job_spec
from iogate.jobs.options import OPTIONS, Kind, canonical_key
from iogate.model.spec import JobSpec

# A call of fio in a text, alone or behind a prompt; its group is the arguments.
COMMAND = re.compile(r"(?:^|.*[$#>\]]\s*)fio\s+(.*-.*)")


def read_command(words: str) -> list[JobSpec]:
    """The jobs that a command's arguments define; none where they name job files, or are no
    such arguments."""
    try:
        arguments = shlex.split(words)
    except ValueError:
        return []
    jobs: list[tuple[str, list[tuple[str, object]]]] = []
    shared: list[tuple[str, object]] = []
    for key, value in _options(arguments):
        if key == "name":
            jobs.append((value, []))
        elif canonical_key(key):
            (jobs[-1][1] if jobs else shared).append((key, value))
    return [job_spec(name, [*shared, *own]) for name, own in jobs]


def _options(arguments: Sequence[str]) -> Iterator[tuple[str, str]]:
    """``--key=value``, ``--key value`` and ``--flag``."""
    rest = list(arguments)
    while rest:
        word = rest.pop(0)
        if not word.startswith("-"):
            continue
        key, equals, value = word.lstrip("-").partition("=")
        known = canonical_key(key)
        takes = known is not None and OPTIONS[known] is not Kind.FLAG
        if not equals and takes and rest and not rest[0].startswith("-"):
            value = rest.pop(0)
        yield key, value
