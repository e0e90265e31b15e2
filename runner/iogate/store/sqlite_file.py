"""What writers of a SQLite file share: they wait for each other, and write all or nothing."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

_PAUSE_S = 0.01
_STEP_MS = 500


def write_ahead(db: sqlite3.Connection, busy_seconds: float) -> None:
    """Let readers go on while one writes. Changing to it takes an exclusive lock, for which
    SQLite does not always wait. sqlite3.Error when it cannot be had for so long."""
    _insist(db, "PRAGMA journal_mode = WAL", busy_seconds)


@contextmanager
def transaction(db: sqlite3.Connection, patience_s: float = 0) -> Iterator[sqlite3.Connection]:
    """One that begins with the lock of the writer; any error takes everything back. It is waited
    for as long as the connection waits, or for ``patience_s``."""
    try:
        _begin(db, patience_s)
        yield db
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:  # SQLite may have rolled back by itself
            with suppress(sqlite3.Error):  # the error that led here says more
                db.execute("ROLLBACK")
        raise


def _begin(db: sqlite3.Connection, patience_s: float) -> None:
    """With patience, SQLite itself waits in short steps: between them a signal is heard."""
    if not patience_s:
        db.execute("BEGIN IMMEDIATE")
        return
    (usual_ms,) = db.execute("PRAGMA busy_timeout").fetchone()
    db.execute(f"PRAGMA busy_timeout = {min(_STEP_MS, usual_ms)}")
    try:
        _insist(db, "BEGIN IMMEDIATE", patience_s)
    finally:
        db.execute(f"PRAGMA busy_timeout = {usual_ms}")


def _insist(db: sqlite3.Connection, statement: str, seconds: float) -> None:
    """Ask again, for so long, while another process holds the file."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            db.execute(statement)
            return
        except sqlite3.OperationalError as error:
            if primary_code(error) != "SQLITE_BUSY" or time.monotonic() > deadline:
                raise
            time.sleep(_PAUSE_S)


def primary_code(error: sqlite3.Error) -> str:
    """SQLITE_IOERR_WRITE → SQLITE_IOERR; empty where SQLite gave none."""
    name = getattr(error, "sqlite_errorname", None) or ""
    return "_".join(name.split("_")[:2])
