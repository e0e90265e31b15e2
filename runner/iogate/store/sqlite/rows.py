"""The rows of the SQLite history: how runs and repetitions go in, and come out again."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from iogate.errors import RunError
from iogate.metrics import Metric, kept_values
from iogate.model.codec import codec_of
from iogate.model.document import measurement_from_document, run_from_document, to_document
from iogate.model.measurement import Measurement
from iogate.model.night import RunFacts
from iogate.model.run import CaseFailure, Run
from iogate.model.steady import DevicePrecondition
from iogate.store.packing import pack_row, unpack
from iogate.store.run_facts import facts_document, facts_of

UNREADABLE = (RunError, zlib.error, ValueError, TypeError, KeyError)
"""What reading a row that was changed raises."""


def insert_run(db: sqlite3.Connection, run: Run, wanted: Sequence[Metric]) -> bool:
    """A run with all that it holds. One that is kept already stays as it is, and the answer
    is False."""
    bare = replace(run, measurements=(), failures=(), verdict=None)
    inserted = db.execute(
        "INSERT INTO runs (id, spec, host, machine_id, started_ns, finished_ns, status,"
        " outcome, ending, document, verdict, facts)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (
            run.id,
            run.plan.spec_name,
            run.host.name,
            run.host.machine_id,
            run.started_ns,
            run.finished_ns,
            run.status.value,
            run.verdict.outcome.value if run.verdict else None,
            run.verdict.ending if run.verdict else None,
            pack_row(to_document(bare)),
            pack_row(to_document(run.verdict)) if run.verdict else None,
            pack_row(facts_document(run)),
        ),
    )
    if not inserted.rowcount:
        return False
    for measurement in run.measurements:
        insert_measurement(db, run.id, measurement, wanted)
    for failure in run.failures:
        insert_failure(db, run.id, failure)
    return True


def replace_preconditions(
    db: sqlite3.Connection, run_id: str, preconditions: Sequence[DevicePrecondition]
) -> bool:
    """Whether the run was there. They are a part of its document, as in a whole run."""
    row = db.execute("SELECT document FROM runs WHERE id = ?", (run_id,)).fetchone()
    if row is None:
        return False
    run = replace(run_from_document(unpack(row[0])), preconditions=tuple(preconditions))
    db.execute("UPDATE runs SET document = ? WHERE id = ?", (pack_row(to_document(run)), run_id))
    return True


def facts_of_row(row: Sequence[Any]) -> RunFacts:
    """Of a row that begins with id and document and ends with facts; of a run that an
    earlier version kept, they are in its document."""
    if row[-1] is None:
        return facts_of(run_from_document(unpack(row[1])))
    facts: RunFacts = codec_of(RunFacts).decode(unpack(row[-1]))
    return facts


def insert_measurement(
    db: sqlite3.Connection, run_id: str, measurement: Measurement, wanted: Sequence[Metric]
) -> None:
    """The first writing counts; the same repetition again changes nothing."""
    document = to_document(measurement)
    series = [job.pop("series") for job in document["jobs"]]
    inserted = db.execute(
        "INSERT INTO measurements (run_id, case_id, repetition, position, document, series)"
        " SELECT ?1, ?2, ?3, count(*), ?4, ?5 FROM measurements WHERE run_id = ?1"
        " ON CONFLICT DO NOTHING",
        (
            run_id,
            measurement.case_id,
            measurement.repetition,
            pack_row(document),
            pack_row(series) if any(series) else None,
        ),
    )
    if inserted.rowcount:
        place = run_id, measurement.case_id, measurement.repetition
        if measurement.disturbed:  # no trend may ever see it
            return
        # Finite values only: SQLite would keep NaN as NULL.
        rows = [(*place, *each) for each in kept_values(measurement, wanted).items()]
        db.executemany("INSERT INTO metrics VALUES (?, ?, ?, ?, ?)", rows)


def insert_failure(db: sqlite3.Connection, run_id: str, failure: CaseFailure) -> None:
    """The first writing counts, as for a measurement."""
    db.execute(
        "INSERT INTO failures (run_id, case_id, repetition, position, reason, document)"
        " SELECT ?1, ?2, ?3, count(*), ?4, ?5 FROM failures WHERE run_id = ?1"
        " ON CONFLICT DO NOTHING",
        (
            run_id,
            failure.case_id,
            failure.repetition,
            failure.reason.encode("utf-8", "replace").decode(),  # the document has it as it is
            pack_row(codec_of(CaseFailure).encode(failure)),
        ),
    )


def failure_of_row(row: Sequence[Any]) -> CaseFailure:
    """Of a row of case, repetition, reason and document; an earlier version kept no document."""
    if row[3] is None:
        return CaseFailure(*row[:3])
    failure: CaseFailure = codec_of(CaseFailure).decode(unpack(row[3]))
    return failure


Place = tuple[str, int, int]
"""Case id, number and row of a repetition."""


def listed_repetitions(db: sqlite3.Connection, run_id: str) -> list[Place]:
    """Which repetitions a run has, by the index alone, as pages of the table may be damaged."""
    rows = db.execute(
        "SELECT case_id, repetition, rowid FROM measurements WHERE run_id = ?"
        " ORDER BY case_id, repetition",
        (run_id,),
    )
    return rows.fetchall()


def walked_repetitions(db: sqlite3.Connection) -> dict[str, list[Place]]:
    """The same by run and by the table alone, row for row, for an index that is damaged."""
    places: dict[str, list[Place]] = {}
    with suppress(sqlite3.Error):
        (last,) = db.execute("SELECT max(rowid) FROM measurements NOT INDEXED").fetchone()
        for number in range(1, (last or 0) + 1):
            with suppress(sqlite3.Error):
                row = db.execute(
                    "SELECT run_id, case_id, repetition, rowid FROM measurements NOT INDEXED"
                    " WHERE rowid = ?",
                    (number,),
                ).fetchone()
                if row:
                    places.setdefault(row[0], []).append(row[1:])
    return places


def readable_measurements(
    db: sqlite3.Connection, places: Sequence[Place]
) -> tuple[tuple[Measurement, ...], tuple[tuple[str, int], ...]]:
    """The repetitions that can be read, in the order in which they ran, and the others by case
    id and number."""
    readable, lost = [], []
    for case_id, repetition, number in places:
        try:
            row = db.execute(
                "SELECT position, document, series FROM measurements WHERE rowid = ?", (number,)
            ).fetchone()
            readable.append((row[0], read_measurement(*row[1:])))
        except (sqlite3.Error, *UNREADABLE):
            lost.append((str(case_id), int(repetition)))
    readable.sort(key=lambda placed: placed[0])
    return tuple(measurement for _, measurement in readable), tuple(lost)


def read_measurement(document: bytes, series: bytes | None) -> Measurement:
    """A repetition from its document and, if wanted, its time series."""
    parsed = unpack(document)
    if series is not None:
        for job, part in zip(parsed["jobs"], unpack(series), strict=True):
            job["series"] = part
    return measurement_from_document(parsed)
