"""What iogate-engine does not do yet, of what fio does: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator

from iogate.errors import SpecError
from iogate.model.plan import Case, Plan
from iogate.spec.problems import Problems

_NAMES = """
    bs bssplit buffered clat_percentiles clocksource description direct directory
    disable_bw_measurement disable_clat disable_lat disable_slat disk_util do_verify
    end_fsync fdatasync filename filesize fixedbufs fsync group_reporting gtod_reduce hipri
    invalidate io_size iodepth iodepth_batch iodepth_batch_complete_max
    iodepth_batch_complete_min iodepth_batch_submit iodepth_low ioengine lat_percentiles
    log_avg_msec log_hist_coarseness log_hist_msec log_offset log_unix_epoch loops name
    norandommap nrfiles number_ios numjobs offset per_job_logs percentile_list ramp_time
    random_distribution randrepeat randseed rate rate_iops rate_process read_iolog
    registerfiles replay_align replay_no_stall replay_redirect replay_scale replay_skip
    replay_time_scale runtime rw rwmixread rwmixwrite size slat_percentiles sqthread_poll
    sqthread_poll_cpu startdelay stonewall thinktime thinktime_blocks thinktime_blocks_type
    thinktime_iotime thinktime_spin thread time_based verify verify_fatal write_bw_log
    write_hist_log write_iolog write_iops_log write_lat_log zonemode zonerange zonesize
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
        for error in _missing(case):
            problems.take(error)
    problems.check()


def _missing(case: Case) -> Iterator[SpecError]:
    for job in case.jobs:
        for key, value in job.options.items():
            known = CHOICES.get(key)
            if key in OPTIONS and (known is None or value in known):
                continue
            said = f"{key}={value}" if key in OPTIONS else key
            remedy = f"use one of {', '.join(known)}" if known else "leave it out"
            yield SpecError(
                f"workload {case.workload!r}: fio has {said}, iogate-engine does not have it yet",
                remedy=f"{remedy}, or run with --engine fio",
                where=job.where,
            )
