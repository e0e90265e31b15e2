"""fio's terse output, versions 2 to 5: a line of fields a job, with a semicolon between them.

A line says what was measured and little of what ran: no options, no date, no number of I/Os.
The disks that stand at the end of each line of a run are those of the whole run: they tell lines
of one call of fio from those that another one appended.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from iogate.engine.base import EngineResult
from iogate.errors import EngineError
from iogate.foreign.base import ForeignResult, read_each
from iogate.foreign.fio_commands import COMMAND, read_command
from iogate.foreign.fio_numbers import likely_ios
from iogate.foreign.fio_options import unique_jobs
from iogate.model.measurement import (
    TRANSFERS,
    Direction,
    DiskUtil,
    EngineFacts,
    JobMeasurement,
    Latency,
    percentile_key,
)
from iogate.model.spec import JobSpec

_LINE = re.compile(r"(?:2|[345];(?:fio|iogate-engine)-[^;]{1,40});[^;]{1,200};\d{1,6};-?\d{1,6};.*")
_LONGEST_LINE = 16384
_PERCENTILES = 20
_SIDE, _SIDE_5 = 41, 47  # the fields of a direction; version 5 adds samples of IOPS
_DEPTHS = ("1", "2", "4", "8", "16", "32", ">=64")
_TAIL = 5 + len(_DEPTHS) + 22  # CPU and faults, depths, shares of latencies
_DISK = 9
_NS_PER_US = 1000
_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Line:
    """A line; ``sides`` are the fields of each direction, ``rest`` what is behind them."""

    text: str
    engine: EngineFacts
    name: str
    group: int
    error: int
    sides: Mapping[str, Sequence[str]]
    rest: Sequence[str]

    @property
    def disks(self) -> Sequence[Sequence[str]]:
        """Nine fields a disk; what is behind them is of errors and the description."""
        parts = [self.rest[at : at + _DISK] for at in range(_TAIL, len(self.rest), _DISK)]
        return [part for part in parts if len(part) == _DISK and part[-1].endswith("%")]


@dataclass(slots=True)
class _Run:
    """The lines of one call of fio; ``command`` are its jobs, if its words stand above them."""

    command: list[JobSpec]
    lines: list[_Line] = field(default_factory=list)


def read_terse(text: str) -> Iterator[ForeignResult]:
    """The results in a text. EngineError, after all others, for lines that cannot be read and
    those whose reads and writes cannot be told apart."""
    yield from read_each(_runs(text), _result)


def _runs(text: str) -> Iterator[_Run | EngineError]:
    run = _Run([])
    for number, whole in enumerate(text.splitlines(), 1):
        line = whole.strip()
        if match := COMMAND.fullmatch(line[:_LONGEST_LINE]):
            yield run
            run = _Run(read_command(match[1]))
        elif _is_terse(line):
            try:
                read = _line(line)
            except ValueError:
                yield EngineError(
                    f"the terse result in line {number} has other fields than fio's",
                    remedy="mend it, if the rest is known; else measure again",
                )
                continue
            if _is_of_another(read, run):
                yield run
                run = _Run(run.command)
            run.lines.append(read)
    yield run


def _is_terse(line: str) -> bool:
    """Version 2 has nothing that says it is fio's: its percentiles do."""
    if len(line) > _LONGEST_LINE or not _LINE.fullmatch(line):
        return False
    return not line.startswith("2") or line.count("%=") >= _PERCENTILES


def _line(text: str) -> _Line:
    """ValueError for a line with too few fields."""
    version, *fields = text.split(";")
    engine = EngineFacts("fio", "")
    if version != "2":
        name, _, number = fields.pop(0).rpartition("-")
        engine = EngineFacts(name, number)
    name, group, error, *fields = fields
    length = _SIDE_5 if version == "5" else _SIDE
    names = _names(version, sum("%=" in each for each in fields) // _PERCENTILES)
    sides = {side: fields[at * length : (at + 1) * length] for at, side in enumerate(names)}
    rest = fields[len(names) * length :]
    if len(rest) < _TAIL or any(not rest[at].endswith("%") for at in (0, 1, 5)):
        raise ValueError(text)
    return _Line(text, engine, name, int(group), int(error), sides, rest)


def _names(version: str, count: int) -> Sequence[str]:
    """What the directions of a line are: unified_rw_reporting has one for all, or one more."""
    usual = TRANSFERS[:2] if version == "3" else TRANSFERS
    by_count = {1: ("mixed",), len(usual): usual, len(usual) + 1: (*usual, "mixed")}
    if count not in by_count:
        raise ValueError(count)
    return by_count[count]


def _is_of_another(line: _Line, run: _Run) -> bool:
    """Whether a line is of another call of fio. Clones without group_reporting have the same
    name; without disks nothing tells them from the same job, run again."""
    if not run.lines:
        return False
    last = run.lines[-1]
    if line.group < last.group or line.engine != last.engine or line.disks != last.disks:
        return True
    return not line.disks and any(line.name == each.name for each in run.lines)


def _result(run: _Run | EngineError) -> ForeignResult | None:
    if isinstance(run, EngineError):
        raise run
    if not run.lines:
        return None
    warnings: list[str] = []
    try:
        rows = [_row(line, warnings) for line in run.lines]
        disks = tuple(_disk(fields) for fields in run.lines[0].disks)
    except (ValueError, ArithmeticError) as error:
        raise EngineError(
            f"a terse result of {run.lines[0].name} cannot be read: {error}",
            remedy="leave it out, or measure again",
        ) from None
    if not any(row.directions or row.error for row in rows):
        raise EngineError(
            f"the result of {run.lines[0].name} holds no I/O: nothing was measured",
            remedy="see what fio said on stderr, and measure again",
        )
    return ForeignResult(
        result=EngineResult(
            engine=run.lines[0].engine,
            jobs=tuple(rows),
            disks=disks,
            warnings=tuple(dict.fromkeys(warnings)),
        ),
        jobs=unique_jobs(_jobs(run)),
        ended_ns=None,
        elapsed_ns=max((row.runtime_ns for row in rows), default=0),
        text="\n".join(line.text for line in run.lines),
        form="fio terse",
    )


def _jobs(run: _Run) -> Iterator[JobSpec]:
    """The options of the command where these are its jobs, else the name alone."""
    names = [line.name for line in run.lines]
    if {job.name for job in run.command} == set(names):
        yield from run.command
        return
    for name in dict.fromkeys(names):
        clones = names.count(name)
        yield JobSpec(name, {"name": name} | ({"numjobs": str(clones)} if clones > 1 else {}))


def _row(line: _Line, warnings: list[str]) -> JobMeasurement:
    if "mixed" in line.sides and len(line.sides) == 1:
        raise EngineError(
            f"job {line.name} has one sum for its reads and writes (unified_rw_reporting=1):"
            " they cannot be told apart",
            remedy="measure it with unified_rw_reporting=both, which gives each as well",
        )
    directions = {}
    for name, fields in line.sides.items():
        direction = _direction(fields) if name in TRANSFERS else None
        if direction:
            directions[name] = direction
            warnings.append(f"{line.name}: the number of {name}s is worked out from its rate")
    usr, sys, switches, major, minor = line.rest[:5]
    return JobMeasurement(
        name=line.name,
        jobs=1,
        directions=directions,
        usr_cpu_percent=float(usr.rstrip("%")),
        sys_cpu_percent=float(sys.rstrip("%")),
        context_switches=int(switches),
        major_faults=int(major),
        minor_faults=int(minor),
        runtime_ns=max((direction.runtime_ns for direction in directions.values()), default=0),
        error=line.error,
        iodepth_levels=dict(
            zip(_DEPTHS, (float(each.rstrip("%")) for each in line.rest[5:12]), strict=True)
        ),
    )


def _direction(fields: Sequence[str]) -> Direction | None:
    """None for one without any I/O. Amounts are in KiB, times in ms, latencies in µs."""
    kib, bw_kib, iops, runtime_ms = (float(each) for each in fields[:4])
    total, exact = likely_ios(kib * 1024, iops, runtime_ms / 1000)
    if not total:
        return None
    return Direction(
        total_ios=total,
        io_bytes=int(kib * 1024),
        runtime_ns=int(runtime_ms) * _NS_PER_MS,
        iops=total * 1000 / runtime_ms if exact else iops,
        bw=kib * 1024 * 1000 / runtime_ms if kib else bw_kib * 1024,
        slat=_latency(fields[4:8], total, {}),
        clat=_latency(fields[8:12], total, _percentiles(fields[12:32])),
        lat=_latency(fields[32:36], total, {}),
    )


def _latency(fields: Sequence[str], total: int, percentiles: Mapping[str, float]) -> Latency | None:
    low, high, mean, spread = (float(each) * _NS_PER_US for each in fields)
    if not mean:  # not measured
        return None
    return Latency(total, low, high, mean, spread, percentiles=dict(percentiles))


def _percentiles(fields: Sequence[str]) -> dict[str, float]:
    """Fields that are not used are of 0 %."""
    pairs = [field.split("%=") for field in fields]
    return {
        percentile_key(float(percent)): float(value) * _NS_PER_US
        for percent, value in pairs
        if float(percent)
    }


def _disk(fields: Sequence[str]) -> DiskUtil:
    return DiskUtil(fields[0], int(fields[1]), int(fields[2]), float(fields[-1].rstrip("%")))
