"""What waits in the spool: runs, repetitions and verdicts, each with its points and its name."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Self

from iogate.metrics import Metric, plan_metrics
from iogate.model.measurement import Measurement
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.verdict import RunVerdict
from iogate.store.influx import points
from iogate.store.spool import Item


@dataclass(slots=True)
class Begun:
    """A run that repetitions are added to: which it has."""

    key: points.RunKey
    wanted: tuple[Metric, ...] = ()
    measured: set[tuple[str, int]] = field(default_factory=set)
    failed: set[tuple[str, int]] = field(default_factory=set)

    @classmethod
    def of(cls, run: Run) -> Self:
        """A run of which nothing is there yet."""
        return cls(points.run_key(run), plan_metrics(run.plan))


def items_of(run: Run, begun: Begun) -> Iterator[Item]:
    """A run with all that it holds, which ``begun`` has from then on."""
    yield Item(f"the start of run {run.id}", points.run_line(begun.key, run))
    for measurement in run.measurements:
        yield measurement_item(begun, measurement)
        begun.measured.add((measurement.case_id, measurement.repetition))
    for failure in run.failures:
        yield failure_item(begun, failure)
        begun.failed.add((failure.case_id, failure.repetition))
    if run.status is not RunStatus.RUNNING or run.verdict or run.finished_ns:
        yield verdict_item(begun, run.status, run.finished_ns, run.verdict)


def measurement_item(begun: Begun, measurement: Measurement) -> Item:
    """One repetition, behind those that the run has."""
    position = len(begun.measured)
    lines = points.measurement_lines(begun.key, measurement, position, begun.wanted)
    return Item(_name(begun, measurement), "\n".join(lines))


def failure_item(begun: Begun, failure: CaseFailure) -> Item:
    """A repetition that gave nothing."""
    line = points.failure_line(begun.key, failure, len(begun.failed))
    return Item(f"the failure of {_name(begun, failure)}", line)


def verdict_item(
    begun: Begun, status: RunStatus, finished_ns: int, verdict: RunVerdict | None
) -> Item:
    """How a run ended."""
    lines = points.verdict_lines(begun.key, status, finished_ns, verdict)
    return Item(f"the verdict of run {begun.key.id}", "\n".join(lines))


def _name(begun: Begun, of: Measurement | CaseFailure) -> str:
    case = begun.key.cases.get(of.case_id, of.case_id)
    return f"repetition {of.repetition} of {case} in run {begun.key.id}"
