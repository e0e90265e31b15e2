"""Runs and repetitions out of the points.

Tags say little, as they must be few: which run a point is of is a field. So a question goes
by the time of the runs in question, and what else lies between is left out here.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from iogate.errors import StoreError
from iogate.model.codec import codec_of
from iogate.model.decision import Decision
from iogate.model.document import (
    RunReader,
    measurement_from_document,
    verdict_from_document,
)
from iogate.model.measurement import Measurement
from iogate.model.night import RunFacts
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import Outcome
from iogate.store.influx import points
from iogate.store.influx.line import named, quoted, where
from iogate.store.influx.packing import HISTOGRAMS, pattern, put_histograms, unpacked
from iogate.store.server import Row, Server

DOCUMENT = pattern("document")
_RUNS_AT_ONCE = 50
_MOST_CASES = 200  # in a query; beyond that all are read
_UNREADABLE = (zlib.error, ValueError, TypeError, KeyError)


@dataclass(frozen=True, slots=True)
class Known:
    """A run of which there is a beginning. ``status`` and ``outcome`` as far as it got."""

    id: str
    time_ns: int
    started_ns: int
    spec: str
    host: str
    machine_id: str
    status: RunStatus = RunStatus.RUNNING
    outcome: Outcome | None = None
    ending: str = ""
    finished_ns: int = 0

    @property
    def age(self) -> tuple[int, str]:
        """Sorts the oldest first."""
        return self.started_ns, self.id

    @property
    def ended(self) -> str:
        """What people are told of its outcome, or its status where it has none."""
        return self.ending or (self.outcome or self.status).value


def select(name: str, fields: Sequence[str], condition: str = "", group: Sequence[str] = ()) -> str:
    """A query. ``fields`` are written as they are."""
    by = f" GROUP BY {', '.join(named(tag) for tag in group)}" if group else ""
    return f"SELECT {', '.join(fields)} FROM {named(name)}{condition}{by}"  # noqa: S608


def span(runs: Collection[Known], tags: Mapping[str, str] | None = None) -> str:
    """A condition that holds for all points of these runs, and few others."""
    times = [run.time_ns for run in runs]
    machines = {run.machine_id for run in runs}
    place = {"machine": machines.pop()} if len(machines) == 1 else {}
    return where(place | dict(tags or {}), min(times), max(times))


def with_cases(condition: str, case_ids: Collection[str]) -> str:
    """The same for these cases alone, where they are few enough to be named."""
    if len(case_ids) > _MOST_CASES:
        return condition
    named_cases = " OR ".join(f'"case_id" = {quoted(case_id)}' for case_id in case_ids)
    return f"{condition} AND ({named_cases})"


def known_runs(server: Server) -> list[Known]:
    """All runs, with how they ended, in no order. StoreError when a newer iogate wrote here."""
    ends = {}
    of_end = ('"run"', '"status"', '"outcome"', '"ending"', '"finished_ns"')
    for row in server.query(select(points.VERDICT, of_end)):
        ends[row["run"]] = row
    of_start = ('"run"', '"started_ns"', '"schema"')
    rows = server.query(select(points.RUN, of_start, "", ("spec", "host", "machine")))
    return [_known(row, ends.get(row["run"])) for row in rows]


def _known(row: Row, end: Row | None) -> Known:
    schema = int(row.get("schema") or 0)
    if schema > points.SCHEMA:
        raise StoreError(
            f"the history has points of schema {schema}; this iogate knows {points.SCHEMA}",
            remedy="a newer iogate wrote there: update this one, or give another --store",
        )
    times = int(row["time"]), int(row["started_ns"])
    known = Known(row["run"], *times, row["spec"], row["host"], row["machine"])
    if end is None:
        return known
    return replace(
        known,
        status=RunStatus(end["status"]),
        outcome=Outcome(end["outcome"]) if end.get("outcome") else None,
        ending=end.get("ending") or "",
        finished_ns=int(end["finished_ns"]),
    )


def read_runs(server: Server, known: Sequence[Known], *, verdicts: bool = True) -> list[Run]:
    """The runs without measurements, in the same order. One that is not whole is left out. Some
    are asked for at a time: what a server may answer is bounded, and so is memory."""
    reader = RunReader()
    return [
        run
        for at in range(0, len(known), _RUNS_AT_ONCE)
        for run in _some_runs(server, known[at : at + _RUNS_AT_ONCE], reader, verdicts=verdicts)
    ]


def _some_runs(
    server: Server, known: Sequence[Known], reader: RunReader, *, verdicts: bool
) -> list[Run]:
    condition, ids = span(known), {run.id for run in known}
    begun = _documents(server, points.RUN, condition, ids)
    judged = _documents(server, points.VERDICT, condition, ids) if verdicts else {}
    failures = _failures(server, condition, ids)
    reached = _documents(server, points.RUN, condition, ids, "preconditions")
    return [
        replace(
            _with_preconditions(reader.read(begun[run.id]), reached.get(run.id)),
            status=run.status,
            finished_ns=run.finished_ns,
            failures=tuple(failures.get(run.id, ())),
            verdict=verdict_from_document(judged[run.id]) if run.id in judged else None,
        )
        for run in known
        if run.id in begun
    ]


def _with_preconditions(run: Run, documents: Any) -> Run:
    """Those that were kept after the run's start, where there are any."""
    if documents is None:
        return run
    decode = codec_of(DevicePrecondition).decode
    return replace(run, preconditions=tuple(decode(each) for each in documents))


def _documents(
    server: Server, name: str, condition: str, ids: Collection[str], field: str = "document"
) -> dict[str, Any]:
    documents = {}
    for row in server.query(select(name, ('"run"', pattern(field)), condition)):
        if row["run"] in ids and (document := unpacked(field, row)) is not None:
            documents[row["run"]] = document
    return documents


def read_facts(server: Server, known: Sequence[Known]) -> dict[str, RunFacts]:
    """What a trend has to know, by run."""
    if not known:
        return {}
    ids = {run.id for run in known}
    documents = _documents(server, points.RUN, span(known), ids, "facts")
    decode = codec_of(RunFacts).decode
    return {run_id: decode(document) for run_id, document in documents.items()}


def _failures(server: Server, condition: str, ids: Collection[str]) -> dict[str, list[CaseFailure]]:
    """Points of an earlier version have a reason alone."""
    fields = ('"run"', '"position"', '"reason"', DOCUMENT)
    rows = server.query(select(points.FAILURE, fields, condition, ("case_id", "repetition")))
    failures: dict[str, list[CaseFailure]] = {}
    for row in sorted((r for r in rows if r["run"] in ids), key=lambda r: int(r["position"])):
        document = unpacked("document", row)
        failure = (
            CaseFailure(row["case_id"], int(row["repetition"]), row["reason"])
            if document is None
            else codec_of(CaseFailure).decode(document)
        )
        failures.setdefault(row["run"], []).append(failure)
    return failures


def read_measurements(
    server: Server,
    known: Collection[Known],
    case_ids: Collection[str] | None = None,
    *,
    series: bool,
) -> dict[str, tuple[Measurement, ...]]:
    """By run, in the order in which they ran; runs without any are left out."""
    if not known or (case_ids is not None and not case_ids):
        return {}
    condition = span(known)
    if case_ids is not None:
        condition = with_cases(condition, case_ids)
    ids = {run.id for run in known}
    by_run: dict[str, list[tuple[int, Measurement]]] = {}
    over_time = _series(server, condition, ids) if series else {}
    for row in _repetitions(server, condition, ids, ('"position"', HISTOGRAMS, DOCUMENT)):
        document = unpacked("document", row)
        if document is not None and (case_ids is None or row["case_id"] in case_ids):
            put_histograms(document, row)
            parts = over_time.get(_identity(row)) or []
            for job, part in zip(document["jobs"], parts, strict=False):
                job["series"] = part
            placed = int(row["position"]), measurement_from_document(document)
            by_run.setdefault(row["run"], []).append(placed)
    return {
        run_id: tuple(measurement for _, measurement in sorted(several, key=lambda pair: pair[0]))
        for run_id, several in by_run.items()
    }


def _series(server: Server, condition: str, ids: Collection[str]) -> dict[tuple[str, ...], Any]:
    rows = _repetitions(server, condition, ids, (DOCUMENT,), points.SERIES)
    return {_identity(row): unpacked("document", row) for row in rows}


def _repetitions(
    server: Server,
    condition: str,
    ids: Collection[str],
    fields: Sequence[str],
    name: str = points.REPETITION,
) -> Iterator[Row]:
    group = ("case_id", "repetition")
    for row in server.query(select(name, ('"run"', *fields), condition, group)):
        if row["run"] in ids:
            yield row


def _identity(row: Row) -> tuple[str, ...]:
    return row["run"], row["case_id"], row["repetition"]


def repetitions(server: Server, name: str, run: Known) -> set[tuple[str, int]]:
    """Which repetitions of a run there are, or failures, by the measurement's ``name``."""
    rows = _repetitions(server, span([run]), {run.id}, ('"position"',), name)
    return {(row["case_id"], int(row["repetition"])) for row in rows}


def series_parts(server: Server, run: Known, case_id: str, repetition: int) -> int:
    """In how many fields the time series of a repetition are."""
    condition = span([run], {"case_id": case_id, "repetition": str(repetition)})
    rows = _repetitions(server, condition, {run.id}, ('"document_parts"',), points.SERIES)
    return max((int(row["document_parts"]) for row in rows), default=0)


def read_decisions(server: Server) -> list[Decision]:
    """All of them, in the order in which they were taken."""
    rows = server.query(select(points.DECISION, ('"at_ns"', '"taken_ns"', DOCUMENT)))
    ordered = sorted(rows, key=lambda row: (int(row["at_ns"]), int(row["taken_ns"])))
    documents = [unpacked("document", row) for row in ordered]
    return [codec_of(Decision).decode(each) for each in documents if each is not None]


def read_setting(server: Server, name: str) -> str | None:
    """What was last set."""
    row = _last_setting(server, name)
    setting = row and unpacked("value", row)
    return None if setting is None else str(setting)


def setting_ns(server: Server, name: str) -> int:
    """When it was last set, by the clock of then; 0 for never."""
    row = _last_setting(server, name)
    return int(row["time"]) if row else 0


def _last_setting(server: Server, name: str) -> Row | None:
    condition = where({"name": name}) + " ORDER BY time DESC LIMIT 1"
    return next(iter(server.query(select(points.SETTING, (pattern("value"),), condition))), None)
