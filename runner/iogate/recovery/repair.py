"""Is a history whole? And if not: it is put aside, and made anew from what can be read of it
and from the run folders."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from iogate.archive import Tally, keep
from iogate.engine.series_left import with_series
from iogate.errors import NewerError, RefusedError, RunError, StoreError, UsageError
from iogate.files.run_folder import read_run_document
from iogate.host.locks.host_lock import HeldError, host_lock
from iogate.model.decision import Decision
from iogate.model.document import run_from_document
from iogate.model.run import Run, RunStatus
from iogate.recovery.folders import Folders
from iogate.recovery.raw_results import raw_measurements
from iogate.store import open_kept, open_store, sqlite_path
from iogate.store.base import Store
from iogate.store.sqlite.head import NoHistoryError, may_be_history
from iogate.store.sqlite.repair import Part, is_damage, listed_runs, opened_copy, salvage, set_aside
from iogate.sut.base import Sut


@dataclass(slots=True)
class Findings:
    """``damage`` are sentences about what is broken, ``newer`` about what only a newer version
    can read; ``runs`` is how many could be read."""

    runs: int = 0
    damage: list[str] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Repaired:
    """Where the damaged history is now, and what the new one was made of. ``unreadable`` are
    run folders that gave no run; ``lost`` are sentences about what the damaged history names and
    the new one does not have."""

    aside: Path
    from_history: Tally
    from_folders: Tally
    folders: Folders
    unreadable: list[str]
    lost: list[str]


def verify(url: str | None) -> Findings:
    """Read everything. StoreError when the history cannot be opened for another reason than
    damage; UsageError for a named file that is not there."""
    findings = Findings()
    try:
        with closing(open_kept(url)) as store:
            findings.damage += store.check()
            for run_id in store.run_ids():
                _read(store, run_id, findings)
            store.decisions()
    except StoreError as error:
        if not is_damage(error):
            raise
        findings.damage.append(error.what)
    return findings


def _read(store: Store, run_id: str, findings: Findings) -> None:
    try:
        store.run(run_id)
        findings.runs += 1
    except StoreError as error:
        if isinstance(error.__cause__, NewerError):
            findings.newer.append(f"run {run_id}: {error.what}")
        elif is_damage(error):
            findings.damage.append(f"run {run_id}: {error.what}")
        else:
            raise


def repair(url: str | None, folders: Sequence[Path], sut: Sut) -> Repaired:
    """Put the history aside and make it anew. ``folders`` hold run folders, all of which are
    taken; of those in ./iogate-runs (without ``folders``), and beside the ones that the history
    names, its own. UsageError for a history on a server, which looks after itself;
    NoHistoryError for a file that never was one; RefusedError while a run measures, as it may
    be writing there."""
    path = sqlite_path(url)
    if path is None:
        raise UsageError(
            f"{url} is on a server, which has its own means of repair",
            remedy="restore it from a backup or an export: iogate history import FILE",
        )
    if not may_be_history(path):
        raise NoHistoryError(str(path))
    with _nobody_measures(sut):
        return _made_anew(url, path, folders)


@contextmanager
def _nobody_measures(sut: Sut) -> Iterator[None]:
    with ExitStack() as held:
        try:
            held.enter_context(host_lock(sut, "repair"))
        except HeldError as error:
            raise RefusedError(
                f"a history is not put aside while a run may write to it: {error.what}",
                remedy="repair it when that has ended",
            ) from None
        yield


def _made_anew(url: str | None, path: Path, folders: Sequence[Path]) -> Repaired:
    aside = set_aside(path)
    unreadable: list[str] = []
    known: dict[Path, None] = {}
    parts: dict[str, Part] = {}
    doubts: dict[str, None] = {}
    with closing(open_store(url)) as store, opened_copy(aside) as old:
        listed = listed_runs(old)
        chosen = Folders(path, folders, listed=frozenset(listed))
        from_history = keep(store, _salvaged(salvage(old, doubts), store, known, parts))
        there = frozenset(store.run_ids())
        made_anew = (_joined(run, parts) for run in _rebuilt(chosen.chosen([*known]), unreadable))
        from_folders = keep(store, _counted(made_anew, there, chosen))
        rest = frozenset(store.run_ids())
        from_history.added += store.add_runs(
            part.run for run_id, part in parts.items() if run_id not in rest
        )
        lost = [*_lost(store, listed, parts), *doubts]
    return Repaired(aside, from_history, from_folders, chosen, unreadable, lost)


def _joined(run: Run, parts: Mapping[str, Part]) -> Run:
    """The run of a folder. Of one that is damaged in the history, that has the say: only what
    it lost comes from the folder."""
    part = parts.get(run.id)
    if part is None:
        return run
    kept = {(each.case_id, each.repetition): each for each in part.run.measurements}
    measurements = [kept.pop((m.case_id, m.repetition), m) for m in run.measurements]
    measurements = sorted((*measurements, *kept.values()), key=lambda each: each.started_ns)
    known = run if part.run.status is RunStatus.RUNNING else part.run
    return replace(known, measurements=tuple(measurements))


def _lost(store: Store, listed: Iterable[str], parts: Mapping[str, Part]) -> Iterator[str]:
    there = frozenset(store.run_ids())
    for run_id in listed:
        if run_id not in there:
            yield f"run {run_id} cannot be read"
    for run_id, part in parts.items():
        run = store.run(run_id)
        names = {case.id: case.name for case in run.plan.cases}
        kept = {(each.case_id, each.repetition) for each in run.measurements}
        for case_id, repetition in part.lost:
            if (case_id, repetition) not in kept:
                name = names.get(case_id, case_id)
                yield f"repetition {repetition} of {name} in run {run_id} cannot be read"


def _counted(runs: Iterable[Run], there: Collection[str], folders: Folders) -> Iterator[Run]:
    for run in runs:
        if run.id not in there:
            folders.added[str(Path(run.folder).parent), run.plan.spec_name] += 1
        yield run


def _salvaged(
    items: Iterable[Run | Part | Decision | tuple[str, str]],
    store: Store,
    known: dict[Path, None],
    parts: dict[str, Part],
) -> Iterator[Run | Decision]:
    """What is whole. ``parts`` gets the runs that are not, ``known`` where run folders lie."""
    for item in items:
        if isinstance(item, tuple):
            store.set_setting(*item)
            continue
        run = item.run if isinstance(item, Part) else item
        if isinstance(run, Run) and run.folder:
            known.setdefault(Path(run.folder).parent)
        if isinstance(item, Part):
            parts[item.run.id] = item
        else:
            yield item


def _rebuilt(roots: Iterable[Path], unreadable: list[str]) -> Iterator[Run]:
    for root in roots:
        try:
            run = rebuild(root)
        except RunError as error:
            unreadable.append(f"{root}: {error.what}")
            continue
        if run.measurements or run.failures:  # else a history may have refused it at once
            yield run


def rebuild(root: Path) -> Run:
    """The run of a folder. One that was killed wrote no whole run.json: its repetitions are
    read from the engine's own results. RunError when the folder is of no run."""
    run = replace(run_from_document(read_run_document(root)), folder=str(root))
    if run.status is not RunStatus.RUNNING:
        return with_series(run, root)
    measured = raw_measurements(root, run.plan, [])
    return replace(run, measurements=tuple(measured), status=RunStatus.INTERRUPTED)
