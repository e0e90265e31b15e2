"""Workloads whose jobs wait for each other: one case, though they never run together."""

from __future__ import annotations

from collections.abc import Iterable

from iogate.model.plan import Case

_NO = ("", "0")


def waiting_workloads(cases: Iterable[Case]) -> tuple[str, ...]:
    """Names of the workloads in which a job begins when an earlier one has ended. The rates of
    their jobs are summed as those of any others, and no device ever did the sum."""
    waiting = (
        case.workload
        for case in cases
        for job in case.jobs[1:]
        if job.options.get("stonewall", "0") not in _NO or job.options.get("wait_for")
    )
    return tuple(dict.fromkeys(waiting))
