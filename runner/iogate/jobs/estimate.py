"""What a case will take, read off its jobs' options: time, room, and whether it writes.
Pure. An option that cannot be read here counts as unknown, never as an error: the spec
and the engine judge options."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TypeVar

from iogate.jobs import numbers
from iogate.jobs.options import DEFAULT_RW, transfers_of
from iogate.model.plan import Case
from iogate.model.spec import JobSpec

# What fio does to files whatever rw says.
_CHANGES_FILES = (
    "filecreate", "filedelete", "dircreate", "dirdelete", "ftruncate", "falloc", "e4defrag",
)  # fmt: skip
_REMOVES = ("unlink", "unlink_each_loop")
_NO_VERIFY = ("0", "null")
_WRITES_ALONG = ("write", "rw", "readwrite")
_PLAIN_DATA = (
    "zero_buffers", "buffer_compress_percentage", "dedupe_percentage", "buffer_pattern",
)  # fmt: skip
_MORE_IOS = ("read_iolog", "fill_device", "fill_fs", "verify")  # than the size says
_MARGIN_S = 120.0
_MARGIN_FACTOR = 2.0
_USUAL_BLOCK = 4096
_MOST_CLONES = 4096  # more is refused by every engine
_SLOWEST_BPS = 2 << 20  # the slowest layout or transfer that is still waited for
_UNBOUNDED_MARGIN_S = 3600.0
T = TypeVar("T")


def writes(case: Case) -> bool:
    """Whether any job may change its target's content, or take it away."""
    return any(
        job.command is not None
        or _transfers(job) != ("read",)
        or job.options.get("ioengine") in _CHANGES_FILES
        or any(job.options.get(key, "0") != "0" for key in _REMOVES)
        for job in case.jobs
    )


def shows(case: Case) -> bool:
    """Whether any job compares what it reads: engines tell what they found where it differs, and
    ``verify_dump`` copies it into the run folder."""
    return any(
        job.options.get("verify", "0") not in _NO_VERIFY or "verify_pattern" in job.options
        for job in case.jobs
    )


def remakes(case: Case) -> str:
    """What of a case leaves a device in another state than that it found it in, in words; empty
    for reads, and for random writes of random data: a device that is in use stays so."""
    if case.target.is_made:
        return f"makes {case.target.kind.named}"
    for job in case.jobs:
        transfers = _transfers(job)
        if "trim" in transfers:
            return "trims"
        if _option(job, "rw", "readwrite", default="read") in _WRITES_ALONG:
            return "writes sequentially"
        if "write" in transfers and _plain_data(job):
            return "writes data that shrink"
    return ""


def plain_data(case: Case) -> str:
    """The option by which a case writes, or lays out, data that compress or repeat; empty where
    it does not."""
    return next(filter(None, map(_plain_data, case.jobs)), "")


def _plain_data(job: JobSpec) -> str:
    return next((key for key in _PLAIN_DATA if job.options.get(key, "0") != "0"), "")


def reads(case: Case, total_bytes: int) -> tuple[tuple[int, int], ...]:
    """Where the jobs of a case read in a file or device of so many bytes, as (start, end) in
    bytes, as far as their options say: from a job's offset over its size."""
    spans = []
    for job in case.jobs:
        if job.command or "read" not in _transfers(job):
            continue
        start = _bytes(job, "offset", total_bytes) or 0
        size = _bytes(job, "size", total_bytes) or total_bytes
        clones = _bytes(job, "offset_increment", total_bytes) != 0
        end = total_bytes if clones else min(start + size, total_bytes)
        if start < end:
            spans.append((start, end))
    return tuple(spans)


def seconds(case: Case) -> float | None:
    """How long one repetition measures; None when its size decides that, not a clock."""
    each = [_job_seconds(job) for job in case.jobs]
    if any(value is None for value in each):
        return None
    known = [value for value in each if value is not None]
    return sum(known) if _has_stonewall(case) else max(known, default=0.0)


def most_ios(case: Case) -> int | None:
    """As many I/Os as a repetition can have, by sizes, numbers and rates; None where only the
    speed of the device decides."""
    each = [_most_ios(job) for job in case.jobs]
    return None if None in each else math.ceil(sum(ios for ios in each if ios is not None))


def _most_ios(job: JobSpec) -> float | None:
    """Of all clones of a job."""
    if any(job.options.get(key, "0") not in _NO_VERIFY for key in _MORE_IOS):
        return None
    clones, known = _count(job, "numjobs"), []
    loops = _count(job, "loops")
    if job.options.get("time_based", "0") == "0":
        moved = _moved_bytes(job)
        known += [moved / _smallest_block(job) * loops] if moved else []
        number = _known(numbers.number, job.options.get("number_ios", ""))
        known += [number * clones * loops] if number else []
    runtime = parse_seconds(_option(job, "runtime", "timeout", default=""))
    for key, size in (("rate", _smallest_block(job)), ("rate_iops", 1)):
        rates = _rates(job, key)
        parts = _known(numbers.each, job.options.get(key, "")) or ()
        if runtime and rates and len(rates) == len(parts):
            known.append(sum(rates) / size * runtime * clones)
    return min(known, default=None)


def timeout_s(case: Case) -> float:
    """When a repetition is given up: generous, because a slow disk is a result."""
    total_bytes = sum(files(case).values())
    loops = max((_count(job, "loops") for job in case.jobs), default=1)
    expected = seconds(case)
    if expected is not None:
        moving = total_bytes * (1 + loops) / _SLOWEST_BPS
        return _MARGIN_S + expected * loops * _MARGIN_FACTOR + moving
    moved_bytes = max(total_bytes, sum(map(_moved_bytes, case.jobs)))
    moving = (total_bytes + moved_bytes * loops) / _SLOWEST_BPS
    own = sum(_job_seconds(job) or _paced_s(job) for job in case.jobs) * loops
    return _UNBOUNDED_MARGIN_S + (moving + own) * _MARGIN_FACTOR


def _moved_bytes(job: JobSpec) -> int:
    """Bytes that all clones of a job transfer in a loop, as far as its size says so."""
    size = _bytes(job, "size", 0) or 0
    return (_bytes(job, "io_size", size) or size) * _count(job, "numjobs")


def _paced_s(job: JobSpec) -> float:
    """How long a clone of a job of a size takes by its own pace: rates, and pauses between I/Os.
    Of several directions the slowest counts for all of them."""
    moved = _moved_bytes(job) / _count(job, "numjobs")
    ios = moved / _smallest_block(job)
    if limit := _known(numbers.number, job.options.get("number_ios", "")):
        ios = min(ios, limit)
    by_rate = [moved / rate for rate in _rates(job, "rate")]
    by_iops = [ios / rate for rate in _rates(job, "rate_iops")]
    pauses = ios / _count(job, "thinktime_blocks") * _think_s(job)
    return max((*by_rate, *by_iops), default=0.0) + pauses


def _rates(job: JobSpec, key: str) -> list[int]:
    """The rates of a job that are none of 0, which is no limit."""
    parts = _known(numbers.each, job.options.get(key, "")) or ()
    return [rate for part in parts if (rate := _known(numbers.number, part) or 0) > 0]


def _think_s(job: JobSpec) -> float:
    read = partial(numbers.nanoseconds, unit_ns=numbers.NS_PER_US)
    return (_known(read, job.options.get("thinktime", "0")) or 0) / numbers.NS_PER_S


def _smallest_block(job: JobSpec) -> int:
    """Bytes of a job's smallest I/O, of bssplit, bsrange or bs; fio's default where it says
    nothing."""
    options = job.options
    splits = [part.partition("/")[0] for part in re.split("[,:]", options.get("bssplit", ""))]
    ends = re.split("[-:,/]", options.get("bsrange", ""))
    for texts in (splits, ends, options.get("bs", "").split(",")):
        sizes = [size for text in texts if (size := _known(numbers.number, text) or 0) > 0]
        if sizes:
            return min(sizes)
    return _USUAL_BLOCK


def files(case: Case) -> dict[str, int]:
    """Bytes of each file that a case lays out, by a name that is the file's own."""
    sizes: dict[str, int] = {}
    for job in case.jobs:
        size = _file_bytes(job)
        for name in _file_names(job):
            sizes[name] = max(sizes.get(name, 0), size)
    return sizes


def _file_bytes(job: JobSpec) -> int:
    """Of a range the upper end; without filesize a file reaches from the offset on."""
    if given := job.options.get("filesize"):
        ends = _known(partial(numbers.span, read=numbers.number), given)
        return ends[1] if ends else 0
    size = _bytes(job, "size", 0) or 0
    return size + (_bytes(job, "offset", size) or 0)


def bytes_needed(cases: Iterable[Case]) -> int:
    """Room for all files of some cases on one target; cases share files of one name."""
    largest: dict[str, int] = {}
    for case in cases:
        for name, size in files(case).items():
            largest[name] = max(largest.get(name, 0), size)
    return sum(largest.values())


def file_names(case: Case) -> tuple[str, ...]:
    """The jobs' own ``filename`` values."""
    return tuple(job.options["filename"] for job in case.jobs if job.options.get("filename"))


def io_engines(case: Case) -> dict[str, JobSpec]:
    """The ioengines that a case asks for, each with a job that does."""
    return {job.options["ioengine"]: job for job in case.jobs if job.options.get("ioengine")}


def cpus_of(case: Case) -> str:
    """The CPUs that all jobs of a case are held to, as taskset lists them; empty for all."""
    if case.environment and case.environment.cpus_allowed:
        return case.environment.cpus_allowed
    named = [job.options.get("cpus_allowed", "") for job in case.jobs]
    return ",".join(dict.fromkeys(named)) if all(named) else ""


def parse_seconds(text: str) -> float | None:
    """fio's duration in seconds; seconds when no unit is given. None for what is none."""
    return _known(numbers.seconds, text)


def _known(read: Callable[[str], T], text: str) -> T | None:
    try:
        return read(text)
    except numbers.BadNumberError:
        return None


def _bytes(job: JobSpec, key: str, whole: int) -> int | None:
    """A size of a job in bytes, a percentage being one of so many; None for what cannot be read,
    0 where it is not set."""
    size = _known(numbers.size, job.options.get(key, "0"))
    return size.of(whole) if size else None


def _job_seconds(job: JobSpec) -> float | None:
    """None without a runtime, or with one of 0, which is fio's word for none."""
    runtime = parse_seconds(_option(job, "runtime", "timeout", default=""))
    waits = (job.options.get("ramp_time", "0"), job.options.get("startdelay", "0"))
    parts = [_known(_longest_ns, text) for text in waits]
    known = [part / numbers.NS_PER_S for part in parts if part is not None]
    return runtime + sum(known) if runtime and len(known) == len(parts) else None


def _longest_ns(text: str) -> int:
    """Of a range of delays, ``1s-5s``, the longest."""
    return numbers.span(text, numbers.nanoseconds)[1]


def _has_stonewall(case: Case) -> bool:
    return any(job.options.get(key, "0") != "0" for job in case.jobs for key in ("stonewall",))


def _file_names(job: JobSpec) -> list[str]:
    """fio names a clone's file after the job and the clone unless ``filename`` does."""
    if given := job.options.get("filename"):
        return given.split(":")
    return [f"{job.name}.{clone}" for clone in range(min(_count(job, "numjobs"), _MOST_CLONES))]


def _transfers(job: JobSpec) -> tuple[str, ...]:
    return transfers_of(_option(job, "rw", "readwrite", default=DEFAULT_RW))


def _count(job: JobSpec, key: str) -> int:
    return max(_known(numbers.number, job.options.get(key, "1")) or 1, 1)


def _option(job: JobSpec, *names: str, default: str) -> str:
    options: Mapping[str, str] = job.options
    text = next((options[name] for name in names if options.get(name)), default)
    return text.partition(":")[0].strip() if names[0] == "rw" else text
