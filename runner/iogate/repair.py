"""Is a history whole? And if not: it is put aside, and made anew from what can be read of it
and from the run folders."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path

from iogate.archive import Tally, keep
from iogate.errors import NewerError, RunError, StoreError, UsageError
from iogate.folder import read_run_document
from iogate.model.decision import Decision
from iogate.model.document import run_from_document
from iogate.model.run import Run, RunStatus
from iogate.raw_results import raw_measurements
from iogate.repair_folders import Folders
from iogate.store import open_kept, open_store, sqlite_path
from iogate.store.base import Store
from iogate.store.sqlite_head import NoHistoryError, may_be_history
from iogate.store.sqlite_repair import (
    is_damage,
    listed_runs,
    opened_copy,
    salvage,
    set_aside,
)


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
    run folders that gave no run."""

    aside: Path
    from_history: Tally
    from_folders: Tally
    folders: Folders
    unreadable: list[str]


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


def repair(url: str | None, folders: Sequence[Path]) -> Repaired:
    """Put the history aside and make it anew. ``folders`` hold run folders, all of which are
    taken; of those in ./iogate-runs (without ``folders``), and beside the ones that the history
    names, its own. UsageError for a history on a server, which looks after itself;
    NoHistoryError for a file that never was one."""
    path = sqlite_path(url)
    if path is None:
        raise UsageError(
            f"{url} is on a server, which has its own means of repair",
            remedy="restore it from a backup or an export: iogate history import FILE",
        )
    if not may_be_history(path):
        raise NoHistoryError(str(path))
    aside = set_aside(path)
    unreadable: list[str] = []
    known: dict[Path, None] = {}
    with closing(open_store(url)) as store, opened_copy(aside) as old:
        chosen = Folders(path, folders, listed=frozenset(listed_runs(old)))
        from_history = keep(store, _salvaged(old, store, known))
        there = frozenset(store.run_ids())
        new = _counted(_rebuilt(chosen.chosen([*known]), unreadable), there, chosen)
        from_folders = keep(store, new)
    return Repaired(aside, from_history, from_folders, chosen, unreadable)


def _counted(runs: Iterable[Run], there: Collection[str], folders: Folders) -> Iterator[Run]:
    for run in runs:
        if run.id not in there:
            folders.added[str(Path(run.folder).parent), run.plan.spec_name] += 1
        yield run


def _salvaged(old: Store | None, store: Store, known: dict[Path, None]) -> Iterator[Run | Decision]:
    for item in salvage(old):
        if isinstance(item, tuple):
            store.set_setting(*item)
            continue
        if isinstance(item, Run) and item.folder:
            known.setdefault(Path(item.folder).parent)
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
        return run
    found = raw_measurements(root, run.plan, [])
    return replace(run, measurements=tuple(found), status=RunStatus.INTERRUPTED)
