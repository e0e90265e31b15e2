"""Metrics that count faults. A fault is no noise: of these the worst repetition counts, and one
that failed has a value too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from iogate.metrics.expression import parse_expression
from iogate.metrics.path import table_paths
from iogate.metrics.system import own_troubles
from iogate.model.run import CaseFailure
from iogate.model.spec import DefinedMetric

ERRORS = "errors"
KERNEL_ERRORS = "kernel_errors"
_JOB = "jobs."

Value = Callable[[CaseFailure], float | None]


def counts_faults(path: str, defined: tuple[DefinedMetric, ...] = ()) -> bool:
    """Whether a metric is a count of faults, or a spec's own that is made of nothing else."""
    return all(_is_fault(part) for part in table_paths(path, defined))


def failed_value(
    path: str, failure: CaseFailure, defined: tuple[DefinedMetric, ...] = ()
) -> float | None:
    """The value of such a metric in a repetition that failed; None for any other metric, and
    where the repetition says nothing about what is measured."""
    if not counts_faults(path, defined):
        return None
    own = next((each for each in defined if each.name == path), None)
    if own is None:
        return _value(path, failure)
    resolve: Any = lambda part: partial(_value, part)  # noqa: E731 - it takes a failure instead
    evaluate: Any = parse_expression(own.expression, resolve)
    value: float | None = evaluate(failure)
    return value


def _is_fault(path: str) -> bool:
    return path in (ERRORS, KERNEL_ERRORS) or _job_of(path) is not None


def _job_of(path: str) -> str | None:
    """The job of ``jobs.NAME.errors``."""
    if path.startswith(_JOB) and path.endswith(f".{ERRORS}"):
        return path[len(_JOB) : -len(ERRORS) - 1]
    return None


def _value(path: str, failure: CaseFailure) -> float | None:
    if path == KERNEL_ERRORS:
        return own_troubles(failure.kernel_log)
    if failure.faultless:
        return None
    told = {job: sum(counts.values()) for job, counts in failure.errors.items()}
    if not any(told.values()):
        return 1.0  # the engine crashed, or was stopped for its time: nobody counted
    job = _job_of(path)
    return float(sum(told.values()) if job is None else told.get(job, 0))
