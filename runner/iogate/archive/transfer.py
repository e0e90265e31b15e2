"""Out of a store and into another."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from iogate.archive.base import Item
from iogate.model.measurement import Measurement
from iogate.model.run import Run
from iogate.store.base import Store

_BATCH = 1000  # repetitions


@dataclass(slots=True)
class Tally:
    """What became of the items: runs that are new, that were kept already, that were kept
    with fewer repetitions and have the others now, and the ids of those that are kept
    otherwise and stayed so; decisions that are new."""

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
    """A run that is kept already: the same, cut off, or another of that id."""
    kept = store.run(run.id)
    if kept == run:
        tally.known += 1
        return
    have = {(m.case_id, m.repetition) for m in kept.measurements}
    for measurement in run.measurements:
        if (measurement.case_id, measurement.repetition) not in have:
            store.add_measurement(run.id, measurement)
    for failure in run.failures:
        store.add_failure(run.id, failure)
    if kept.verdict is None and kept.status != run.status:
        store.finish_run(
            run.id, status=run.status, finished_ns=run.finished_ns, verdict=run.verdict
        )
    if _same(store.run(run.id), run):
        tally.completed += 1
    else:
        tally.different.append(run.id)


def _same(one: Run, other: Run) -> bool:
    """Equal, in whatever order the repetitions were added."""
    return one == other or (
        sorted(one.measurements, key=_order) == sorted(other.measurements, key=_order)
        and one.verdict == other.verdict
        and one.status == other.status
        and (one.plan, one.host, one.started_ns) == (other.plan, other.host, other.started_ns)
    )


def _order(measurement: Measurement) -> tuple[str, int]:
    return measurement.case_id, measurement.repetition
