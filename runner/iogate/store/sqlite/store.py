"""The default history: one SQLite file that several processes may use at once.

WAL lets readers go on while one writes; each write is one transaction, on disk before the
call returns (synchronous=FULL). Documents are JSON, the long ones compressed by zlib. Time
series are kept beside the rest of a measurement, as a baseline is read without them.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any
from urllib.parse import unquote, urlsplit

from iogate.errors import StoreError, UsageError
from iogate.metrics import Metric, plan_metrics
from iogate.model.decision import Decision
from iogate.model.document import RunReader, to_document, verdict_from_document
from iogate.model.measurement import Measurement, Series
from iogate.model.night import Night, RunFacts
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict
from iogate.store.base import Delivery, is_accepted, is_baseline
from iogate.store.packing import pack_row as _pack
from iogate.store.packing import unpack as _unpack
from iogate.store.question import Question
from iogate.store.sqlite import upkeep
from iogate.store.sqlite.history_file import HistoryFile, can_be_frozen
from iogate.store.sqlite.nights import insert_decision, read_decisions, read_nights
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

BUSY_SECONDS = 30.0
_OF_RUN = "SELECT id, document, verdict, status, finished_ns FROM runs"
_WITHOUT_VERDICT = "SELECT id, document, NULL, status, finished_ns FROM runs"


def connect(url: str) -> SqliteStore:
    """A store from ``sqlite:///absolute/path``, ``sqlite:relative/path`` or a bare path."""
    return SqliteStore(path_of(url))


def connect_frozen(url: str, error: StoreError) -> SqliteStore | None:
    """The same of a file that could not be opened, to be read as it stands, where no more than its
    journal stood in the way. What would write raises ``error``."""
    path = path_of(url)
    return SqliteStore(path, frozen=error) if can_be_frozen(path, error) else None


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
        self,
        path: str,
        *,
        busy_seconds: float = BUSY_SECONDS,
        damaged: bool = False,
        frozen: StoreError | None = None,
    ) -> None:
        """``damaged``: it is only to be read, as far as that goes, whatever its version.
        ``frozen``: it is only to be read, as it stands, for this reason."""
        self._file = HistoryFile(path, busy_seconds, damaged=damaged, frozen=frozen)
        self.path = self._file.path
        self._walked: dict[str, list[Place]] | None = None
        self._wanted: dict[str, tuple[Metric, ...]] = {}  # by run: what its limits are on
        self._reader = RunReader()

    def begin_run(self, run: Run) -> None:
        self._wanted[run.id] = wanted = plan_metrics(run.plan)
        with self._file.transaction(patient=True) as db:
            if not insert_run(db, run, wanted):
                raise StoreError(
                    f"the history {self.path} already has a run {run.id!r}",
                    remedy="a run is begun once",
                )

    def add_runs(self, runs: Iterable[Run]) -> int:
        with self._file.transaction(patient=True) as db:
            return sum(insert_run(db, run, plan_metrics(run.plan)) for run in runs)

    def add_measurement(self, run_id: str, measurement: Measurement) -> None:
        with self._file.transaction(patient=True) as db:
            insert_measurement(db, run_id, measurement, self._wanted.get(run_id, ()))

    def add_failure(self, run_id: str, failure: CaseFailure) -> None:
        with self._file.transaction(patient=True) as db:
            insert_failure(db, run_id, failure)

    def keep_preconditions(self, run_id: str, preconditions: Sequence[DevicePrecondition]) -> None:
        with self._file.transaction(patient=True) as db, self._file.decoding():
            if not replace_preconditions(db, run_id, preconditions):
                raise StoreError(
                    f"{self.path} has no run {run_id!r} to keep a precondition of",
                    remedy="it was removed while it ran: run again",
                )

    def finish_run(
        self, run_id: str, *, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
    ) -> None:
        outcome = verdict.outcome.value if verdict else None
        ending = verdict.ending if verdict else None
        document = _pack(to_document(verdict)) if verdict else None
        with self._file.transaction(patient=True) as db:
            changed = db.execute(
                "UPDATE runs SET status = ?, finished_ns = ?, outcome = ?, ending = ?,"
                " verdict = ? WHERE id = ?",
                (status.value, finished_ns, outcome, ending, document, run_id),
            )
            if not changed.rowcount:
                raise StoreError(
                    f"{self.path} has no run {run_id!r} to finish",
                    remedy="it was removed while it ran: run again",
                )

    def remove_runs(self, run_ids: Collection[str]) -> int:
        with self._file.removal() as db:
            return upkeep.remove_runs(db, run_ids)

    def run(self, run_id: str) -> Run:
        with self._file.using():
            rows = self._file.db.execute(
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
        with self._file.using():
            row = self._file.db.execute(f"{_OF_RUN} WHERE id = ?", (run_id,)).fetchone()
            if row is None:
                raise self._file.unreadable(f"run {run_id} is only listed")
            measurements, lost = readable_measurements(self._file.db, self._places(run_id, doubts))
            try:
                run = self._run(row)
            except sqlite3.Error:
                doubts["which repetitions gave nothing cannot be read"] = None
                run = self._run_without_failures(row)
            return replace(run, measurements=measurements), lost

    def _places(self, run_id: str, doubts: dict[str, None]) -> Sequence[Place]:
        if self._walked is None:
            try:
                return listed_repetitions(self._file.db, run_id)
            except sqlite3.Error:
                self._walked = walked_repetitions(self._file.db)
        doubts["the list of repetitions cannot be read: some may be missing"] = None
        return self._walked.get(run_id, ())

    def runs(
        self,
        *,
        spec: str | None = None,
        host: str | None = None,
        limit: int | None = None,
        verdicts: bool = True,
    ) -> Sequence[Run]:
        with self._file.using():
            rows = self._file.db.execute(
                f"{_OF_RUN if verdicts else _WITHOUT_VERDICT}"
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
        with self._file.using():
            rows = self._file.db.execute(
                "SELECT id, document, verdict, status, finished_ns, outcome, facts FROM runs"
                " WHERE machine_id = ?1 AND started_ns < ?2"
                " AND EXISTS (SELECT 1 FROM measurements AS m WHERE m.run_id = runs.id"
                " AND m.case_id IN (SELECT value FROM json_each(?3)))"
                " ORDER BY started_ns DESC, id DESC",
                (machine_id, before_ns, json.dumps(list(case_ids))),
            )
            with self._file.decoding():
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
        with self._file.using(), self._file.decoding():
            return read_nights(
                self._file.db,
                Question(case_ids, metrics, host, limit),
                lambda run_id, cases: self._measurements(run_id, cases, series=True),
            )

    def add_decision(self, decision: Decision) -> None:
        with self._file.transaction() as db:
            insert_decision(db, decision)

    def decisions(self) -> Sequence[Decision]:
        with self._file.using(), self._file.decoding():
            return read_decisions(self._file.db)

    def run_ids(self) -> Sequence[str]:
        with self._file.using():
            return upkeep.run_ids(self._file.db)

    def listed_runs(self) -> Sequence[str]:
        """The id of every run that a damaged file names, whether or not it can be read."""
        with self._file.using():
            return upkeep.listed_runs(self._file.db)

    def unfinished(self, machine_id: str) -> Sequence[str]:
        with self._file.using():
            return upkeep.unfinished(self._file.db, machine_id)

    def replace_series(
        self, run_id: str, case_id: str, repetition: int, series: Sequence[Series | None]
    ) -> None:
        with self._file.transaction() as db:
            if not upkeep.replace_series(db, (run_id, case_id, repetition), series):
                raise StoreError(
                    f"{self.path} has no repetition {repetition} of {case_id} in run {run_id!r}",
                    remedy="it was removed meanwhile: nothing is left to do",
                )

    def setting(self, name: str) -> str | None:
        with self._file.using():
            return upkeep.setting(self._file.db, name)

    def set_setting(self, name: str, value: str | None) -> None:
        with self._file.transaction() as db:
            upkeep.set_setting(db, name, value)

    def check(self) -> Sequence[str]:
        with self._file.using():
            return upkeep.check(self._file.db)

    def compact(self) -> None:
        with self._file.using():
            self._file.db.execute("VACUUM")
            self._file.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def sync(self, *, retry_refused: bool = False) -> Delivery:  # noqa: ARG002
        return Delivery()  # it is the local disk

    def close(self) -> None:
        self._file.close()

    def _run(self, row: Sequence[Any]) -> Run:
        failures = self._file.db.execute(
            "SELECT case_id, repetition, reason, document FROM failures WHERE run_id = ?"
            " ORDER BY position",
            (row[0],),
        )
        with self._file.decoding():
            case_failures = tuple(failure_of_row(failure) for failure in failures.fetchall())
        return replace(self._run_without_failures(row), failures=case_failures)

    def _run_without_failures(self, row: Sequence[Any]) -> Run:
        _, document, verdict, status, finished_ns = row
        with self._file.decoding():
            return replace(
                self._reader.read(_unpack(document)),
                status=RunStatus(status),
                finished_ns=finished_ns,
                verdict=verdict_from_document(_unpack(verdict)) if verdict else None,
            )

    def _measurements(
        self, run_id: str, case_ids: Sequence[str] | None, *, series: bool
    ) -> tuple[Measurement, ...]:
        rows = self._file.db.execute(
            "SELECT document, CASE WHEN ?3 THEN series END FROM measurements"
            " WHERE run_id = ?1"
            " AND (?2 IS NULL OR case_id IN (SELECT value FROM json_each(?2)))"
            " ORDER BY position",
            (run_id, None if case_ids is None else json.dumps(list(case_ids)), series),
        )
        with self._file.decoding():
            return tuple(read_measurement(*row) for row in rows.fetchall())


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
