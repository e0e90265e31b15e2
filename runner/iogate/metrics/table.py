"""The one table of metrics. To add one: a function, and a row here."""

from __future__ import annotations

from iogate.metrics import derived, latency, rates, system
from iogate.metrics.base import Row
from iogate.model.units import Better, Unit

_TRANSFERS = ("read", "write", "trim", "all")
_EVERY = ("read", "write", "trim", "sync", "all")
_MOMENTS = ("mean", "min", "max", "stdev")

TABLE: tuple[Row, ...] = (
    Row(
        "iops",
        Unit.PER_SECOND,
        Better.HIGH,
        "I/Os per second; mean over the run, other statistics over the time series",
        rates.iops,
        directions=_EVERY,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "bw",
        Unit.BYTES_PER_SECOND,
        Better.HIGH,
        "bytes per second; mean over the run, other statistics over the time series",
        rates.bw,
        directions=_TRANSFERS,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "slat",
        Unit.NANOSECONDS,
        Better.LOW,
        "submission latency: from the start of an I/O until the kernel has it",
        latency.slat,
        directions=_TRANSFERS,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "clat",
        Unit.NANOSECONDS,
        Better.LOW,
        "completion latency: from when the kernel has an I/O until it is done",
        latency.clat,
        directions=_TRANSFERS,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "lat",
        Unit.NANOSECONDS,
        Better.LOW,
        "total latency: from the start of an I/O until it is done; of a sync, its whole time",
        latency.lat,
        directions=_EVERY,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "intended_lat",
        Unit.NANOSECONDS,
        Better.LOW,
        "latency from when an I/O was due until it is done, of jobs with a rate: a stall "
        "counts for each I/O that it kept from being issued",
        latency.intended_lat,
        directions=_TRANSFERS,
        stats=_MOMENTS,
        default_stat="mean",
        percentiles=True,
    ),
    Row(
        "tail",
        Unit.RATIO,
        Better.LOW,
        "how much longer the 99th percentile of completion latency is than its median",
        derived.tail,
        directions=_TRANSFERS,
    ),
    Row(
        "stalls",
        Unit.PERCENT,
        Better.LOW,
        "share of 100 ms intervals without a completion; needs a time series that fine",
        derived.stalls,
        directions=_TRANSFERS,
    ),
    Row(
        "slope",
        Unit.PERCENT,
        Better.LOW,
        "how much IOPS rose or fell over the run, in % of their mean a minute, without sign",
        derived.slope,
        directions=_TRANSFERS,
    ),
    Row(
        "cpu.usr",
        Unit.PERCENT,
        Better.LOW,
        "CPU time in user mode, mean over the jobs' threads; 100 % is one core each",
        system.cpu_usr,
    ),
    Row(
        "cpu.sys",
        Unit.PERCENT,
        Better.LOW,
        "CPU time in the kernel, mean over the jobs' threads; 100 % is one core each",
        system.cpu_sys,
    ),
    Row(
        "cpu_per_io",
        Unit.NANOSECONDS,
        Better.LOW,
        "CPU time, user and kernel, for each read, write or trim",
        system.cpu_per_io,
    ),
    Row(
        "iops_per_core",
        Unit.PER_SECOND,
        Better.HIGH,
        "reads, writes and trims for each second of CPU time, user and kernel",
        derived.iops_per_core,
    ),
    Row(
        "ctx_per_io",
        Unit.RATIO,
        Better.LOW,
        "context switches for each read, write or trim",
        system.ctx_per_io,
    ),
    Row(
        "errors",
        Unit.COUNT,
        Better.LOW,
        "I/Os that failed; of a repetition that gave no result, those that the engine told of, "
        "at least one",
        system.errors,
    ),
    Row(
        "kernel_errors",
        Unit.COUNT,
        Better.LOW,
        "errors of the target's own disks and filesystem in the kernel's log, and a filesystem "
        "that went read-only",
        whole=system.kernel_errors,
    ),
    Row(
        "runtime",
        Unit.NANOSECONDS,
        Better.LOW,
        "how long the longest job did I/O",
        system.runtime,
    ),
)
