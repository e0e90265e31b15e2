"""What is written: runs, repetitions, verdicts and decisions as points.

A point is identified by its measurement, its tags and its time; the time is that of the run,
so writing a point again changes nothing. docs/history.md lists all of this for people who
query it; the two are changed together.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from iogate.metrics import Metric, kept_metrics, metric
from iogate.model.codec import codec_of
from iogate.model.decision import Decision
from iogate.model.document import to_document
from iogate.model.measurement import Measurement, Series
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.model.verdict import RunVerdict, ThresholdVerdict
from iogate.store.influx.line import FieldValue, is_key, line, point
from iogate.store.influx.line import series as start_of
from iogate.store.influx.packing import packed, part_names, take_histograms
from iogate.store.run_facts import facts_document

RUN = "iogate_run"
VERDICT = "iogate_verdict"
THRESHOLD = "iogate_threshold"
REPETITION = "iogate_repetition"
SERIES = "iogate_series"
INTERVAL = "iogate_interval"
FAILURE = "iogate_failure"
DECISION = "iogate_decision"
SETTING = "iogate_setting"
SCHEMA = 1

_SECOND = 10**9
_MS = 10**6


@dataclass(frozen=True, slots=True)
class RunKey:
    """What is needed of a run to write points of it. ``cases`` maps ids to names."""

    id: str
    time_ns: int
    spec: str
    host: str
    machine_id: str
    cases: Mapping[str, str]

    @property
    def tags(self) -> dict[str, str]:
        return {"spec": self.spec, "host": self.host, "machine": self.machine_id}

    def case_tags(self, case_id: str) -> dict[str, str]:
        return self.tags | {"case": self.cases.get(case_id, case_id), "case_id": case_id}

    def repetition_tags(self, case_id: str, repetition: int) -> dict[str, str]:
        return self.case_tags(case_id) | {"repetition": str(repetition)}


def time_of(at_ns: int, identity: str) -> int:
    """A time within the same second that is one's own: tags must be few, so two runs of a
    host that start together are told apart by it. It would take two that start in the same
    second, and then a chance of one in 10⁹, to mistake one for the other."""
    digest = hashlib.sha256(identity.encode()).digest()
    return at_ns // _SECOND * _SECOND + int.from_bytes(digest[:8], "big") % _SECOND


def run_key(run: Run) -> RunKey:
    """The key of a run."""
    cases = run.plan.names
    time_ns = time_of(run.started_ns, run.id)
    return RunKey(run.id, time_ns, run.plan.spec_name, run.host.name, run.host.machine_id, cases)


def run_line(key: RunKey, run: Run) -> str:
    """A run as it starts."""
    bare = replace(run, measurements=(), failures=(), verdict=None)
    facts = {f"env.{name}": str(value) for name, value in run.environment.items()}
    fields: dict[str, FieldValue] = {
        "schema": SCHEMA,
        "run": run.id,
        "started_ns": run.started_ns,
        "commit": run.revision.commit,
        "subject": run.revision.subject,
        "branch": run.revision.branch,
        "label": run.revision.label,
        "cases": len(run.plan.cases),
        **{name: value for name, value in facts.items() if is_key(name)},
        **packed("facts", facts_document(run)),
        **packed("document", to_document(bare)),
    }
    return line(RUN, key.tags, fields, key.time_ns)


def precondition_line(key: RunKey, preconditions: Sequence[DevicePrecondition]) -> str:
    """More of a run's own point: what its devices were brought to, which comes after its start."""
    encode = codec_of(DevicePrecondition).encode
    documents = [encode(each) for each in preconditions]
    return line(RUN, key.tags, {"run": key.id, **packed("preconditions", documents)}, key.time_ns)


def verdict_lines(
    key: RunKey, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
) -> Iterator[str]:
    """How a run ended: one point, and one for each of its limits."""
    fields: dict[str, FieldValue] = {
        "run": key.id,
        "status": status.value,
        "finished_ns": finished_ns,
        "outcome": verdict.outcome.value if verdict else "",
        "ending": verdict.ending if verdict else "",
        "sentence": verdict.sentence if verdict else "",
        **packed("document", to_document(verdict) if verdict else None),
    }
    if verdict:
        fields["exit_code"] = int(verdict.exit_code)
    yield line(VERDICT, key.tags, fields, key.time_ns)
    for judged in verdict.thresholds if verdict else ():
        yield _threshold_line(key, judged)


def _threshold_line(key: RunKey, judged: ThresholdVerdict) -> str:
    threshold = judged.threshold
    tags = key.case_tags(judged.case_id) | {
        "metric": threshold.metric,
        "limit": threshold.limit.text,
        "level": threshold.level.value,
    }
    numbers = {name: getattr(judged, name) for name in ("value", "baseline", "change")}
    fields: dict[str, FieldValue] = {
        "run": key.id,
        "outcome": judged.outcome.value,
        "reason": judged.reason,
        **{name: float(n) for name, n in numbers.items() if n is not None and math.isfinite(n)},
    }
    return line(THRESHOLD, tags, fields, key.time_ns)


def measurement_lines(
    key: RunKey, measurement: Measurement, position: int, wanted: tuple[Metric, ...]
) -> Iterator[str]:
    """A repetition: its numbers, histograms and document in one point, and its time series. The
    arm of a comparison is a tag, so that a graph keeps one apart from the other."""
    document = _without_series(measurement)
    histograms = take_histograms(document)
    fields: dict[str, FieldValue] = {
        "run": key.id,
        "position": position,
        "measured_ns": measurement.started_ns,
        **_metric_fields(measurement, wanted),
        **histograms,
        **packed("document", document),
    }
    tags = key.repetition_tags(measurement.case_id, measurement.repetition)
    arm = {"arm": measurement.arm} if measurement.arm else {}
    yield line(REPETITION, {**tags, **arm}, fields, key.time_ns)
    if any(job.series for job in measurement.jobs):
        yield from series_lines(key, measurement)


def _without_series(measurement: Measurement) -> dict[str, Any]:
    jobs = tuple(replace(job, series=None) for job in measurement.jobs)
    return to_document(replace(measurement, jobs=jobs))


def _metric_fields(measurement: Measurement, wanted: tuple[Metric, ...]) -> dict[str, float]:
    """Finite values only: there is no other number in a field. What a spec defines is there by
    its name for graphs, and by its definition for trends. What was disturbed has none: neither
    a graph nor a trend is to show it."""
    if measurement.disturbed:
        return {}
    kept = {path: metric(path) for path in kept_metrics([measurement])}
    fields = {}
    for path, each in (kept | {each.path: each for each in wanted}).items():
        value = each.extract(measurement)
        if value is not None and math.isfinite(value) and is_key(path):
            fields[path] = fields[each.kept_as] = float(value)
    return fields


def series_lines(key: RunKey, measurement: Measurement, old_parts: int = 0) -> Iterator[str]:
    """The time series of a repetition: exactly, and as points for graphs. Parts of an
    earlier writing that are too many are emptied."""
    tags = key.repetition_tags(measurement.case_id, measurement.repetition)
    encode = codec_of(Series).encode
    series = [encode(job.series) if job.series else None for job in measurement.jobs]
    fields: dict[str, FieldValue] = {
        "run": key.id,
        **packed("document", series if any(series) else None),
    }
    for name in part_names("document", old_parts):
        fields.setdefault(name, "")
    yield line(SERIES, tags, fields, key.time_ns)
    for job in measurement.jobs:
        if job.series:
            yield from _interval_lines(key, {**tags, "job": job.name}, measurement, job.series)


def lasted_ns(measurement: Measurement) -> int:
    """Until the end of its last interval."""
    ends = [each.end_ms for job in measurement.jobs if job.series for each in job.series.intervals]
    return max(ends, default=0) * _MS


def _interval_lines(
    key: RunKey, tags: Mapping[str, str], measurement: Measurement, series: Series
) -> Iterator[str]:
    """Rates and mean latencies, at the time when they were measured."""
    before_ms, of_series = 0, start_of(INTERVAL, tags)
    for interval in series.intervals:
        seconds = (interval.end_ms - before_ms) / 1000
        before_ms = interval.end_ms
        fields: dict[str, FieldValue] = {"run": key.id}
        for direction, ios in interval.ios.items():
            if seconds > 0:
                fields[f"{direction}.iops"] = ios / seconds
                fields[f"{direction}.bw"] = interval.bytes.get(direction, 0) / seconds
            if ios and direction in interval.clat_sum_ns:
                fields[f"{direction}.clat.mean"] = interval.clat_sum_ns[direction] / ios
        yield point(of_series, fields, measurement.started_ns + interval.end_ms * _MS)


def failure_line(key: RunKey, failure: CaseFailure, position: int) -> str:
    """A repetition that gave nothing."""
    tags = key.repetition_tags(failure.case_id, failure.repetition)
    fields: dict[str, FieldValue] = {
        "run": key.id,
        "position": position,
        "reason": failure.reason,
        **packed("document", codec_of(CaseFailure).encode(failure)),
    }
    return line(FAILURE, tags, fields, key.time_ns)


def decision_line(decision: Decision, taken_ns: int) -> str:
    """What a person decided. ``taken_ns`` orders those with the same time."""
    document = codec_of(Decision).encode(decision)
    fields: dict[str, FieldValue] = {
        "at_ns": decision.at_ns,
        "taken_ns": taken_ns,
        "alert": decision.alert,
        "action": decision.action.value,
        "author": decision.author,
        "reason": decision.reason,
        **packed("document", document),
    }
    tags = {"spec": decision.spec, "machine": decision.machine_id}
    identity = json.dumps(document, sort_keys=True)
    return line(DECISION, tags, fields, time_of(decision.at_ns, identity))


def setting_line(name: str, value: str | None, at_ns: int) -> str:
    """What was set under a name; the newest counts."""
    return line(SETTING, {"name": name}, packed("value", value), at_ns)
