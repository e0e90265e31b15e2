"""A SQLite history that is damaged: known as such, put aside, and read as far as it can be."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import copyfile
from tempfile import TemporaryDirectory

from iogate.errors import NewerError, StoreError
from iogate.files.sqlite_head import is_database
from iogate.model.decision import Decision
from iogate.model.run import Run
from iogate.store.sqlite.head import NoHistoryError
from iogate.store.sqlite.rows import UNREADABLE
from iogate.store.sqlite.store import SqliteStore

_PARTS = ("", "-wal", "-shm")
_HEAD_BYTES = 100
_LARGEST_PAGE_BYTES = 65536  # written as 1
_MOST_LOST_BYTES = 1 << 40  # a head may be damaged, too
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
        with suppress(OSError):
            _lengthen(copy)
        store = _opened(str(copy))
        try:
            yield store
        finally:
            if store:
                store.close()


def _opened(copy: str) -> SqliteStore | None:
    """Of an older version it is brought up to date, if that can be."""
    for damaged in (False, True):
        with suppress(StoreError):
            store = SqliteStore(copy, damaged=damaged)
            store.listed_runs()
            return store
    return None


def _lengthen(path: Path) -> None:
    """Give a file that was cut off the length that its head tells, in empty pages: SQLite reads
    nothing of one that is too short."""
    with path.open("r+b") as file:
        head = file.read(_HEAD_BYTES)
        page_bytes, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
        whole = pages * (page_bytes if page_bytes > 1 else _LARGEST_PAGE_BYTES)
        length = file.seek(0, os.SEEK_END)
        if is_database(head) and length < whole <= length + _MOST_LOST_BYTES:
            file.truncate(whole)


def salvage(
    store: SqliteStore | None, doubts: dict[str, None]
) -> Iterator[Run | Part | Decision | tuple[str, str]]:
    """What can still be read of a damaged history: runs, whole or in part, decisions, and settings
    as (name, value). ``doubts`` gets a sentence for each list that cannot be read."""
    if store is None:
        doubts["which runs it held cannot be read"] = None
        return
    for run_id in listed_runs(store):
        with suppress(StoreError):
            run, lost = store.readable_run(run_id, doubts)
            yield Part(run, lost) if lost else run
    try:
        yield from store.decisions()
    except StoreError:
        doubts["what was decided on alerts cannot be read"] = None
    yield from _settings(store)


def listed_runs(store: SqliteStore | None) -> Sequence[str]:
    """The ids of the runs that a damaged history names, whether or not they can be read."""
    return store.listed_runs() if store else []


def _settings(store: SqliteStore) -> Iterator[tuple[str, str]]:
    with suppress(StoreError):
        value = store.setting("retention")
        if value is not None:
            yield "retention", value
