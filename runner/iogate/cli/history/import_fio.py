"""``iogate history import fio``: bring the past of fio along."""

from __future__ import annotations

import hashlib
import shlex
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path

import click

from iogate.archive import keep
from iogate.cli import options
from iogate.cli.history.shown import delivered, told
from iogate.cli.machine import machine
from iogate.cli.say import say
from iogate.cli.table import counted, printable
from iogate.errors import IogateError, RunError, StoreError, UsageError
from iogate.files import bounded
from iogate.files.bounds import FOREIGN_BYTES
from iogate.foreign import ForeignResult, Origin, as_run, read_fio
from iogate.host.facts import this_host
from iogate.model.commit import is_commit
from iogate.model.run import Host, Revision, Run
from iogate.spec.ordering import waiting_workloads
from iogate.store import Store, open_store

_MOST_HINTS = 3


@dataclass(slots=True)
class _Reading:
    """Files that are read: how many results they gave, of which specs those are that were not
    kept before, which workloads have jobs that took turns, and the ids of the cases by name.
    ``places`` has the file and the time of each result so far, by run: a copy under another name
    is the same result."""

    store: Store
    origin: Origin
    known: frozenset[str]
    results: int = 0
    specs: set[str] = field(default_factory=set)
    serial: set[str] = field(default_factory=set)
    cases: dict[str, str] = field(default_factory=dict)
    places: dict[str, tuple[str, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Found:
    """A result, and the file that it was read in."""

    result: ForeignResult
    file: str
    written_ns: int

    @property
    def name(self) -> str:
        return "" if self.file == "-" else Path(self.file).name


@dataclass(slots=True)
class _Files:
    """The files that are read; ``bad`` are those that could not be read whole."""

    files: tuple[str, ...]
    bad: set[str] = field(default_factory=set)

    def results(self) -> Iterator[_Found]:
        """All of them, as they come. What cannot be read is told."""
        for file in self.files:
            try:
                yield from _read(file)
            except IogateError as error:
                self.refuse(file, error)

    def refuse(self, file: str, error: IogateError) -> None:
        """Tell why a file, or a part of it, is left out."""
        self.bad.add(file)
        remedy = f" ({error.remedy})" if error.remedy else ""
        say(printable(f"{file}: {error.what}{remedy}"), err=True)


def _read(file: str) -> Iterator[_Found]:
    text, written_ns = _text(file)
    found = None
    for result in read_fio(text):
        found = _Found(result, file, written_ns)
        yield found
    if found is None:
        raise UsageError("it holds no result of fio, neither JSON nor what it prints for people")


@click.command("fio", short_help="Put results of fio into a history.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--spec", default="", metavar="NAME", help="Name of the spec; by default made from the jobs."
)
@click.option(
    "--host",
    metavar="NAME",
    help="Where it was measured, if not here; by name or machine id, or a new name.",
)
@click.option(
    "--directory", default="", metavar="DIR", help="Where fio ran, if its options do not say."
)
@click.option("--commit", default="", metavar="ID", help="The hash of the commit measured.")
@click.option("--label", default="", metavar="TEXT", help="A label instead of a revision.")
@options.STORE
def command(
    files: tuple[str, ...],
    *,
    spec: str,
    host: str | None,
    directory: str,
    commit: str,
    label: str,
    store: str | None,
) -> int:
    """Put results of fio into a history: JSON of versions 2.1 to 3.42, terse lines (versions 2
    to 5), or what fio prints for people (versions 1 to 3), with any text around them; - is stdin.

    Each call of fio becomes a run of one case. Its case id is made from the job options as
    that of a spec is: where a spec has the same options and target, both are one series.
    Importing a file again adds nothing.

    A file that cannot be read, or not to its end, is named, and the rest is imported. Exits 4
    then; 2 where nothing was left to import.
    """
    _check_names(spec=spec, host=host or "")
    if commit and not is_commit(commit):
        raise UsageError(
            f"--commit {commit!r} is not the hash of a commit", remedy="name it with --label"
        )
    given = _Files(files)
    found = given.results()
    begun = list(islice(found, 1))
    if not begun:  # and before a history is made for it
        raise UsageError("nothing was imported", remedy="each file is named above, with the reason")
    with closing(open_store(store)) as opened:
        runs = () if host is None else opened.runs(verdicts=False)
        known = _known_hosts(runs)
        origin = Origin(
            file="",
            host=_host(host, known),
            ended_ns=0,
            spec=spec,
            directory=directory,
            revision=Revision(commit=commit, label=label),
        )
        reading = _Reading(opened, origin, frozenset(opened.run_ids()))
        before = opened.sync()
        tally = keep(opened, _runs(chain(begun, found), given, reading))
        code = delivered(opened, before)
    read = f"{counted(reading.results, 'result')} in {counted(len(files), 'file')}"
    say(f"{read}: {told(tally)}", err=True)
    for hint in _hints(reading):
        say(printable(f"  {hint}"), err=True)
    if given.bad and not reading.results:
        raise UsageError("nothing was imported", remedy="each file is named above, with the reason")
    if given.bad:
        raise RunError(
            f"{counted(len(given.bad), 'file')} of {len(files)} could not be imported whole",
            remedy="each is named above, with the reason; what could be read is in the history",
        )
    return code


def _hints(reading: _Reading) -> Iterator[str]:
    """What to do with what was imported, some of each kind."""
    for name in sorted(reading.specs)[:_MOST_HINTS]:
        yield f"night by night: iogate trend {shlex.quote(name)}"
    for name, case in sorted(reading.cases.items())[:_MOST_HINTS]:
        yield f"a workload that goes on with {name} names its id: aka: [{case}]"
    for name in sorted(reading.serial)[:_MOST_HINTS]:
        yield f"jobs of {name} ran one after the other: a trend follows each by itself"


def _check_names(**names: str) -> None:
    for option, name in names.items():
        try:
            name.encode()
        except UnicodeEncodeError:
            raise UsageError(
                f"the name after --{option} is not UTF-8", remedy="give it another one"
            ) from None


def _known_hosts(runs: Sequence[Run]) -> dict[str, Host]:
    """By machine id and by name, which is that of the last one that had it: a host that is
    installed anew has another id. ``runs`` are newest first."""
    hosts = [run.host for run in reversed(runs)]
    return {host.machine_id: host for host in hosts} | {host.name: host for host in hosts}


def _host(name: str | None, known: dict[str, Host]) -> Host:
    """This host, one that the history knows by that name or machine id, or one known by its name
    alone."""
    if name is None:
        return this_host(machine())
    if name in known:
        return known[name]
    return Host(name, hashlib.sha256(f"iogate import {name}".encode()).hexdigest()[:16])


def _runs(found: Iterable[_Found], given: _Files, reading: _Reading) -> Iterator[Run]:
    for each in found:
        origin = replace(reading.origin, file=each.name, ended_ns=each.written_ns)
        try:
            run = _run(each.result, origin, reading)
        except StoreError:
            raise
        except IogateError as error:
            given.refuse(each.file, error)
            continue
        reading.results += 1
        yield run


def _run(result: ForeignResult, origin: Origin, reading: _Reading) -> Run:
    run = as_run(result, origin)
    if run.id not in reading.places:
        if run.id not in reading.known:
            reading.specs.add(run.plan.spec_name)
            reading.serial.update(waiting_workloads(run.plan.cases))
            reading.cases.update({case.name: case.id for case in run.plan.cases})
            reading.places[run.id] = origin.file, origin.ended_ns
            return run
        kept = reading.store.run(run.id)
        reading.places[run.id] = kept.plan.spec_file, kept.finished_ns
    file, ended_ns = reading.places[run.id]
    return as_run(result, replace(origin, file=file, ended_ns=ended_ns))


def _text(file: str) -> tuple[str, int]:
    """A file's text, and when it was written."""
    try:
        if file == "-":
            data = bounded.read_stream(sys.stdin.buffer, FOREIGN_BYTES)
            written_ns = time.time_ns()
        else:
            data = bounded.read_bytes(file, FOREIGN_BYTES)
            written_ns = Path(file).lstat().st_mtime_ns
    except OSError as error:
        raise UsageError(f"it cannot be read: {error.strerror}") from None
    return data.decode("utf-8", "replace"), written_ns
