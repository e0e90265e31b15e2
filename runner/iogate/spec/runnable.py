"""Whether the jobs of a case can run as they are."""

from __future__ import annotations

from iogate.errors import Location
from iogate.jobs.estimate import parse_seconds
from iogate.model.plan import Case
from iogate.model.spec import JobSpec, TargetKind
from iogate.spec.options.values import canonical_value
from iogate.spec.text.problems import Problems

_SIZES = ("size", "filesize", "fill_device", "file_append", "read_iolog")


def check_runnable(case: Case, problems: Problems) -> None:
    """Note what keeps the jobs of a case from running."""
    for job in case.jobs:
        what = f"job {job.name!r} of workload {case.workload!r}"
        if _lacks_size(job, case.target.kind):
            problems.add(
                f"{what} has no size",
                job.where,
                "add size: with how much of its file it works on, such as size: 1g",
            )
        if _lacks_time(job):
            lacking = "its runtime is 0" if "runtime" in job.options else "it has no runtime"
            problems.add(
                f"{what} is time_based, and {lacking}",
                _place(job, "runtime", "time_based"),
                "add runtime: with how long it goes on, such as runtime: 30s",
            )


def _lacks_size(job: JobSpec, kind: TargetKind) -> bool:
    needs_file = job.options.get("ioengine") != "cpuio"  # which does no I/O
    own_files = kind in (TargetKind.DIRECTORY, TargetKind.FILESYSTEM)
    return own_files and needs_file and not any(_says(job, key) for key in _SIZES)


def _says(job: JobSpec, key: str) -> bool:
    """Whether the job has the option, and not as 0, which is as if it had not."""
    return canonical_value(key, job.options.get(key, "0")) != canonical_value(key, "0")


def _lacks_time(job: JobSpec) -> bool:
    """fio does not start such a job; iogate-engine would not go by time."""
    runtime = job.options.get("runtime", "0")
    return job.options.get("time_based") == "1" and parse_seconds(runtime) == 0


def _place(job: JobSpec, *keys: str) -> Location | None:
    """Where the first of the options stands that the job has a place of."""
    return next((job.places[key] for key in keys if key in job.places), job.where)
