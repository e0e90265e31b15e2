"""The result JSON of an engine (fio's, and ours, which adds an ``iogate`` object) → what
it measured. Pure."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from typing import Any

from iogate.engine.base import EngineResult
from iogate.errors import EngineError
from iogate.files.bounds import RESULT_INTERVALS, RESULT_ROWS, SPEC_KEY
from iogate.jobs.numbers import number
from iogate.model.histogram import Histogram
from iogate.model.measurement import (
    TRANSFERS,
    Direction,
    DiskUtil,
    EngineFacts,
    Interval,
    JobMeasurement,
    Latency,
    Series,
    percentile_key,
)

_NS_PER_MS = 1_000_000
_LATEST_MS = 2**63 // _NS_PER_MS
_SCHEMA = "result/1"
_LONGEST_NAME = 200
_LARGEST_ERROR = 4095  # of Linux


def parse_result(document: object) -> EngineResult:
    """What a result document says. EngineError when it is not one, or too new."""
    if not isinstance(document, Mapping) or not document.get("jobs"):
        raise EngineError("the engine's result holds no jobs")
    extra = document.get("iogate", {})
    if not isinstance(extra, Mapping):
        raise EngineError("the engine's result cannot be read: what iogate adds is no mapping")
    _check_schema(extra)
    try:
        _check_amount(document["jobs"])
        return EngineResult(
            engine=_engine(document, extra),
            # fio adds an empty row without a name when only some jobs report as a group.
            jobs=tuple(_job(job, document) for job in document["jobs"] if "jobname" in job),
            disks=tuple(_disk(disk) for disk in document.get("disk_util", ())),
            interrupted=bool(extra.get("interrupted", False)),
            ended_ns=_ended_ns(document.get("timestamp_ms")),
        )
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError, IndexError) as error:
        raise EngineError(f"the engine's result cannot be read: {reason(error)}") from error


def _ended_ns(told: object) -> int:
    """When a result says that it was written; 0 where it says no time."""
    return told * _NS_PER_MS if isinstance(told, int) and 0 < told < _LATEST_MS else 0


def reason(error: Exception) -> str:
    """What is wrong with a result, of the error that reading it ended in."""
    if isinstance(error, KeyError):
        return f"it has no {error}"
    if isinstance(error, ValueError):
        return str(error)
    return f"a part of it has another form than results of fio have ({type(error).__name__})"


def _check_schema(extra: Mapping[str, Any]) -> None:
    schema = extra.get("schema", _SCHEMA)
    if schema != _SCHEMA:
        raise EngineError(
            f"the engine writes results of schema {schema!r}; this iogate reads {_SCHEMA!r}",
            remedy="install iogate and its engine from the same version",
        )


def _check_amount(jobs: Any) -> None:
    """ValueError for more than any engine has, before it is made: in a history an interval takes
    many times its place in a result, and each row its time wherever a run is looked at."""
    if len(jobs) > RESULT_ROWS:
        raise ValueError(f"it has {len(jobs):,} jobs, and at most {RESULT_ROWS:,} are read")
    count = sum(len((job.get("iogate", {}).get("series") or {}).get("end_ms", ())) for job in jobs)
    if count > RESULT_INTERVALS:
        raise ValueError(f"it has {count:,} intervals, and at most {RESULT_INTERVALS:,} are kept")


def _engine(document: Mapping[str, Any], extra: Mapping[str, Any]) -> EngineFacts:
    if not extra:
        return EngineFacts("fio", str(document["fio version"]).removeprefix("fio-"))
    clock = extra.get("clock", {})
    error_ppm, semantics = clock.get("error_ppm"), extra.get("semantics")
    return EngineFacts(
        name=_short(extra["engine"]),
        version=_short(extra["version"]),
        clock_source=_short(clock.get("source", "")),
        clock_error_ppm=None if error_ppm is None else float(error_ppm),
        semantics=None if semantics is None else int(semantics),
    )


def _short(value: Any, longest: int = _LONGEST_NAME) -> str:
    """ValueError for what no engine calls itself, or anything of a result: it is kept with every
    repetition."""
    text = str(value)
    if len(text) > longest:
        raise ValueError(f"a name of {len(text)} characters")
    return text


def _job(job: Mapping[str, Any], document: Mapping[str, Any]) -> JobMeasurement:
    extra = job.get("iogate", {})
    error = _error_number(job["error"])
    clones = int(extra["jobs"]) if "jobs" in extra else _clones(job, document)
    return JobMeasurement(
        name=_short(job["jobname"], SPEC_KEY),
        jobs=clones,
        directions=_directions(job, clones),
        usr_cpu_percent=float(job["usr_cpu"]),
        sys_cpu_percent=float(job["sys_cpu"]),
        context_switches=int(job["ctx"]),
        major_faults=int(job["majf"]),
        minor_faults=int(job["minf"]),
        runtime_ns=int(extra.get("runtime_ns", int(job["job_runtime"]) * _NS_PER_MS)),
        error=error,
        errors=_errors(extra, error),
        iodepth_levels={_short(k): float(v) for k, v in job.get("iodepth_level", {}).items()},
        series=_series(extra["series"]) if extra.get("series") else None,
        values={_short(k): float(v) for k, v in extra.get("values", {}).items()},
    )


def _error_number(value: Any) -> int:
    """ValueError for what no system call gives."""
    number = int(value)
    if abs(number) > _LARGEST_ERROR:
        raise ValueError(f"there is no error {number:g}")
    return number


def _clones(job: Mapping[str, Any], document: Mapping[str, Any]) -> int:
    """fio does not say how many clones a row stands for: its options tell how many there
    are, and without group_reporting each has a row of the same name."""
    options = {**document.get("global options", {}), **job.get("job options", {})}
    rows: int = sum(other["jobname"] == job["jobname"] for other in document["jobs"])
    return max(number(str(options.get("numjobs", 1))) // rows, 1)


def _errors(extra: Mapping[str, Any], error: int) -> dict[str, int]:
    counted = {_short(name): int(count) for name, count in extra.get("errors", {}).items()}
    if error and not counted:
        counted[errno.errorcode.get(error, str(error))] = 1
    return counted


def _directions(job: Mapping[str, Any], clones: int) -> dict[str, Direction]:
    extra = job.get("iogate", {})
    directions = {
        name: _direction(job[name], extra.get(name, {}))
        for name in TRANSFERS
        if job[name]["total_ios"]
    }
    sync = job.get("sync", {})
    # fio counts no fdatasync of a group, and times each.
    total = int(sync.get("total_ios", 0) or sync.get("lat_ns", {}).get("N", 0))
    if total:
        directions["sync"] = _sync(job, total, clones)
    return directions


def _direction(part: Mapping[str, Any], extra: Mapping[str, Any]) -> Direction:
    return Direction(
        total_ios=int(part["total_ios"]),
        io_bytes=int(part["io_bytes"]),
        runtime_ns=int(part["runtime"]) * _NS_PER_MS,
        iops=float(part["iops"]),
        bw=float(part["bw_bytes"]),
        slat=_latency(part.get("slat_ns")),
        clat=_latency(part.get("clat_ns")),
        lat=_latency(part.get("lat_ns")),
        short_ios=int(part.get("short_ios", 0)),
        dropped_ios=int(part.get("drop_ios", 0)),
        intended_lat=_latency(extra.get("intended_lat_ns")),
    )


def _sync(job: Mapping[str, Any], total: int, clones: int) -> Direction:
    """Syncs have no runtime of their own; that of the job is summed over its clones."""
    runtime_ms = int(job["job_runtime"]) // max(clones, 1)
    return Direction(
        total_ios=total,
        io_bytes=0,
        runtime_ns=runtime_ms * _NS_PER_MS,
        iops=total * 1000 / runtime_ms if runtime_ms else 0.0,
        bw=0.0,
        lat=_latency(job["sync"].get("lat_ns")),
    )


def _latency(part: Mapping[str, Any] | None) -> Latency | None:
    if not part or not part["N"]:
        return None
    bins = part.get("bins")
    return Latency(
        n=int(part["N"]),
        min_ns=float(part["min"]),
        max_ns=float(part["max"]),
        mean_ns=float(part["mean"]),
        stddev_ns=float(part["stddev"]),
        histogram=_histogram(bins.items()) if bins else None,
        percentiles={} if bins else _percentiles(part.get("percentile", {})),
    )


def _percentiles(part: Mapping[str, Any]) -> dict[str, float]:
    return {percentile_key(float(percent)): float(value) for percent, value in part.items()}


def _histogram(pairs: Any) -> Histogram:
    return Histogram(dict(sorted((int(value), int(count)) for value, count in pairs if count)))


def _series(part: Mapping[str, Any]) -> Series:
    directions = {name: part[name] for name in TRANSFERS if part.get(name)}
    ends = part["end_ms"]
    return Series(
        interval_ms=int(part["interval_ms"]),
        intervals=tuple(_interval(i, int(end), directions) for i, end in enumerate(ends)),
    )


def _interval(index: int, end_ms: int, directions: Mapping[str, Any]) -> Interval:
    return Interval(
        end_ms=end_ms,
        ios={name: int(d["ios"][index]) for name, d in directions.items()},
        bytes={name: int(d["bytes"][index]) for name, d in directions.items()},
        clat_sum_ns={
            name: int(d["clat_sum_ns"][index])
            for name, d in directions.items()
            if d.get("clat_sum_ns")
        },
        histograms={
            name: _histogram(d["bins"][index]) for name, d in directions.items() if d.get("bins")
        },
    )


def _disk(disk: Mapping[str, Any]) -> DiskUtil:
    return DiskUtil(
        name=_short(disk["name"]),
        read_ios=int(disk["read_ios"]),
        write_ios=int(disk["write_ios"]),
        util_percent=float(disk["util"]),
    )
