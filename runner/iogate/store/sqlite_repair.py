"""A SQLite history that is damaged: known as such, put aside, and read as far as it can be."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from iogate.errors import NewerError, StoreError
from iogate.model.decision import Decision
from iogate.model.run import Run
from iogate.store.sqlite import SqliteStore
from iogate.store.sqlite_head import NoHistoryError
from iogate.store.sqlite_rows import UNREADABLE

_PARTS = ("", "-wal", "-shm")
_DAMAGE = ("SQLITE_CORRUPT", "SQLITE_NOTADB")


@dataclass(frozen=True, slots=True)
class Part:
    """What can be read of a damaged run. ``lost`` are its other repetitions, each by case id and
    number."""

    run: Run
    lost: tuple[tuple[str, int], ...]


def is_damage(error: StoreError) -> bool:
    """Whether an error means that what is kept was changed or cut off: not that it is in use,
    out of reach, of another kind, or written by a newer version."""
    if isinstance(error, NoHistoryError):
        return False
    cause = error.__cause__
    if isinstance(cause, sqlite3.Error):
        return str(getattr(cause, "sqlite_errorname", "")).startswith(_DAMAGE)
    return isinstance(cause, UNREADABLE) and not isinstance(cause, NewerError)


def set_aside(path: Path) -> Path:
    """Rename a history, with its journals, to a name that says what it is, and give that."""
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
    aside = path.with_name(f"{path.name}.damaged-{stamp}")
    while aside.exists():
        aside = aside.with_name(f"{aside.name}x")
    for part in _PARTS:
        with suppress(FileNotFoundError):
            Path(f"{path}{part}").rename(f"{aside}{part}")
    return aside


@contextmanager
def opened_copy(aside: Path) -> Iterator[SqliteStore | None]:
    """A copy of a history that was put aside, which stays as it is; None when not even its
    beginning can be read."""
    with TemporaryDirectory(prefix="iogate-salvage-") as folder:
        copy = Path(folder) / "history.sqlite"
        for part in _PARTS:
            with suppress(FileNotFoundError):
                copyfile(f"{aside}{part}", f"{copy}{part}")
        store: SqliteStore | None = None
        with suppress(StoreError):
            store = SqliteStore(str(copy))
        try:
            yield store
        finally:
            if store:
                store.close()


def salvage(store: SqliteStore | None) -> Iterator[Run | Part | Decision | tuple[str, str]]:
    """What can still be read of a damaged history: runs, whole or in part, decisions, and settings
    as (name, value)."""
    if store is None:
        return
    for run_id in listed_runs(store):
        with suppress(StoreError):
            run, lost = store.readable_run(run_id)
            yield Part(run, lost) if lost else run
    with suppress(StoreError):
        yield from store.decisions()
    yield from _settings(store)


def listed_runs(store: SqliteStore | None) -> list[str]:
    """The ids of the runs that a damaged history names, whether or not they can be read."""
    with suppress(StoreError):
        return list(store.run_ids()) if store else []
    return []


def _settings(store: SqliteStore) -> Iterator[tuple[str, str]]:
    with suppress(StoreError):
        value = store.setting("retention")
        if value is not None:
            yield "retention", value
