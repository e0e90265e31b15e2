"""What the I/O cost: CPU, context switches, errors, time.

A job's ``runtime_ns`` is summed over its clones, as the engine's ``job_runtime`` is, and
its CPU percentages are of that time; so percentage × runtime is the CPU time of the row.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from iogate.metrics.base import Row
from iogate.metrics.combine import directions_of
from iogate.model.measurement import JobMeasurement, KernelTrouble, Measurement, Whose
from iogate.model.units import Better, Unit

_NS_PER_S = 1e9


def _cpu_ns(jobs: Sequence[JobMeasurement], share: Callable[[JobMeasurement], float]) -> float:
    return sum(share(job) / 100 * job.runtime_ns for job in jobs)


def _mean_percent(
    jobs: Sequence[JobMeasurement], share: Callable[[JobMeasurement], float]
) -> float | None:
    runtime_ns = sum(job.runtime_ns for job in jobs)
    return 100 * _cpu_ns(jobs, share) / runtime_ns if runtime_ns else None


def _ios(jobs: Sequence[JobMeasurement]) -> int:
    return sum(part.total_ios for part in directions_of(jobs, "all"))


def cpu_usr(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """Mean over the jobs' threads, weighted by how long they ran."""
    return _mean_percent(jobs, lambda job: job.usr_cpu_percent)


def cpu_sys(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """As cpu_usr, in the kernel."""
    return _mean_percent(jobs, lambda job: job.sys_cpu_percent)


def cpu_per_io(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """CPU time in ns (user and kernel) for each read, write or trim."""
    ios = _ios(jobs)
    if not ios:
        return None
    return _cpu_ns(jobs, lambda job: job.usr_cpu_percent + job.sys_cpu_percent) / ios


def iops_per_core(jobs: Sequence[JobMeasurement], direction: str, stat: str) -> float | None:
    """Reads, writes and trims for each second of CPU time: what one busy core would do."""
    cost_ns = cpu_per_io(jobs, direction, stat)
    return _NS_PER_S / cost_ns if cost_ns else None


def ctx_per_io(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """Context switches for each read, write or trim."""
    ios = _ios(jobs)
    return sum(job.context_switches for job in jobs) / ios if ios else None


def kernel_errors(measurement: Measurement) -> float | None:
    """What the kernel told of the target's own stack; None where nobody could read its log."""
    return own_troubles(measurement.kernel_log)


def own_troubles(log: Sequence[KernelTrouble] | None) -> float | None:
    """How many lines of the kernel's log are of the target's own stack; None where that is
    not known."""
    if log is None or any(trouble.whose is None for trouble in log):
        return None
    return float(sum(trouble.count for trouble in log if trouble.whose is Whose.TARGET))


def errors(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """Failed I/Os; a job that ended with an error but counted none counts as one."""
    return float(sum(max(sum(job.errors.values()), int(job.error != 0)) for job in jobs))


def runtime(jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """The longest job in ns, from its first start of I/O to its last completion."""
    spans = [part.runtime_ns for part in directions_of(jobs, "all")]
    longest = max(spans, default=0) or max((job.runtime_ns // job.jobs for job in jobs), default=0)
    return float(longest) if longest else None


ROWS: tuple[Row, ...] = (
    Row(
        "cpu.usr",
        Unit.PERCENT,
        Better.LOW,
        "CPU time in user mode, mean over the jobs' threads; 100 % is one core each",
        cpu_usr,
    ),
    Row(
        "cpu.sys",
        Unit.PERCENT,
        Better.LOW,
        "CPU time in the kernel, mean over the jobs' threads; 100 % is one core each",
        cpu_sys,
    ),
    Row(
        "cpu_per_io",
        Unit.NANOSECONDS,
        Better.LOW,
        "CPU time, user and kernel, for each read, write or trim",
        cpu_per_io,
    ),
    Row(
        "iops_per_core",
        Unit.PER_SECOND,
        Better.HIGH,
        "reads, writes and trims for each second of CPU time, user and kernel",
        iops_per_core,
    ),
    Row(
        "ctx_per_io",
        Unit.RATIO,
        Better.LOW,
        "context switches for each read, write or trim",
        ctx_per_io,
    ),
    Row(
        "errors",
        Unit.COUNT,
        Better.LOW,
        "I/Os that failed; of a repetition that gave no result, those that the engine told of, "
        "at least one",
        errors,
    ),
    Row(
        "kernel_errors",
        Unit.COUNT,
        Better.LOW,
        "errors of the target's own disks and filesystem in the kernel's log, and a filesystem "
        "that went read-only",
        whole=kernel_errors,
    ),
    Row(
        "runtime",
        Unit.NANOSECONDS,
        Better.LOW,
        "how long the longest job did I/O, or a command took",
        runtime,
    ),
)
