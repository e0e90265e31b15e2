"""What a case will take, read off its jobs' options: time, room, and whether it writes.
Pure. An option that cannot be read here counts as unknown, never as an error: the spec
and the engine judge options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from iogate.model.plan import Case
from iogate.model.spec import JobSpec, TargetKind

_NUMBER = re.compile(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", re.IGNORECASE)
_HEX = re.compile(r"0x[0-9a-f]{1,16}", re.IGNORECASE | re.ASCII)
_SECONDS = {"": 1.0, "s": 1.0, "us": 1e-6, "ms": 1e-3, "m": 60.0, "h": 3600.0, "d": 86400.0}
_POWERS = {"": 0, "b": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
_READS = ("read", "randread")
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
_MARGIN_S = 120.0
_MARGIN_FACTOR = 2.0
_SLOWEST_BPS = 2 << 20  # the slowest layout or transfer that is still waited for
_UNBOUNDED_MARGIN_S = 3600.0


def writes(case: Case) -> bool:
    """Whether any job may change its target's content, or take it away."""
    return any(
        _option(job, "rw", "readwrite", default="read") not in _READS
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
    if case.target.kind is TargetKind.FILESYSTEM:
        return "makes a filesystem"
    for job in case.jobs:
        rw = _option(job, "rw", "readwrite", default="read")
        if "trim" in rw:
            return "trims"
        if rw in _WRITES_ALONG:
            return "writes sequentially"
        if rw not in _READS and _plain_data(job):
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
    found = []
    for job in case.jobs:
        rw = _option(job, "rw", "readwrite", default="read")
        if "read" not in rw and rw not in ("rw", "randrw"):
            continue
        start = _part(job.options.get("offset", "0"), total_bytes) or 0
        size = _part(job.options.get("size", ""), total_bytes) or total_bytes
        clones = job.options.get("offset_increment", "0") != "0"
        end = total_bytes if clones else min(start + size, total_bytes)
        if start < end:
            found.append((start, end))
    return tuple(found)


def _part(text: str, total_bytes: int) -> int | None:
    """A size, or a percentage of the whole; None for what cannot be read."""
    if text.endswith("%"):
        share = _NUMBER.fullmatch(text[:-1])
        return int(total_bytes * float(share[1]) / 100) if share else None
    return parse_size(text)


def seconds(case: Case) -> float | None:
    """How long one repetition measures; None when its size decides that, not a clock."""
    each = [_job_seconds(job) for job in case.jobs]
    if any(value is None for value in each):
        return None
    known = [value for value in each if value is not None]
    return sum(known) if _has_stonewall(case) else max(known, default=0.0)


def timeout_s(case: Case) -> float:
    """When a repetition is given up: generous, because a slow disk is a result."""
    total_bytes = sum(files(case).values())
    loops = max((_count(job, "loops") for job in case.jobs), default=1)
    moving = total_bytes * (1 + loops) / _SLOWEST_BPS
    expected = seconds(case)
    if expected is None:
        return _UNBOUNDED_MARGIN_S + moving * _MARGIN_FACTOR
    return _MARGIN_S + expected * loops * _MARGIN_FACTOR + moving


def files(case: Case) -> dict[str, int]:
    """Bytes of each file that a case lays out, by a name that is the file's own."""
    found: dict[str, int] = {}
    for job in case.jobs:
        # Of a range the upper end; without filesize a file reaches from the offset on.
        size = parse_size(_option(job, "filesize", "size", default="0").rpartition("-")[2]) or 0
        if not job.options.get("filesize"):
            size += parse_size(job.options.get("offset", "0")) or 0
        for name in _file_names(job):
            found[name] = max(found.get(name, 0), size)
    return found


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
    """fio's duration; seconds when no unit is given."""
    match = _NUMBER.fullmatch(text)
    if not match:
        return None
    unit = match[2].lower()
    unit = {"sec": "s", "min": "m", "msec": "ms", "usec": "us"}.get(unit, unit)
    scale = _SECONDS.get(unit)
    return None if scale is None else float(match[1]) * scale


def parse_size(text: str) -> int | None:
    """fio's size in bytes, ``k`` being 1024; None for a percentage."""
    if _HEX.fullmatch(text):
        return int(text, 16)
    match = _NUMBER.fullmatch(text)
    if not match:
        return None
    unit = match[2].lower()
    power = _POWERS.get(unit.removesuffix("b").removesuffix("i") or unit[:1])
    return None if power is None else int(float(match[1]) * 1024**power)


def _job_seconds(job: JobSpec) -> float | None:
    runtime = _option(job, "runtime", "timeout", default="")
    texts = (runtime, job.options.get("ramp_time", "0"), job.options.get("startdelay", "0"))
    parts = [parse_seconds(text) for text in texts]
    known = [part for part in parts if part is not None]
    return sum(known) if runtime and len(known) == len(parts) else None


def _has_stonewall(case: Case) -> bool:
    return any(job.options.get(key, "0") != "0" for job in case.jobs for key in ("stonewall",))


def _file_names(job: JobSpec) -> list[str]:
    """fio names a clone's file after the job and the clone unless ``filename`` does."""
    if given := job.options.get("filename"):
        return given.split(":")
    return [f"{job.name}.{clone}" for clone in range(_count(job, "numjobs"))]


def _count(job: JobSpec, key: str) -> int:
    text = job.options.get(key, "1")
    return int(text) if text.isdigit() else 1


def _option(job: JobSpec, *names: str, default: str) -> str:
    options: Mapping[str, str] = job.options
    text = next((options[name] for name in names if options.get(name)), default)
    return text.partition(":")[0].strip() if names[0] == "rw" else text
