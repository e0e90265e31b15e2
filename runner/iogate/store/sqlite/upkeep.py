"""Looking after a SQLite history: thinner time series, settings, a look for damage."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection, Sequence
from contextlib import suppress

from iogate.model.codec import codec_of
from iogate.model.measurement import Series
from iogate.model.run import RunStatus
from iogate.store.packing import pack_row

_MOST_PROBLEMS = 20
_OF_RUNS = (
    """DELETE FROM metrics WHERE run_id IN (SELECT value FROM json_each(?1)) AND case_id IN (
        SELECT DISTINCT case_id FROM measurements
        WHERE run_id IN (SELECT value FROM json_each(?1)))""",
    "DELETE FROM measurements WHERE run_id IN (SELECT value FROM json_each(?1))",
    "DELETE FROM failures WHERE run_id IN (SELECT value FROM json_each(?1))",
)
"""What removes all that belongs to some runs, but for themselves."""


def run_ids(db: sqlite3.Connection) -> list[str]:
    """See ``store.base.Store.run_ids``."""
    return [row[0] for row in db.execute("SELECT id FROM runs ORDER BY started_ns, id")]


def listed_runs(db: sqlite3.Connection) -> list[str]:
    """The id of every run that any part of a damaged file names."""
    listed: dict[str, None] = {}
    for question in (
        "SELECT id FROM runs INDEXED BY runs_by_start ORDER BY started_ns, id",
        "SELECT id FROM runs INDEXED BY runs_by_machine ORDER BY machine_id, started_ns",
        "SELECT run_id FROM measurements ORDER BY run_id",
        "SELECT id FROM runs NOT INDEXED",
    ):
        with suppress(sqlite3.Error):
            for (run_id,) in db.execute(question):
                if isinstance(run_id, str):
                    listed.setdefault(run_id)
    return list(listed)


def unfinished(db: sqlite3.Connection, machine_id: str) -> list[str]:
    """See ``store.base.Store.unfinished``."""
    rows = db.execute(
        "SELECT id FROM runs WHERE machine_id = ? AND status = ? ORDER BY started_ns, id",
        (machine_id, RunStatus.RUNNING.value),
    )
    return [row[0] for row in rows]


def remove_runs(db: sqlite3.Connection, run_ids: Collection[str]) -> int:
    """See ``store.base.Store.remove_runs``. To be called where references are not followed
    (``HistoryFile.removal``): numbers are looked up by case, so that SQLite would go through all
    nights of a case for each repetition that goes."""
    asked = (json.dumps(list(run_ids)),)
    for statement in _OF_RUNS:
        db.execute(statement, asked)
    removed = db.execute("DELETE FROM runs WHERE id IN (SELECT value FROM json_each(?1))", asked)
    return removed.rowcount


def replace_series(
    db: sqlite3.Connection, repetition: tuple[str, str, int], series: Sequence[Series | None]
) -> bool:
    """Whether the repetition (run id, case id, number) was there."""
    encode = codec_of(Series).encode
    documents = [None if each is None else encode(each) for each in series]
    changed = db.execute(
        "UPDATE measurements SET series = ? WHERE run_id = ? AND case_id = ? AND repetition = ?",
        (pack_row(documents) if any(documents) else None, *repetition),
    )
    return changed.rowcount > 0


def setting(db: sqlite3.Connection, name: str) -> str | None:
    """See ``store.base.Store.setting``."""
    row = db.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def set_setting(db: sqlite3.Connection, name: str, value: str | None) -> None:
    """See ``store.base.Store.set_setting``."""
    if value is None:
        db.execute("DELETE FROM settings WHERE name = ?", (name,))
    else:
        db.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


def check(db: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with its pages, indices and references."""
    rows = db.execute(f"PRAGMA integrity_check({_MOST_PROBLEMS})").fetchall()
    troubles = [f"SQLite says: {row[0]}" for row in rows if row[0] != "ok"]
    strays = db.execute("PRAGMA foreign_key_check").fetchall()
    return troubles + [f"{table}: row {row} belongs to no run" for table, row, *_ in strays]
