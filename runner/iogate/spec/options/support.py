"""What iogate-engine does not do yet, of what fio does: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.errors import SpecError
from iogate.model.plan import Plan
from iogate.model.spec import JobSpec
from iogate.spec.text.problems import Problems

_NAMES = """
    bs bssplit buffered clat_percentiles clocksource cpuchunks cpuload cpus_allowed
    description direct directory
    disable_bw_measurement disable_clat disable_lat disable_slat disk_util do_verify
    end_fsync exitall fallocate fdatasync filename filesize fixedbufs fsync group_reporting
    gtod_reduce hipri
    invalidate io_size iodepth iodepth_batch iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_batch_submit iodepth_low ioengine lat_percentiles
    log_avg_msec log_hist_coarseness log_hist_msec log_offset log_unix_epoch loops name
    norandommap nrfiles number_ios numjobs offset overwrite per_job_logs percentile_list
    ramp_time
    random_distribution randrepeat randseed rate rate_iops rate_process read_iolog
    refill_buffers
    registerfiles replay_align replay_no_stall replay_redirect replay_scale replay_skip
    replay_time_scale runtime rw rwmixread rwmixwrite size slat_percentiles sqthread_poll
    sqthread_poll_cpu startdelay stonewall sync thinktime thinktime_blocks thinktime_blocks_type
    thinktime_iotime thinktime_spin thread time_based unlink verify verify_fatal write_bw_log
    write_hist_log write_iolog write_iops_log write_lat_log zero_buffers zonemode zonerange zonesize
    zoneskip
"""
OPTIONS = frozenset(_NAMES.split())
CHOICES = {
    "ioengine": ("sync", "psync", "libaio", "io_uring", "mmap", "posixaio", "null", "cpuio"),
    "rw": ("read", "write", "randread", "randwrite", "rw", "readwrite", "randrw"),
    "verify": ("0", "crc32c", "crc32c-intel"),
    "zonemode": ("none", "strided"),
}


def check_native(plan: Plan) -> None:
    """SpecError that names every option of the plan which fio has and iogate-engine does
    not, with the job that sets it."""
    problems = Problems()
    for case in plan.cases:
        for error in _missing(f"workload {case.workload!r}", case.jobs):
            problems.take(error)
    for error in _missing("precondition", _steps(plan)):
        problems.take(error)
    problems.check()


def _steps(plan: Plan) -> tuple[JobSpec, ...]:
    """The jobs of a precondition; the runner itself looks whether a device is steady."""
    found = plan.precondition
    steps = (found.fill, found.steady_state) if found else ()
    return tuple(replace(step, options=own_options(step)) for step in steps if step)


def own_options(step: JobSpec) -> dict[str, str]:
    """The options of a precondition's step that are the engine's business."""
    return {key: value for key, value in step.options.items() if not key.startswith("steadystate")}


def _missing(what: str, jobs: Sequence[JobSpec]) -> Iterator[SpecError]:
    for job in jobs:
        for key, value in job.options.items():
            known = CHOICES.get(key)
            if key in OPTIONS and (known is None or value in known):
                continue
            said = f"{key}={value}" if key in OPTIONS else key
            remedy = f"use one of {', '.join(known)}" if known else "leave it out"
            yield SpecError(
                f"{what}: fio has {said}, iogate-engine does not have it yet",
                remedy=f"{remedy}, or run with --engine fio",
                where=job.places.get(key, job.where),
            )
