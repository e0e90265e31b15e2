"""Out of a store and into another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from iogate.archive.base import Item
from iogate.engine.series_left import with_kept
from iogate.model.document import to_document
from iogate.model.run import Run, RunStatus
from iogate.store.base import Store

_BATCH = 1000  # repetitions


@dataclass(slots=True)
class Tally:
    """What became of the items: runs that are new, that were kept already, that were kept
    with fewer repetitions or without their end and have them now, and the ids of those that
    are kept otherwise and stayed so; decisions that are new."""

    added: int = 0
    known: int = 0
    completed: int = 0
    different: list[str] = field(default_factory=list)
    decisions: int = 0


def read_history(store: Store, *, run_ids: Collection[str] | None = None) -> Iterator[Item]:
    """Every run, oldest first, then every decision. ``run_ids`` limits it to some runs, and
    then no decisions are among them, as those are about trends of all."""
    for run_id in store.run_ids():
        if run_ids is None or run_id in run_ids:
            yield store.run(run_id)
    if run_ids is None:
        yield from store.decisions()


def keep(store: Store, items: Iterable[Item]) -> Tally:
    """Put items into a store. What is there already stays: an import may be repeated, and
    one that was cut off goes on. When the items end with an error, those before it are kept."""
    tally = Tally()
    batch = _Batch(store, set(store.run_ids()))
    decided = list(store.decisions())
    try:
        for item in items:
            if isinstance(item, Run):
                _keep_run(item, batch, tally)
            elif item not in decided:
                store.add_decision(item)
                decided.append(item)
                tally.decisions += 1
    finally:
        tally.added += batch.flush()
    return tally


@dataclass(slots=True)
class _Batch:
    """Runs that go into the store together, and the ids of those that are there."""

    store: Store
    known: set[str]
    waiting: dict[str, Run] = field(default_factory=dict)
    size: int = 0

    def add(self, run: Run) -> int:
        """The answer is how many were written now, as that of ``flush`` is."""
        self.waiting[run.id] = run
        self.size += max(len(run.measurements), 1)
        return self.flush() if self.size >= _BATCH else 0

    def flush(self) -> int:
        added = self.store.add_runs(self.waiting.values()) if self.waiting else 0
        self.known |= self.waiting.keys()
        self.waiting.clear()
        self.size = 0
        return added


def _keep_run(run: Run, batch: _Batch, tally: Tally) -> None:
    if run.id in batch.waiting:
        tally.added += batch.flush()
    if run.id in batch.known:
        _reconcile(batch.store, run, tally)
        return
    tally.added += batch.add(run)


def _reconcile(store: Store, run: Run, tally: Tally) -> None:
    """A run that is kept already: the same, cut off, or another of that id, which stays as
    it is."""
    kept = store.run(run.id)
    run = with_kept(run, kept)
    if kept == run or _is_same(kept, run):
        tally.known += 1
    elif _goes_on(kept, run):
        _complete(store, kept, run)
        tally.completed += 1
    else:
        tally.different.append(run.id)


def _is_same(kept: Run, run: Run) -> bool:
    """Equal but for the folder and the order in which repetitions were added."""
    return (
        _beginning(kept) == _beginning(run)
        and kept.preconditions == run.preconditions
        and _repetitions(kept) == _repetitions(run)
        and set(kept.failures) == set(run.failures)
        and _end(kept) == _end(run)
    )


def _goes_on(kept: Run, run: Run) -> bool:
    """Whether a run has all of the one that is kept, and more: repetitions, or its end."""
    there = _repetitions(run)
    return (
        _beginning(kept) == _beginning(run)
        and kept.preconditions in ((), run.preconditions)
        and (_end(kept) == _end(run) or _ends(kept, run))
        and all(there.get(which) == each for which, each in _repetitions(kept).items())
        and set(kept.failures) <= set(run.failures)
    )


def _ends(kept: Run, run: Run) -> bool:
    """Whether a run ended of which the one that is kept only says that it began, or that
    nobody measures it any longer."""
    if kept.status is RunStatus.RUNNING:
        return run.status is not RunStatus.RUNNING
    return kept.status is RunStatus.INTERRUPTED and not kept.verdict and bool(run.verdict)


def _complete(store: Store, kept: Run, run: Run) -> None:
    have = _repetitions(kept)
    if kept.preconditions != run.preconditions:
        store.keep_preconditions(run.id, run.preconditions)
    for measurement in run.measurements:
        if (measurement.case_id, measurement.repetition) not in have:
            store.add_measurement(run.id, measurement)
    for failure in run.failures:
        store.add_failure(run.id, failure)
    if _end(kept) != _end(run):
        store.finish_run(
            run.id, status=run.status, finished_ns=run.finished_ns, verdict=run.verdict
        )


# Documents are compared, as a NaN is no equal of itself.


def _beginning(run: Run) -> dict[str, Any]:
    """What is known of a run when it begins. Its folder is where it lies, not what it is."""
    bare = replace(run, measurements=(), failures=(), verdict=None, folder="", preconditions=())
    return to_document(replace(bare, status=RunStatus.RUNNING, finished_ns=0))


def _repetitions(run: Run) -> dict[tuple[str, int], dict[str, Any]]:
    return {(each.case_id, each.repetition): to_document(each) for each in run.measurements}


def _end(run: Run) -> tuple[RunStatus, int, dict[str, Any] | None]:
    return run.status, run.finished_ns, to_document(run.verdict) if run.verdict else None
