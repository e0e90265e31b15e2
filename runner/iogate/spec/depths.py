"""Depths of a queue that an ioengine does not have, as it does one I/O at a time."""

from __future__ import annotations

from dataclasses import replace

from iogate.jobs import numbers
from iogate.jobs.options import DEFAULT_ENGINE, SYNC_ENGINES
from iogate.model.spec import JobSpec

_DEPTHS = (
    "iodepth", "iodepth_batch", "iodepth_batch_complete_max", "iodepth_batch_complete_min",
    "iodepth_low",
)  # fmt: skip


def is_sync(job: JobSpec) -> bool:
    """Whether the ioengine of a job does an I/O as it is issued."""
    return job.options.get("ioengine", DEFAULT_ENGINE) in SYNC_ENGINES


def idle_depth(job: JobSpec) -> str:
    """The iodepth of a job that its ioengine does nothing with; empty for none."""
    if job.command or not is_sync(job):
        return ""
    try:
        depth = job.options.get("iodepth", "1")
        return depth if numbers.number(depth) > 1 else ""
    except numbers.BadNumberError:
        return ""


def without_idle_depth(job: JobSpec) -> JobSpec:
    """The job as far as its ioengine does something with it."""
    if not is_sync(job):
        return job
    kept = {key: value for key, value in job.options.items() if key not in _DEPTHS}
    return replace(job, options=kept)
