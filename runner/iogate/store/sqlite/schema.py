"""The tables of the SQLite history, and how an older file is brought up to date."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

from iogate.errors import StoreError
from iogate.store.sqlite_file import transaction

# Never change a migration that was released: add one. Number n brings a file from version
# n-1 to n, and all that are due run in one transaction.
MIGRATIONS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE runs (
            id TEXT PRIMARY KEY,
            spec TEXT NOT NULL,
            host TEXT NOT NULL,
            machine_id TEXT NOT NULL,
            started_ns INTEGER NOT NULL,
            finished_ns INTEGER NOT NULL,
            status TEXT NOT NULL,
            outcome TEXT,
            document BLOB NOT NULL,
            verdict BLOB
        ) WITHOUT ROWID""",
        "CREATE INDEX runs_by_start ON runs (started_ns)",
        "CREATE INDEX runs_by_machine ON runs (machine_id, started_ns)",
        """CREATE TABLE measurements (
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            case_id TEXT NOT NULL,
            repetition INTEGER NOT NULL,
            position INTEGER NOT NULL,
            document BLOB NOT NULL,
            series BLOB,
            PRIMARY KEY (run_id, case_id, repetition)
        )""",
        "CREATE INDEX measurements_by_case ON measurements (case_id, run_id)",
        """CREATE TABLE metrics (
            run_id TEXT NOT NULL,
            case_id TEXT NOT NULL,
            repetition INTEGER NOT NULL,
            metric TEXT NOT NULL,
            value REAL NOT NULL,
            PRIMARY KEY (case_id, metric, run_id, repetition),
            FOREIGN KEY (run_id, case_id, repetition)
                REFERENCES measurements (run_id, case_id, repetition) ON DELETE CASCADE
        ) WITHOUT ROWID""",
        "CREATE INDEX metrics_by_run ON metrics (run_id, case_id, repetition)",
        """CREATE TABLE failures (
            run_id TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
            case_id TEXT NOT NULL,
            repetition INTEGER NOT NULL,
            position INTEGER NOT NULL,
            reason TEXT NOT NULL,
            PRIMARY KEY (run_id, case_id, repetition)
        )""",
    ),
    (
        # Host, revision and environment alone: a trend reads hundreds of runs, and a plan
        # of a thousand cases with each would take it seconds. NULL: read the document.
        "ALTER TABLE runs ADD COLUMN facts BLOB",
        """CREATE TABLE decisions (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            alert TEXT NOT NULL,
            at_ns INTEGER NOT NULL,
            document BLOB NOT NULL
        )""",
    ),
    (
        # What holds for the history itself, such as how long its time series stay whole.
        """CREATE TABLE settings (
            name TEXT PRIMARY KEY,
            value TEXT NOT NULL
        ) WITHOUT ROWID""",
    ),
    (
        # Numbers are looked up by case; this repeated the whole of their key. (The version
        # also says that short documents are no longer compressed.)
        "DROP INDEX metrics_by_run",
    ),
    (
        # What a failed repetition tells beside its reason. NULL: nothing.
        "ALTER TABLE failures ADD COLUMN document BLOB",
    ),
    (
        # What people are told of the outcome: a pass may have judged nothing. NULL: the outcome.
        "ALTER TABLE runs ADD COLUMN ending TEXT",
    ),
)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Bring the file to the current version. Raises StoreError for a file of a newer
    version, or of another program; two processes may do this at once."""
    if _version(connection, path) == len(MIGRATIONS):
        return
    with transaction(connection):
        version = _version(connection, path)  # again: another process may have been quicker
        for number in range(version + 1, len(MIGRATIONS) + 1):
            for statement in MIGRATIONS[number - 1]:
                connection.execute(statement)
            connection.execute(
                "INSERT INTO schema_version (version, applied_ns) VALUES (?, ?)",
                (number, time.time_ns()),
            )


def is_older(path: Path) -> bool:
    """Whether opening the file as a history would change it. This look does not; a file that
    is none at all is not older."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return _version(connection, str(path)) < len(MIGRATIONS)
    except (sqlite3.Error, StoreError):
        return False


_ADDED = (
    "SELECT 'something', name FROM sqlite_master"
    " WHERE type NOT IN ('table', 'index') OR sql LIKE 'create%virtual%'"
    " UNION ALL SELECT 'a column', column.name"
    " FROM sqlite_master AS master JOIN pragma_table_xinfo(master.name) AS column"
    " WHERE master.type = 'table' AND (column.hidden OR column.dflt_value IS NOT NULL) LIMIT 1"
)
"""What no history has: views, triggers, virtual tables, columns whose values stand in no row."""


def check_plain(connection: sqlite3.Connection, path: str) -> None:
    """StoreError for a file that could do as it likes while it is read: it comes from elsewhere. A
    column that is computed, or has a default, makes much of each row of a small file."""
    added = connection.execute(_ADDED).fetchone()
    if added:
        raise StoreError(
            f"{path} is not a history of iogate's: it has {added[0]} called {str(added[1])[:80]!r}",
            remedy="give another path to --store; nothing was changed in this one",
        )


def _version(connection: sqlite3.Connection, path: str) -> int:
    """The file's version, 0 when it is new. Creates the version table inside a transaction."""
    check_plain(connection, path)
    tables = {row[0] for row in connection.execute("SELECT name FROM sqlite_master")}
    if "schema_version" not in tables:
        if tables:
            raise StoreError(
                f"{path} is a SQLite database of another program",
                remedy="give another path to --store; nothing was changed in this one",
            )
        if connection.in_transaction:
            connection.execute(
                "CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_ns INTEGER)"
            )
        return 0
    row = connection.execute("SELECT max(version) FROM schema_version").fetchone()
    version = int(row[0] or 0)
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{path} has schema version {version}; this iogate knows up to {len(MIGRATIONS)}",
            remedy="it was written by a newer iogate: update this one, or give another --store",
        )
    return version
