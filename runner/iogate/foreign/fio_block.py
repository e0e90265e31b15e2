"""What one job did, from its block of fio's output for people."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from iogate.foreign.fio_numbers import NUMBER, UNIT_NS, count, plain, size
from iogate.foreign.fio_options import only_direction
from iogate.jobs.numbers import BadNumberError, number
from iogate.model.measurement import (
    DIRECTIONS,
    TRANSFERS,
    Direction,
    DiskUtil,
    JobMeasurement,
    Latency,
    percentile_key,
)

ONE_SUM = "its reads and writes are one sum (unified_rw_reporting), which is left out"
_NS_PER_MS = 1_000_000
_VALUE = rf"({NUMBER}[kKmMgGtTpP]?)"
_PAIR = re.compile(r"(\w+)=\s*([^,\s()]+(?:,\d{3}[^,\s()]*)*)")
_DIRECTION = re.compile(r"\s*(read|write|trim|mixed)\s*:\s*(\S.*)")
_DONE = re.compile(r"\(([^()/]{1,30})/\s*(\d{1,15})msec\)")
_SYNC = re.compile(r"\s*fsync/fdatasync/sync_file_range:\s*")
_LATENCY = re.compile(
    rf"\s*(slat|clat|lat|sync)\s*\((nsec|usec|msec|sec)\)\s*:\s*min=\s*{_VALUE}, max=\s*{_VALUE}"
    rf", avg=\s*{_VALUE}, stdev=\s*{_VALUE}"
)
_PERCENTILES = re.compile(r"\s*(slat|clat|lat|sync) percentiles \((nsec|usec|msec|sec)\):(.*)")
_PERCENTILE = re.compile(rf"([0-9.]{{1,12}})th=\[\s*{_VALUE}\]")
_CPU = re.compile(
    rf"\s*cpu\s*: usr=({NUMBER})%, sys=({NUMBER})%, ctx=(\d+), majf=(\d+), minf=(\d+)"
)
_DEPTHS = re.compile(r"\s*IO depths\s*: (.*)")
_DEPTH = re.compile(rf"((?:>=)?\d+)=({NUMBER})%")
_ISSUED = re.compile(r"\s*issued.*?total=([^\s]+)")
_DISK = re.compile(r"\s*(\S{1,60}): ios=(\d{1,18})/(\d{1,18}),.*?\butil=([0-9.]{1,9})%.*")


@dataclass(slots=True)
class Block:
    """The lines about a job. ``warnings`` are what had to be worked out."""

    name: str
    clones: int
    error: int
    pid: str
    ended_ns: int | None
    lines: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Part:
    """One direction so far; latencies are (unit in ns, min, max, mean, stdev)."""

    fields: Mapping[str, str] = field(default_factory=dict)
    done: tuple[str, int] | None = None
    latencies: dict[str, tuple[float, float, float, float]] = field(default_factory=dict)
    percentiles: dict[str, dict[str, float]] = field(default_factory=dict)


@dataclass(slots=True)
class _Facts:
    """Everything that the lines of a block say."""

    parts: dict[str, _Part] = field(default_factory=dict)
    totals: dict[str, int] = field(default_factory=dict)
    cpu: tuple[float, ...] = (math.nan, math.nan, 0.0, 0.0, 0.0)
    depths: dict[str, float] = field(default_factory=dict)


def read_block(block: Block, setup: Mapping[str, str]) -> JobMeasurement:
    """A job's row. Where the number of I/Os or of bytes is rounded or missing, it is worked
    out from the rates, and the block gets a warning."""
    facts = _read_lines(block.lines)
    _give_to_its_direction(facts, block, setup)
    directions = {}
    for name, part in facts.parts.items():
        direction = _sync(part, facts) if name == "sync" else _direction(name, part, facts, setup)
        if direction and direction.total_ios:
            directions[name] = direction
            if name in TRANSFERS and name not in facts.totals:
                block.warnings.append(f"the number of {name}s is worked out from its rate")
        elif name == "sync":
            block.warnings.append("its syncs are left out, as it does not say how many there were")
    longest = max((direction.runtime_ns for direction in directions.values()), default=0)
    usr, sys, switches, major, minor = facts.cpu
    return JobMeasurement(
        name=block.name,
        jobs=max(block.clones, 1),
        directions=directions,
        usr_cpu_percent=usr,
        sys_cpu_percent=sys,
        context_switches=int(switches),
        major_faults=int(major),
        minor_faults=int(minor),
        runtime_ns=longest * max(block.clones, 1),
        error=block.error,
        iodepth_levels=facts.depths,
    )


def _give_to_its_direction(facts: _Facts, block: Block, setup: Mapping[str, str]) -> None:
    """With unified_rw_reporting, one part is for all: it is that of the only direction. Where
    the others are beside it, it only repeats them."""
    mixed = facts.parts.pop("mixed", None)
    if mixed is None or any(name in facts.parts for name in TRANSFERS):
        return
    only = only_direction(setup) if "rw" in setup else None
    if only:
        facts.parts[only] = mixed
    else:
        block.warnings.append(ONE_SUM)


def read_disk(line: str) -> list[DiskUtil]:
    """The disk that a line of "Disk stats" is about, if it is one."""
    match = _DISK.fullmatch(line)
    try:
        return [DiskUtil(match[1], int(match[2]), int(match[3]), float(match[4]))] if match else []
    except ValueError:
        return []


def _read_lines(lines: list[str]) -> _Facts:
    facts, current = _Facts(), _Part()
    for line in _glued(lines):
        if match := _DIRECTION.fullmatch(line):
            current = facts.parts.setdefault(match[1], _Part())
            current.fields = {key.lower(): value for key, value in _PAIR.findall(match[2])}
            done = _DONE.search(match[2])
            current.done = (done[1], int(done[2])) if done else None
        elif _SYNC.fullmatch(line):
            current = facts.parts.setdefault("sync", _Part())
        else:
            _read_detail(line, current, facts)
    return facts


def _glued(lines: list[str]) -> list[str]:
    """Percentiles go on over several lines, each with a bar before it."""
    glued: list[str] = []
    for line in lines:
        if glued and line.lstrip().startswith("|"):
            glued[-1] += line
        else:
            glued.append(line)
    return glued


def _read_detail(line: str, part: _Part, facts: _Facts) -> None:
    try:
        if match := _LATENCY.match(line):
            unit = UNIT_NS[match[2]]
            low, high, mean, spread = (count(match[at]) * unit for at in range(3, 7))
            part.latencies[match[1]] = (low, high, mean, spread)
        elif match := _PERCENTILES.match(line):
            part.percentiles[match[1]] = _percentiles(match[3], UNIT_NS[match[2]])
        elif match := _CPU.match(line):
            facts.cpu = tuple(plain(match[at]) for at in range(1, 6))
        elif match := _DEPTHS.match(line):
            facts.depths = {level: plain(share) for level, share in _DEPTH.findall(match[1])}
        elif match := _ISSUED.match(line):
            facts.totals = _totals(match[1])
    except ValueError:
        return  # a line of something else, or damaged: the others still count


def _percentiles(text: str, unit_ns: int) -> dict[str, float]:
    return {
        percentile_key(float(percent)): count(value) * unit_ns
        for percent, value in _PERCENTILE.findall(text)
    }


def _totals(text: str) -> dict[str, int]:
    """``1,2,0,4`` (read, write, trim, sync), ``1/2`` and ``r=1/w=2/d=0``."""
    numbers = [int(part.lstrip("rwds=")) for part in re.split("[,/]", text) if part]
    return dict(zip(DIRECTIONS, numbers, strict=False))


def _direction(name: str, part: _Part, facts: _Facts, setup: Mapping[str, str]) -> Direction | None:
    old = "io" in part.fields
    try:
        rate = count(part.fields["iops"])
        bandwidth = size(part.fields["bw"], always_binary=old)
        runtime_ms, moved = _moved(part, old)
    except (KeyError, ValueError):
        return None
    seconds = runtime_ms / 1000
    total = facts.totals.get(name, round(rate * seconds))
    io_bytes = _exact_bytes(total, moved, setup)
    if seconds and name in facts.totals:  # exact, where the printed rates are rounded
        rate = total / seconds
    if seconds and io_bytes != moved:
        bandwidth = io_bytes / seconds
    return Direction(
        total_ios=total,
        io_bytes=io_bytes,
        runtime_ns=runtime_ms * _NS_PER_MS,
        iops=rate,
        bw=bandwidth,
        slat=_latency(part, "slat", total),
        clat=_latency(part, "clat", total),
        lat=_latency(part, "lat", total),
    )


def _moved(part: _Part, old: bool) -> tuple[int, int]:
    """Milliseconds and bytes; KeyError or ValueError where a line does not say."""
    if old:
        runtime = count(part.fields["runt"].removesuffix("msec"))
        return int(runtime), round(size(part.fields["io"], always_binary=True))
    if part.done is None:
        raise ValueError("no amount")
    return part.done[1], round(size(part.done[0]))


def _exact_bytes(total: int, moved: int, setup: Mapping[str, str]) -> int:
    """I/Os times block size, where that is what the printed amount was rounded from."""
    try:
        exact = total * number(setup["bs"])
    except (KeyError, BadNumberError):
        return moved
    return exact if abs(exact - moved) <= moved / 100 else moved


def _latency(part: _Part, kind: str, total: int) -> Latency | None:
    if kind not in part.latencies or not total:
        return None
    low, high, mean, spread = part.latencies[kind]
    return Latency(total, low, high, mean, spread, percentiles=part.percentiles.get(kind, {}))


def _sync(part: _Part, facts: _Facts) -> Direction | None:
    """Syncs have no lines of their own rate: they went on as long as the data did."""
    total = facts.totals.get("sync", 0)
    parts = [facts.parts[name] for name in TRANSFERS if name in facts.parts]
    runtime_ms = max((each.done[1] for each in parts if each.done), default=0)
    if not total or not runtime_ms:
        return None
    return Direction(
        total_ios=total,
        io_bytes=0,
        runtime_ns=runtime_ms * _NS_PER_MS,
        iops=total * 1000 / runtime_ms,
        bw=0.0,
        lat=_latency(part, "sync", total),
    )
