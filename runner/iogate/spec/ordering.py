"""Workloads whose jobs wait for each other: one case, though they never run together."""

from __future__ import annotations

from collections.abc import Iterable

from iogate.model.plan import Case

_NO = ("", "0")


def waiting_workloads(cases: Iterable[Case]) -> tuple[str, ...]:
    """Names of the workloads in which a job begins when an earlier one has ended. The rates of
    their jobs are summed as those of any others, and no device ever did the sum."""
    return tuple(dict.fromkeys(case.workload for case in cases if takes_turns(case)))


def takes_turns(case: Case) -> bool:
    """Whether a job of the case begins when an earlier one has ended."""
    return any(
        job.options.get("stonewall", "0") not in _NO or job.options.get("wait_for")
        for job in case.jobs[1:]
    )
