"""Runs as points of a trend, and the decisions on it, out of the SQLite tables.

Numbers come from the table ``metrics``, which holds what was kept when a repetition was
measured. Any other metric is taken from the documents, which costs milliseconds a run.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from iogate.metrics import Metric, is_kept_definition
from iogate.model.codec import codec_of
from iogate.model.decision import Decision
from iogate.model.measurement import Measurement
from iogate.model.night import Night, RunFacts
from iogate.store.base import NIGHTS
from iogate.store.median import night_of
from iogate.store.packing import pack, unpack
from iogate.store.question import Question, extracted_values

Samples = dict[str, dict[tuple[str, str], list[float]]]
MeasurementsOf = Callable[[str, Sequence[str]], Sequence[Measurement]]


def read_nights(
    db: sqlite3.Connection, question: Question, measurements_of: MeasurementsOf
) -> list[Night]:
    """The nights, oldest first. ``measurements_of`` gives those of some cases of a run."""
    in_order = sorted(_runs(db, question), key=lambda facts: (facts.started_ns, facts.run_id))
    samples = _kept(db, question, [facts.run_id for facts in in_order])
    for metric in question.extracted:
        runs = [facts.run_id for facts in in_order]
        missing = _without_value(db, metric, question.case_ids, runs)
        _add_extracted(metric, missing, samples, measurements_of)
    return [night_of(facts, samples[facts.run_id]) for facts in in_order]


def insert_decision(db: sqlite3.Connection, decision: Decision) -> None:
    """Keep a decision."""
    db.execute(
        "INSERT INTO decisions (alert, at_ns, document) VALUES (?, ?, ?)",
        (decision.alert, decision.at_ns, pack(codec_of(Decision).encode(decision))),
    )


def read_decisions(db: sqlite3.Connection) -> list[Decision]:
    """All decisions, in the order in which they were taken."""
    rows = db.execute("SELECT document FROM decisions ORDER BY at_ns, number").fetchall()
    return [codec_of(Decision).decode(unpack(row[0])) for row in rows]


def _runs(db: sqlite3.Connection, question: Question) -> Iterator[RunFacts]:
    rows = db.execute(
        "SELECT coalesce(facts, document), facts IS NULL, id, spec,"
        " coalesce(ending, outcome, status) FROM runs"
        " WHERE (?1 IS NULL OR machine_id = ?1 OR host = ?1)"
        " AND status IN (SELECT value FROM json_each(?2))"
        " AND EXISTS (SELECT 1 FROM measurements AS m WHERE m.run_id = runs.id"
        " AND m.case_id IN (SELECT value FROM json_each(?3)))"
        " ORDER BY started_ns DESC, id DESC",
        (
            question.host,
            json.dumps([status.value for status in NIGHTS]),
            json.dumps(list(question.case_ids)),
        ),
    )
    taken: Counter[str] = Counter()
    for blob, is_document, run_id, spec, ended in rows:
        document = unpack(blob)
        if is_document:
            document |= {"run_id": run_id, "spec": spec}
        facts: RunFacts = codec_of(RunFacts).decode(document)
        machine = facts.host.machine_id
        if facts.is_level and (question.limit is None or taken[machine] < question.limit):
            taken[machine] += 1
            yield replace(facts, ended=ended)


def _kept(db: sqlite3.Connection, question: Question, run_ids: Sequence[str]) -> Samples:
    paths = {metric.kept_as: metric.path for metric in question.metrics or ()}
    rows = db.execute(
        "SELECT run_id, case_id, metric, value FROM metrics"
        " WHERE case_id IN (SELECT value FROM json_each(?1))"
        " AND (?2 IS NULL OR metric IN (SELECT value FROM json_each(?2)))"
        " AND run_id IN (SELECT value FROM json_each(?3))"
        " ORDER BY case_id, metric, run_id",
        (
            json.dumps(list(question.case_ids)),
            None if question.metrics is None else json.dumps(list(paths)),
            json.dumps(list(run_ids)),
        ),
    )
    samples: Samples = {run_id: {} for run_id in run_ids}
    series = key = run = None
    samples_of_key: list[float] = []
    for run_id, case_id, kept_as, value in rows:  # very many: what a series shares is done once
        if series is None or series[1] != kept_as or series[0] != case_id:
            series, run = (case_id, kept_as), None
            # Without names there is no telling which definition is meant.
            unclear = question.metrics is None and is_kept_definition(kept_as)
            key = None if unclear else (case_id, paths.get(kept_as, kept_as))
        if key is None:
            continue
        if run_id == run:
            samples_of_key.append(value)
        else:
            run, samples_of_key = run_id, [value]
            samples[run_id][key] = samples_of_key
    return samples


def _without_value(
    db: sqlite3.Connection, metric: Metric, case_ids: Sequence[str], run_ids: Sequence[str]
) -> list[tuple[str, str]]:
    """(run, case) pairs that were measured and have no kept number of the metric."""
    return db.execute(
        "SELECT DISTINCT run_id, case_id FROM measurements"
        " WHERE case_id IN (SELECT value FROM json_each(?1))"
        " AND run_id IN (SELECT value FROM json_each(?2))"
        " AND (run_id, case_id) NOT IN (SELECT run_id, case_id FROM metrics WHERE metric = ?3)"
        " ORDER BY run_id",
        (json.dumps(list(case_ids)), json.dumps(list(run_ids)), metric.kept_as),
    ).fetchall()


def _add_extracted(
    metric: Metric,
    missing: Sequence[tuple[str, str]],
    samples: Samples,
    measurements_of: MeasurementsOf,
) -> None:
    """Fill in, from the documents, what was not kept as a number."""
    for run_id, group in groupby(missing, key=lambda row: row[0]):
        by_case: dict[str, list[float]] = defaultdict(list)
        measurements = measurements_of(run_id, [row[1] for row in group])
        for case_id, value in extracted_values(metric, measurements):
            by_case[case_id].append(value)
        for case_id, values in by_case.items():
            samples[run_id][case_id, metric.path] = values
