"""A history as one table, for spreadsheets and data frames.

A run is a row with its document, then a row with the document of each repetition, then a row
a metric of it: those are to be read, and everything is in the documents.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, replace
from typing import Any

from iogate.archive.base import (
    HEADER,
    Count,
    Item,
    check_header,
    decision_document,
    decision_from_document,
)
from iogate.errors import UsageError
from iogate.files.bounded import parse_json
from iogate.metrics import kept_values, metric
from iogate.model.decision import Decision
from iogate.model.document import measurement_from_document, run_from_document, to_document
from iogate.model.measurement import Measurement
from iogate.model.run import Run

COLUMNS = (
    "kind", "run", "started_ns", "spec", "host", "commit", "outcome", "case_id", "case",
    "repetition", "arm", "metric", "value", "unit", "document",
)  # fmt: skip
Row = dict[str, Any]


def to_rows(items: Iterable[Item]) -> Iterator[Row]:
    """Rows with a value, or None, for each of COLUMNS."""
    empty: Row = dict.fromkeys(COLUMNS)
    count = Count()
    yield empty | {"kind": "history", "document": _text(HEADER)}
    for item in count.counted(items):
        if isinstance(item, Run):
            yield from (empty | row for row in _run_rows(item))
        else:
            yield empty | {"kind": "decision", "document": _text(decision_document(item))}
    yield empty | {"kind": "end", "document": _text(asdict(count))}


def from_rows(rows: Iterable[Mapping[str, Any]]) -> Iterator[Item]:
    """Their inverse. Only the kind and the document of a row are read; UsageError or RunError
    for those that are not what they should be."""
    count, rest = Count(), iter(rows)
    first = next(rest, {})
    check_header(_parsed(first["document"]) if first.get("kind") == "history" else None)
    run: Run | None = None
    measured: list[Measurement] = []
    end: object = None
    for row in rest:
        kind, document = row.get("kind"), row.get("document")
        if kind == "measurement" and run:
            measured.append(measurement_from_document(_parsed(document)))
        elif kind != "metric":
            yield from count.counted([_with(run, measured)] if run else [])
            measured = []
            run = run_from_document(_parsed(document)) if kind == "run" else None
            end = _parsed(document) if kind == "end" else None
            yield from count.counted(_decisions(str(kind), document))
    count.check(end)


def _with(run: Run, measured: Iterable[Measurement]) -> Run:
    return replace(run, measurements=(*run.measurements, *measured))


def _decisions(kind: str, document: object) -> Iterator[Decision]:
    """The decision of a row of that kind; UsageError for a kind that nobody knows."""
    if kind == "decision":
        yield decision_from_document(_parsed(document))
    elif kind not in ("run", "end"):
        raise UsageError(
            f"a row is of the kind {kind[:40]!r}",
            remedy="the table was changed, or written by a newer iogate",
        )


def _run_rows(run: Run) -> Iterator[Row]:
    common = {
        "run": run.id,
        "started_ns": run.started_ns,
        "spec": run.plan.spec_name,
        "host": run.host.name,
        "commit": run.revision.commit,
        "outcome": run.verdict.outcome.value if run.verdict else None,
    }
    bare = to_document(replace(run, measurements=()))
    yield common | {"kind": "run", "document": _text(bare)}
    names = {case.id: case.name for case in run.plan.cases}
    for measurement in run.measurements:
        of_it = common | {
            "case_id": measurement.case_id,
            "case": names.get(measurement.case_id),
            "repetition": measurement.repetition,
            "arm": measurement.arm or None,
        }
        document = _text(to_document(measurement))
        yield of_it | {"kind": "measurement", "document": document}
        for row in _metric_rows(measurement):
            yield of_it | row


def _metric_rows(measurement: Measurement) -> Iterator[Row]:
    """None of a repetition that was disturbed: a table is read without looking at documents."""
    if measurement.disturbed:
        return
    for path, value in kept_values(measurement).items():
        yield {"kind": "metric", "metric": path, "value": value, "unit": metric(path).unit.value}


def _text(document: Mapping[str, Any]) -> str:
    """ASCII, so that no tool on the way can damage it."""
    return json.dumps(document, allow_nan=False, separators=(",", ":"))


def _parsed(document: object) -> Any:
    try:
        return parse_json(document if isinstance(document, str) else "")
    except ValueError:
        raise UsageError(
            "the document of a row is not JSON",
            remedy="the table was changed or cut off after it was written: export again",
        ) from None
