"""What becomes of a run that has been measured, however far: judged, written, kept."""

from __future__ import annotations

import shlex
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from iogate import exits
from iogate.errors import ExitCode, IogateError, StoreError
from iogate.files.run_folder import RunFolder
from iogate.history.baseline import Baseline
from iogate.history.judging import baseline_for, judge_run
from iogate.history.killed import close_killed, take_ended
from iogate.history.retention import apply_policy
from iogate.model.run import Run, RunStatus
from iogate.model.verdict import UNJUDGED, Outcome, RunVerdict
from iogate.run.ending import Ending, in_words
from iogate.store import Store
from iogate.sut.base import Sut


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that ended, by itself or not, and what it was compared with."""

    run: Run
    baseline: tuple[Run, ...]
    folder: RunFolder
    notes: tuple[str, ...] = ()  # what people should know of the history
    errors: tuple[BaseException, ...] = ()  # what kept it from its end

    @property
    def exit_code(self) -> ExitCode:
        """As the verdict says, which knows of every fault."""
        return exits.of_run(self.run.verdict)


def finish(begun: Ending, sut: Sut | None) -> Finished:
    """Judged, written and kept, each as far as it can be. A run that ended before it measured
    anything (its status is still that of the beginning) has failed. ``sut`` tells whether other
    runs of its have been killed; None for a machine that is off."""
    store, folder = begun.store, begun.folder
    folder.use_room()
    if begun.run.status is RunStatus.RUNNING:
        begun.run = replace(begun.run, status=RunStatus.FAILED)
    none: tuple[Baseline, tuple[str, ...]] = (Baseline(), ("judged without a baseline",))
    baseline, notes = begun.attempt(lambda: baseline_for(begun.run, store), none)
    begun.notes.extend(notes)
    unjudged = RunVerdict(Outcome.INCONCLUSIVE, int(exits.of_run(None)), "").because(UNJUDGED)
    plain = begun.attempt(lambda: judge_run(begun.run, store, baseline), unjudged)
    begun.run = replace(begun.run, finished_ns=time.time_ns(), verdict=begun.judged(plain))
    begun.attempt(lambda: folder.write_run(begun.run), None)
    if begun.entered:
        begun.attempt(lambda: _keep(begun), None)
    begun.notes.extend(_left_out(begun))
    with suppress(StoreError):  # the run is kept; the next one tries again
        apply_policy(store, now_ns=begun.run.finished_ns)
        begun.notes.extend(_closed(store, sut, begun.run.host.machine_id) if sut else ())
    told = begun.judged(plain)
    if told != begun.run.verdict:  # it could not be kept
        begun.run = replace(begun.run, verdict=told)
        folder.write_run_again(begun.run)
    return Finished(begun.run, baseline.runs, folder, tuple(begun.notes), tuple(begun.errors))


def with_fault(finished: Finished, error: BaseException, store: Store | None) -> Finished:
    """The same of a run of which a report could not be made: its results are not all kept. Its
    documents and its history say so, as far as they can be written."""
    run, errors = finished.run, (*finished.errors, error)
    if run.verdict is not None:
        code = exits.with_faults(finished.exit_code, [error])
        whole = run.status is RunStatus.COMPLETE
        run = replace(run, verdict=run.verdict.after(in_words(error), int(code), whole=whole))
    finished.folder.write_run_again(run)
    if store is not None:
        with suppress(IogateError):  # it may never have been entered there
            _end(store, run)
            store.sync()
    return replace(finished, run=run, errors=errors)


def _left_out(begun: Ending) -> Iterator[str]:
    """How a run comes into the history that had no room for all of it."""
    if begun.run.measurements and any(isinstance(each, StoreError) for each in begun.errors):
        folder = shlex.quote(str(begun.folder.root))
        yield (
            f"the history lacks a part of this run, and its folder has it: iogate history import"
            f" {folder} puts it there, once there is room (with the --store of the run)"
        )


def _closed(store: Store, sut: Sut, machine_id: str) -> Iterator[str]:
    """Other runs that had no end in the history, and have one now."""
    for each in take_ended(store, sut, machine_id):
        yield f"run {each[:12]} is whole in the history now, from its folder: it had no room there"
    for each in close_killed(store, sut, machine_id):
        yield f"run {each[:12]} was killed: its end is recorded"


def _keep(begun: Ending) -> None:
    run = begun.run
    if run.preconditions:  # again: of a device that did not become steady, say
        begun.store.keep_preconditions(run.id, run.preconditions)
    _end(begun.store, run)
    begun.notes.extend(begun.store.sync().notes)


def _end(store: Store, run: Run) -> None:
    store.finish_run(run.id, status=run.status, finished_ns=run.finished_ns, verdict=run.verdict)
