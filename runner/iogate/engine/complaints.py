"""What an engine does not take of the jobs of cases, asked before anything is touched: its own
option table alone knows each bound, and of iogate-engine what two options together rule out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from iogate.engine.confined import ask
from iogate.jobs.job_file import render
from iogate.model.confinement import Confinement
from iogate.model.plan import Case
from iogate.model.spec import JobSpec
from iogate.sut.base import Completed, Sut

_WRONG_CALL = 2  # the exit status of iogate-engine
_LINE = re.compile(
    r"(?:iogate-engine: )?command line: (?:job '(?P<job>.*?)'|(?P<key>[\w-]+)): (?P<text>.+)"
)
_FIOS = re.compile(
    r"(?:^(?:[\w-]+: )?(?P<why>.*out of range.*)\n)?"
    r"fio: failed parsing (?P<key>[\w-]+)=(?P<value>.*)",
    re.MULTILINE,
)
_MOST_CHARACTERS = 64 << 10  # of one command line
_MOST_JOBS = 4096  # that the engine takes, with all clones


@dataclass(frozen=True, slots=True)
class Complaint:
    """A sentence on an option of a case, or on a job of it; what it is not about is empty."""

    case: Case
    text: str
    key: str = ""
    job: str = ""


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an engine complains: whether it does, and of what."""

    refuses: Callable[[Completed], bool]
    read: Callable[[Case, str], Iterator[Complaint]]


def complaints(
    sut: Sut,
    program: str,
    cases: Iterable[Case],
    confinement: Confinement | None,
    dialect: Dialect,
) -> tuple[Complaint, ...]:
    """All complaints about the first cases that it complains of. Nothing is opened; many cases
    are looked at together. RunError where the engine does not start."""
    look = _Look(sut, program, confinement, dialect.refuses)
    for part in _parts({_words(case): case for case in cases if not case.command}):
        if look.at([word for words, _ in part for word in words]):
            # Together they may be too much, or be taken for each other: each tells for itself.
            found = [each for words, case in part for each in dialect.read(case, look.at(words))]
            if found:
                return tuple(found)
    return ()


@dataclass(frozen=True, slots=True)
class _Look:
    sut: Sut
    program: str
    confinement: Confinement | None
    refuses: Callable[[Completed], bool]

    def at(self, words: Sequence[str]) -> str:
        """What the engine says of jobs; empty for nothing."""
        done = ask(self.sut, [self.program, "--parse-only", *words], self.confinement)
        return done.stderr if self.refuses(done) else ""


def _words(case: Case) -> tuple[str, ...]:
    """The job file of a case as a command line: an engine that is confined is read no file."""
    lines = [line for line in render(case).splitlines() if line and not line.startswith(";")]
    return tuple(f"--name={line[1:-1]}" if line[0] == "[" else f"--{line}" for line in lines)


def _parts(cases: dict[tuple[str, ...], Case]) -> Iterator[list[tuple[tuple[str, ...], Case]]]:
    """The cases in parts, of which each goes into one command line."""
    part: list[tuple[tuple[str, ...], Case]] = []
    characters = jobs = 0
    for words, case in cases.items():
        longer, more = sum(map(len, words)) + len(words), sum(map(_clones, case.jobs))
        if part and (characters + longer > _MOST_CHARACTERS or jobs + more > _MOST_JOBS):
            yield part
            part, characters, jobs = [], 0, 0
        part.append((words, case))
        characters, jobs = characters + longer, jobs + more
    if part:
        yield part


def _clones(job: JobSpec) -> int:
    text = job.options.get("numjobs", "1")
    return int(text) if text.isdecimal() else _MOST_JOBS


def _read(case: Case, said: str) -> Iterator[Complaint]:
    for line in said.splitlines():
        if match := _LINE.fullmatch(line):
            yield Complaint(case, match["text"], key=match["key"] or "", job=match["job"] or "")


def _read_fio(case: Case, said: str) -> Iterator[Complaint]:
    """It ends at the first option that it does not take, and names no job. What else it says may
    be about the target, which is not there yet, and so is none."""
    for match in _FIOS.finditer(said):
        why = match["why"] or f"fio does not take {match['value']!r}"
        yield Complaint(case, why, key=match["key"])


OURS = Dialect(lambda done: done.status == _WRONG_CALL, _read)
FIOS = Dialect(lambda done: bool(done.status and _FIOS.search(done.stderr)), _read_fio)
