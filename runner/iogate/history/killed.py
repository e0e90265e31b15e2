"""Runs that ended without a word, as their process was killed or the host went down."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from iogate.archive import keep
from iogate.engine.series_left import with_series
from iogate.errors import RunError
from iogate.files.run_folder import own_folder, read_run_document
from iogate.host.locks.measuring import is_measuring
from iogate.model.document import run_from_document
from iogate.model.run import Run, RunStatus
from iogate.store.base import Store
from iogate.sut.base import Sut


def take_ended(store: Store, sut: Sut, machine_id: str) -> list[str]:
    """Take the rest of every run of this host that came to its end while the history could not be
    written, from the folder of the run, and give their ids."""
    taken = []
    for run_id in store.unfinished(machine_id):
        ended = None if is_measuring(sut, run_id) else _ended(store.run(run_id))
        if ended and keep(store, [ended]).completed:
            taken.append(run_id)
    return taken


def _ended(run: Run) -> Run | None:
    """The run as its own folder has it, if it ended there."""
    folder = own_folder(run)
    with suppress(RunError):
        found = run_from_document(read_run_document(folder)) if folder else None
        if folder and found and found.status is not RunStatus.RUNNING:
            return with_series(found, folder)
    return None


def measured_now(store: Store, sut: Sut, machine_id: str) -> str:
    """The id of a run of this host that goes on; empty where there is none."""
    ids = store.unfinished(machine_id)
    return next((run_id for run_id in ids if is_measuring(sut, run_id)), "")


def close_killed(store: Store, sut: Sut, machine_id: str) -> list[str]:
    """Record the end of every run of this host that no process measures any longer, and give
    their ids. What they measured stays, and the last of it is their end."""
    gone = [run_id for run_id in store.unfinished(machine_id) if not is_measuring(sut, run_id)]
    for run_id in gone:
        close_run(store, store.run(run_id))
    return gone


def close_run(store: Store, run: Run) -> Run:
    """Record the end of a run that nobody measures any longer; the run as it is then."""
    ends = (each.started_ns + each.duration_ns for each in run.measurements)
    end = max(ends, default=run.started_ns)
    store.finish_run(run.id, status=RunStatus.INTERRUPTED, finished_ns=end, verdict=None)
    return replace(run, status=RunStatus.INTERRUPTED, finished_ns=end)


def as_it_is(run: Run, sut: Sut, machine_id: str) -> Run:
    """A run as it is shown: interrupted when it is of this host, and nobody measures it."""
    if run.status is not RunStatus.RUNNING or run.host.machine_id != machine_id:
        return run
    return run if is_measuring(sut, run.id) else replace(run, status=RunStatus.INTERRUPTED)
