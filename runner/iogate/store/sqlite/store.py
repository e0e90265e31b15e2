"""The default history: one SQLite file that several processes may use at once.

WAL lets readers go on while one writes; each write is one transaction, on disk before the
call returns (synchronous=FULL). Documents are JSON, the long ones compressed by zlib. Time
series are kept beside the rest of a measurement, as a baseline is read without them.
"""

from __future__ import annotations

import json
import shlex
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import islice
from pathlib import Path
from shutil import disk_usage
from typing import Any
from urllib.parse import unquote, urlsplit

from iogate.errors import RunError, StoreError, UsageError
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.metrics import Metric, plan_metrics
from iogate.model.decision import Decision
from iogate.model.document import run_from_document, to_document, verdict_from_document
from iogate.model.measurement import Measurement, Series
from iogate.model.night import Night, RunFacts
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict
from iogate.store.base import Delivery, is_accepted, is_baseline
from iogate.store.packing import pack_row as _pack
from iogate.store.packing import unpack as _unpack
from iogate.store.sqlite import upkeep
from iogate.store.sqlite.head import NoHistoryError, may_be_history
from iogate.store.sqlite.locks import primary_code, transaction, write_ahead
from iogate.store.sqlite.nights import Question, insert_decision, read_decisions, read_nights
from iogate.store.sqlite.rows import (
    Place,
    facts_of_row,
    failure_of_row,
    insert_failure,
    insert_measurement,
    insert_run,
    listed_repetitions,
    read_measurement,
    readable_measurements,
    replace_preconditions,
    walked_repetitions,
)
from iogate.store.sqlite.schema import migrate

BUSY_SECONDS = 30.0
_CACHE_KIB = 16_000  # a thousand repetitions are one transaction, and should be written once
_REMEDIES = {
    "SQLITE_FULL": "free some space (or a quota) there and run again; what was kept is intact",
    "SQLITE_IOERR": "see whether the disk is full or failing (dmesg); what was kept is intact",
    "SQLITE_CANTOPEN": "see that its folder exists and may be written, or give another --store",
    "SQLITE_READONLY": "make it and its folder writable (reading writes a journal there, too), or"
    " copy it and name the copy with --store",
    "SQLITE_BUSY": "another process holds it: wait for it, or end it, and run again",
    "SQLITE_LOCKED": "another process holds it: wait for it, or end it, and run again",
}
_OF_RUN = "SELECT id, document, verdict, status, finished_ns FROM runs"
_NO_SPACE_BYTES = 64 << 10  # a journal's index is 32 KiB
_DAMAGED = "put it aside, and make it anew from what is readable: iogate history verify --repair"


def connect(url: str) -> SqliteStore:
    """A store from ``sqlite:///absolute/path``, ``sqlite:relative/path`` or a bare path."""
    return SqliteStore(path_of(url))


def path_of(url: str) -> str:
    """The file that a URL names."""
    if not url.startswith("sqlite:"):
        return url
    parts = urlsplit(url)
    if parts.netloc or not parts.path or parts.query or parts.fragment:
        raise UsageError(
            f"the store {url!r} has no path that SQLite could use",
            remedy="write sqlite:///absolute/path/history.sqlite (three slashes), or only the path",
        )
    return unquote(parts.path)


class SqliteStore:
    """See ``store.base.Store``."""

    def __init__(
        self, path: str, *, busy_seconds: float = BUSY_SECONDS, damaged: bool = False
    ) -> None:
        """``damaged``: it is only to be read, as far as that goes, whatever its version."""
        place = Path(path).expanduser().absolute()
        self.path = str(place)
        self._closed = False
        self._walked: dict[str, list[Place]] | None = None
        self._wanted: dict[str, tuple[Metric, ...]] = {}  # by run: what its limits are on
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot make the folder of the history {self.path}: {error.strerror}",
                remedy="make it, or give another --store",
            ) from None
        with self._mapped():
            self._db = sqlite3.connect(self.path, timeout=busy_seconds, isolation_level=None)
        try:
            with self._mapped():
                self._configure(busy_seconds)
                if not damaged:
                    migrate(self._db, self.path)
                self._file = _identity(self.path)
        except BaseException:
            self._db.close()
            raise

    def begin_run(self, run: Run) -> None:
        self._wanted[run.id] = wanted = plan_metrics(run.plan)
        with self._transaction() as db:
            if not insert_run(db, run, wanted):
                raise StoreError(
                    f"the history {self.path} already has a run {run.id!r}",
                    remedy="a run is begun once",
                )

    def add_runs(self, runs: Iterable[Run]) -> int:
        with self._transaction() as db:
            return sum(insert_run(db, run, plan_metrics(run.plan)) for run in runs)

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        with self._transaction() as db:
            insert_measurement(db, run_id, measurement, self._wanted.get(run_id, ()))

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        with self._transaction() as db:
            insert_failure(db, run_id, failure)

    def keep_preconditions(self, run_id: str, found: Sequence[DevicePrecondition]) -> None:
        with self._transaction() as db, self._decoding():
            if not replace_preconditions(db, run_id, found):
                raise StoreError(
                    f"{self.path} has no run {run_id!r} to keep a precondition of",
                    remedy="it was removed while it ran: run again",
                )

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        outcome = verdict.outcome.value if verdict else None
        document = _pack(to_document(verdict)) if verdict else None
        with self._transaction() as db:
            changed = db.execute(
                "UPDATE runs SET status = ?, finished_ns = ?, outcome = ?, verdict = ?"
                " WHERE id = ?",
                (status.value, finished_ns, outcome, document, run_id),
            )
            if not changed.rowcount:
                raise StoreError(
                    f"{self.path} has no run {run_id!r} to finish",
                    remedy="it was removed while it ran: run again",
                )

    def run(self, run_id: str) -> Run:
        with self._mapped():
            rows = self._db.execute(
                f"{_OF_RUN} WHERE substr(id, 1, ?) = ? ORDER BY id != ?, started_ns DESC LIMIT 5",
                (len(run_id), run_id, run_id),
            ).fetchall()
            row = _only(rows, run_id, self.path)
            measurements = self._measurements(row[0], None, series=True)
            return replace(self._run(row), measurements=measurements)

    def readable_run(
        self, run_id: str, doubts: dict[str, None]
    ) -> tuple[Run, tuple[tuple[str, int], ...]]:
        """A run without those of its repetitions that cannot be read, and which these are, by
        case id and number. ``doubts`` gets what else may be missing. StoreError when the rest of
        it cannot be read."""
        with self._mapped():
            row = self._db.execute(f"{_OF_RUN} WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise self._unreadable(f"run {run_id} is only listed", self._damaged())
            measurements, lost = readable_measurements(self._db, self._places(run_id, doubts))
            try:
                run = self._run(row)
            except sqlite3.Error:
                doubts["which repetitions gave nothing cannot be read"] = None
                run = self._run_without_failures(row)
            return replace(run, measurements=measurements), lost

    def _places(self, run_id: str, doubts: dict[str, None]) -> Sequence[Place]:
        if self._walked is None:
            try:
                return listed_repetitions(self._db, run_id)
            except sqlite3.Error:
                self._walked = walked_repetitions(self._db)
        doubts["the list of repetitions cannot be read: some may be missing"] = None
        return self._walked.get(run_id, ())

    def runs(
        self, *, spec: str | None = None, host: str | None = None, limit: int | None = None
    ) -> Sequence[Run]:
        with self._mapped():
            rows = self._db.execute(
                f"{_OF_RUN}"
                " WHERE (?1 IS NULL OR spec = ?1)"
                " AND (?2 IS NULL OR machine_id = ?2 OR host = ?2)"
                " ORDER BY started_ns DESC, id DESC LIMIT ?3",
                (spec, host, -1 if limit is None else max(limit, 0)),
            )
            return [self._run(row) for row in rows.fetchall()]

    def baseline(
        self,
        case_ids: Sequence[str],
        *,
        machine_id: str,
        before_ns: int,
        window: int,
        comparable: Callable[[RunFacts], bool] | None = None,
    ) -> Sequence[Run]:
        with self._mapped():
            rows = self._db.execute(
                "SELECT id, document, verdict, status, finished_ns, outcome, facts FROM runs"
                " WHERE machine_id = ?1 AND started_ns < ?2"
                " AND EXISTS (SELECT 1 FROM measurements AS m WHERE m.run_id = runs.id"
                " AND m.case_id IN (SELECT value FROM json_each(?3)))"
                " ORDER BY started_ns DESC, id DESC",
                (machine_id, before_ns, json.dumps(list(case_ids))),
            )
            with self._decoding():
                fit = (
                    row
                    for row in rows
                    if is_accepted(RunStatus(row[3]), row[5])
                    and is_baseline(facts_of_row(row), comparable)
                )
                chosen = list(islice(fit, max(window, 0)))
            return [
                replace(
                    self._run(row[:5]),
                    measurements=self._measurements(row[0], case_ids, series=False),
                )
                for row in chosen
            ]

    def nights(
        self,
        case_ids: Sequence[str],
        *,
        metrics: Sequence[Metric] | None = None,
        host: str | None = None,
        limit: int | None = None,
    ) -> Sequence[Night]:
        with self._mapped(), self._decoding():
            return read_nights(
                self._db,
                Question(case_ids, metrics, host, limit),
                lambda run_id, cases: self._measurements(run_id, cases, series=True),
            )

    def add_decision(self, decision: Decision) -> None:
        with self._transaction() as db:
            insert_decision(db, decision)

    def decisions(self) -> Sequence[Decision]:
        with self._mapped(), self._decoding():
            return read_decisions(self._db)

    def run_ids(self) -> Sequence[str]:
        with self._mapped():
            return upkeep.run_ids(self._db)

    def listed_runs(self) -> Sequence[str]:
        """The id of every run that a damaged file names, whether or not it can be read."""
        with self._mapped():
            return upkeep.listed_runs(self._db)

    def unfinished(self, machine_id: str) -> Sequence[str]:
        with self._mapped():
            return upkeep.unfinished(self._db, machine_id)

    def replace_series(
        self, run_id: str, case_id: str, repetition: int, series: Sequence[Series | None]
    ) -> None:
        with self._transaction() as db:
            if not upkeep.replace_series(db, (run_id, case_id, repetition), series):
                raise StoreError(
                    f"{self.path} has no repetition {repetition} of {case_id} in run {run_id!r}",
                    remedy="it was removed meanwhile: nothing is left to do",
                )

    def setting(self, name: str) -> str | None:
        with self._mapped():
            return upkeep.setting(self._db, name)

    def set_setting(self, name: str, value: str | None) -> None:
        with self._transaction() as db:
            upkeep.set_setting(db, name, value)

    def check(self) -> Sequence[str]:
        with self._mapped():
            return upkeep.check(self._db)

    def compact(self) -> None:
        with self._mapped():
            self._db.execute("VACUUM")
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def sync(self, *, retry_refused: bool = False) -> Delivery:  # noqa: ARG002
        return Delivery()  # it is the local disk

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._db.close()

    def _configure(self, busy_seconds: float) -> None:
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, DOCUMENT_BYTES)
        self._db.execute("PRAGMA trusted_schema = OFF")
        self._db.execute("PRAGMA foreign_keys = ON")
        self._db.execute("PRAGMA synchronous = FULL")
        self._db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        write_ahead(self._db, busy_seconds)

    def _run(self, row: Sequence[Any]) -> Run:
        failures = self._db.execute(
            "SELECT case_id, repetition, reason, document FROM failures WHERE run_id = ?"
            " ORDER BY position",
            (row[0],),
        )
        with self._decoding():
            found = tuple(failure_of_row(failure) for failure in failures.fetchall())
        return replace(self._run_without_failures(row), failures=found)

    def _run_without_failures(self, row: Sequence[Any]) -> Run:
        _, document, verdict, status, finished_ns = row
        with self._decoding():
            return replace(
                run_from_document(_unpack(document)),
                status=RunStatus(status),
                finished_ns=finished_ns,
                verdict=verdict_from_document(_unpack(verdict)) if verdict else None,
            )

    def _measurements(
        self, run_id: str, case_ids: Sequence[str] | None, *, series: bool
    ) -> tuple[Measurement, ...]:
        rows = self._db.execute(
            "SELECT document, CASE WHEN ?3 THEN series END FROM measurements"
            " WHERE run_id = ?1"
            " AND (?2 IS NULL OR case_id IN (SELECT value FROM json_each(?2)))"
            " ORDER BY position",
            (run_id, None if case_ids is None else json.dumps(list(case_ids)), series),
        )
        with self._decoding():
            return tuple(read_measurement(*row) for row in rows.fetchall())

    @contextmanager
    def _transaction(self) -> Iterator[sqlite3.Connection]:
        with self._mapped(), transaction(self._db):
            self._refuse_moved()
            yield self._db

    def _refuse_moved(self) -> None:
        """SQLite itself would go on writing into a file that was put aside."""
        if _identity(self.path) != self._file:
            raise StoreError(
                f"the history {self.path} was put aside or replaced by another process",
                remedy="do it again: it then goes into the one that is there now",
            )

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        """The one place where SQLite's errors become ours."""
        if self._closed:
            raise StoreError(f"the history {self.path} is closed", remedy="open it again")
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f"the history {self.path} refuses this: {error}",
                remedy="a run is begun once, and before its measurements are added",
            ) from error
        except OverflowError as error:
            raise StoreError(
                f"the history {self.path} refuses this: a number is too large for it: {error}",
                remedy="it was changed after it was measured: leave it out",
            ) from error
        except sqlite3.Error as error:
            if primary_code(error) == "SQLITE_NOTADB" and not may_be_history(Path(self.path)):
                raise NoHistoryError(self.path) from error
            raise StoreError(
                f"the history {self.path} cannot be used: {error}",
                remedy=self._remedy(primary_code(error)),
            ) from error

    def _remedy(self, code: str) -> str:
        with suppress(OSError):
            place = Path(self.path)
            if place.exists() and not place.is_file():
                return "it is no file: name one with --store, such as --store history.sqlite"
            if code == "SQLITE_CANTOPEN" and place.exists():  # its journal cannot be
                return _REMEDIES["SQLITE_READONLY"]
        if code == "SQLITE_IOERR":  # also what SQLite says of a disk too full for its journals
            with suppress(OSError):
                if disk_usage(Path(self.path).parent).free < _NO_SPACE_BYTES:
                    return f"its disk is full: {_REMEDIES['SQLITE_FULL']}"
        return _REMEDIES.get(code, self._damaged())

    def _damaged(self) -> str:
        return f"{_DAMAGED} --store {shlex.quote(self.path)}"

    @contextmanager
    def _decoding(self) -> Iterator[None]:
        """Around all that turns rows back into values: a row may have been tampered with."""
        try:
            yield
        except RunError as error:
            raise self._unreadable(error.what, error.remedy) from error
        except (zlib.error, ValueError, TypeError, KeyError) as error:
            raise self._unreadable(str(error), self._damaged()) from error

    def _unreadable(self, why: str, remedy: str) -> StoreError:
        return StoreError(
            f"the history {self.path} holds something unreadable: {why}", remedy=remedy
        )


def _identity(path: str) -> tuple[int, int] | None:
    """Which file a name stands for now."""
    with suppress(OSError):
        found = Path(path).stat()
        return found.st_dev, found.st_ino
    return None


def _only(rows: Sequence[Any], run_id: str, path: str) -> Any:
    if not rows:
        raise UsageError(
            f"{path} has no run {run_id!r}", remedy="list them with: iogate history list"
        )
    if len(rows) > 1 and rows[0][0] != run_id:
        raise UsageError(
            f"{run_id!r} is the beginning of several runs: {', '.join(row[0] for row in rows)}",
            remedy="give more of its id",
        )
    return rows[0]
