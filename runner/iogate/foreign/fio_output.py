"""fio's output for people, versions 1 to 3: which lines of a text belong to which run.

A run is what one call of fio printed: set-up lines (``name: (g=0): rw=…``), then a block a
job (``name: (groupid=0, jobs=1): err= 0: …``), then the sums. A text may hold several, cut
short or without their set-up, and anything between them. With --status-interval a run has
its blocks and sums again and again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from iogate.engine.base import EngineResult
from iogate.errors import EngineError
from iogate.foreign.base import ForeignResult, read_each
from iogate.foreign.fio_block import ONE_SUM, Block, read_block, read_disk
from iogate.foreign.fio_commands import COMMAND, read_command
from iogate.foreign.fio_options import unique_jobs
from iogate.foreign.fio_setup import read_date, read_setup
from iogate.model.measurement import DiskUtil, EngineFacts
from iogate.model.spec import JobSpec

_LONGEST_LINE = 4096
_VERSION = re.compile(r"\s*(fio|iogate-engine)-(\d[\w.-]{0,30})\s*")
_SETUP = re.compile(r"\s*(.{1,200}?): \(g=\d+\): (rw=.*)")
_BLOCK = re.compile(
    r"\s*(.{1,200}?): \(groupid=\d+, jobs=\s*(\d{1,6})\): err=\s*(-?\d{1,6}).*?"
    r"pid=(\d+)(?::\s*(.*))?"
)
_SUMS = re.compile(r"\s*(?:Run status group \d+|(?:READ|WRITE|TRIM|MIXED)\s*:\s)")


@dataclass(slots=True)
class _Run:
    """The lines of one call of fio so far."""

    command: list[JobSpec] = field(default_factory=list)
    engine: EngineFacts = field(default_factory=lambda: EngineFacts("fio", ""))
    setups: dict[str, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)
    disks: list[DiskUtil] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    ended: bool = False


def read_output(text: str) -> Iterator[ForeignResult]:
    """The results in a text; those without any I/O are none. EngineError, after all others, for
    those whose reads and writes cannot be told apart."""
    yield from read_each(_runs(_joined(text.splitlines())), _result)


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Lines, with those that were wrapped after a comma or a backslash in one piece."""
    held = ""
    for whole in lines:
        line = whole[:_LONGEST_LINE]
        held = f"{held}{line.strip()}" if held else line
        end = held.rstrip()
        if len(held) <= _LONGEST_LINE and end.endswith((",", "\\")):
            held = end.removesuffix("\\") + " "
            continue
        yield held
        held = ""
    if held:
        yield held


def _runs(lines: Iterable[str]) -> Iterator[_Run]:
    run = _Run()
    for line in lines:
        if _is_another_look(line, run):
            run.blocks, run.disks, run.ended = [], [], False
        elif _begins_anew(line, run):
            yield run
            run = _Run()
        _take(line, run)
    yield run


def _is_another_look(line: str, run: _Run) -> bool:
    """Whether a block is the first one again, of the same process: --status-interval appends
    looks at the same run, of which the last counts."""
    match = _BLOCK.fullmatch(line) if run.ended and run.blocks else None
    return match is not None and (match[1], match[4]) == (run.blocks[0].name, run.blocks[0].pid)


def _begins_anew(line: str, run: _Run) -> bool:
    if not run.blocks:
        return False
    if COMMAND.fullmatch(line) or _SETUP.fullmatch(line) or _VERSION.fullmatch(line):
        return True
    return run.ended and _BLOCK.fullmatch(line) is not None


def _take(line: str, run: _Run) -> None:
    """Put a line where it belongs, if it belongs anywhere."""
    if match := COMMAND.fullmatch(line):
        run.command = read_command(match[1])
    elif match := _VERSION.fullmatch(line):
        run.engine = EngineFacts(match[1], match[2])
    elif match := _SETUP.fullmatch(line):
        run.setups[match[1]] = match[2]
    elif match := _BLOCK.fullmatch(line):
        date = read_date(match[5] or "")
        run.blocks.append(Block(match[1], int(match[2]), int(match[3]), match[4], date))
    elif _SUMS.match(line):
        run.ended = True
    elif run.ended:
        run.disks += read_disk(line)
    elif run.blocks:
        run.blocks[-1].lines.append(line)
    if not run.ended and (run.setups or run.blocks):
        run.lines.append(line)


def _result(run: _Run) -> ForeignResult | None:
    setups = {name: read_setup(line) for name, line in run.setups.items()}
    rows = [read_block(block, setups.get(block.name, {})) for block in run.blocks]
    rows = [row for row in rows if row.directions or row.error]
    estimated = [f"{block.name}: {text}" for block in run.blocks for text in block.warnings]
    if not rows:
        summed = [block.name for block in run.blocks if ONE_SUM in block.warnings]
        if summed:
            raise EngineError(
                f"nothing of a result is left: {summed[0]}: {ONE_SUM}",
                remedy="measure it with unified_rw_reporting=both, which gives each as well",
            )
        return None
    ended = [block.ended_ns for block in run.blocks if block.ended_ns is not None]
    spans = [d.runtime_ns for row in rows for d in row.directions.values()]
    return ForeignResult(
        result=EngineResult(
            engine=run.engine,
            jobs=tuple(rows),
            disks=tuple(run.disks),
            warnings=tuple(dict.fromkeys(estimated)),
        ),
        jobs=unique_jobs(_jobs(run, setups)),
        ended_ns=max(ended, default=None),
        elapsed_ns=max(spans, default=0),
        text="\n".join(run.lines),
        form="fio output",
    )


def _jobs(run: _Run, setups: dict[str, dict[str, str]]) -> Iterator[JobSpec]:
    """The options of the command where it is there and these are its jobs, else what the
    set-up line tells."""
    names = {block.name for block in run.blocks}
    if {job.name for job in run.command} == names:
        yield from run.command
        return
    for name in dict.fromkeys(block.name for block in run.blocks):
        # The name as well: jobs that share the little that is known are not the same job.
        options = {"name": name, **setups.get(name, {})}
        clones = sum(block.clones for block in run.blocks if block.name == name)
        if clones > 1:
            options["numjobs"] = str(clones)
        yield JobSpec(name, options)
