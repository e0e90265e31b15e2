"""Whether the jobs of a case can run as they are."""

from __future__ import annotations

import re

from iogate.errors import Location
from iogate.jobs.estimate import parse_seconds
from iogate.jobs.options import DEFAULT_RW, transfers_of
from iogate.model.plan import Case, Plan
from iogate.model.spec import JobSpec, TargetKind
from iogate.spec.options.values import canonical_value
from iogate.spec.text.problems import Problems

_TRIM_FILES = ("null", "cpuio", "falloc")  # the first two do no I/O on their target
_MAKING = ("filecreate", "dircreate")
# Options whose values are words with a number behind them.
_WORDS = {
    "file_service_type": (
        re.compile(r"(random|roundrobin|sequential)(:.+)?|(zipf|pareto|normal|gauss)(:[\d.:]+)?"),
        "give random, roundrobin or sequential, also as random:8, or zipf:1.2, pareto:0.2, gauss:9",
    ),
    "sync_file_range": (
        re.compile(r"(wait_before|write|wait_after)(,(wait_before|write|wait_after))*(:.+)?"),
        "give wait_before, write and wait_after with commas between them, and :8 for each 8 writes",
    ),
}
_SIZES = ("size", "filesize", "fill_device", "file_append", "read_iolog")


def check_runnable(case: Case, problems: Problems) -> None:
    """Note what keeps the jobs of a case from running."""
    for job in () if case.command else case.jobs:
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


def check_doable(plan: Plan) -> None:
    """SpecError that names every job which trims what is no block device, does no I/O at all,
    does it the first time alone, or has an option with a word that it does not take. It is asked
    of what is to be run: a case that an older version planned keeps its plan, and so its id."""
    problems = Problems()
    for case in plan.cases:
        again = plan.comparison is not None or case.repetitions.max > 1
        for job in case.jobs:
            _check_words(job, problems)
            if again and job.options.get("ioengine") in _MAKING and not _says(job, "unlink"):
                problems.add(
                    f"job {job.name!r} of workload {case.workload!r} makes what a repetition"
                    " before it has left there, which takes another time, or fails",
                    _place(job, "ioengine"),
                    "add unlink: true, which deletes it after each repetition",
                )
            if job.options.get("create_only") == "1":
                problems.add(
                    f"job {job.name!r} of workload {case.workload!r} has create_only=1, and does "
                    "no I/O that could be measured",
                    _place(job, "create_only"),
                    "leave it out: what is laid out takes no part in what is measured",
                )
        for job in case.jobs if not case.target.is_block else ():
            if _trims(job):
                problems.add(
                    f"job {job.name!r} of workload {case.workload!r} has rw={job.options['rw']}, "
                    f"and its target {case.target.name!r} is no block device",
                    _place(job, "rw"),
                    "only block devices can be trimmed: name a target with device: and "
                    "destroy:, or choose another rw",
                )
    problems.check()


def _check_words(job: JobSpec, problems: Problems) -> None:
    for key, (pattern, remedy) in _WORDS.items():
        value = job.options.get(key, "")
        if value and not pattern.fullmatch(value):
            problems.add(f"{key}={value} is none that fio has", _place(job, key), remedy)


def _trims(job: JobSpec) -> bool:
    """Whether rw is known to trim; what only may is the engine's to judge."""
    rw = job.options.get("rw", DEFAULT_RW)
    return transfers_of(rw)[0] == "trim" and job.options.get("ioengine") not in _TRIM_FILES


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
