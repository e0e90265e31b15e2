"""One row of a table of truth, and how an engine is run for it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import ceil
from pathlib import Path
from typing import Any

from support.engine_runs import built_engine, run

GOAL = 0.02
GOAL_US = 5.0
# One CPU for the disk and for who waits for it, and ahead of whatever else runs there.
CPU = str(max(os.sched_getaffinity(0)))
DISK_AT_ONCE = ("chrt", "--fifo", "40", "taskset", "--cpu-list", CPU)
AT_ONCE = ("chrt", "--fifo", "50", "taskset", "--cpu-list", CPU)
ANYWHERE = ("chrt", "--fifo", "50")


@dataclass(frozen=True, slots=True)
class Row:
    """What was done to the disk or seen by the kernel, what the engine says of it, and how far
    fio is off. ``goal`` is empty where the row only tells, and then it ``holds``; ``apart`` is
    the difference as a number, to sort by."""

    what: str
    truth: str
    measured: str
    difference: str
    goal: str
    holds: bool
    fio: str = ""
    apart: float = 0.0

    def markdown(self) -> str:
        """One line of the table."""
        held = "holds" if self.holds else "**does not hold**"
        cells = (self.what, self.truth, self.measured, self.difference, self.fio or "–")
        return f"| {' | '.join(cells)} | {self.goal or '–'} | {held if self.goal else '–'} |"

    def with_fio(self, other: Row) -> Row:
        """Beside the same row of fio, against its own truth."""
        return replace(self, fio=other.difference)


def close(what: str, truth_us: float, measured_us: float, *, goal: bool = True) -> Row:
    """Two times that have to agree within 2 % or 5 us."""
    apart = measured_us - truth_us
    return Row(
        what,
        f"{truth_us:,.1f} µs",
        f"{measured_us:,.1f} µs",
        f"{apart:+,.1f} µs ({apart / truth_us:+.2%})",
        "2 % or 5 µs" if goal else "",
        not goal or abs(apart) <= max(GOAL_US, GOAL * truth_us),
        apart=apart,
    )


def near(what: str, truth: float, measured: float, unit: str) -> Row:
    """Two numbers that have to agree within 2 %."""
    apart = measured / truth - 1
    return Row(
        what,
        f"{truth:,.1f} {unit}",
        f"{measured:,.1f} {unit}",
        f"{apart:+.2%}",
        "2 %",
        abs(apart) <= GOAL,
    )


def equal(what: str, truth: int, measured: int) -> Row:
    """Two numbers that have to be the same."""
    return Row(
        what, f"{truth:,}", f"{measured:,}", f"{measured - truth:+,}", "0", truth == measured
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """Of sorted values: the smallest with so many percent at or below it."""
    return values[max(ceil(len(values) * percent / 100 - 1e-9), 1) - 1]


@dataclass(frozen=True, slots=True)
class Program:
    """What measures, by the name that the kernel knows it by."""

    name: str
    path: str


def programs(folder: Path) -> tuple[Program, Program]:
    """Ours, and fio beside it; by names of their own, as the trace goes by names and others
    may measure at the same time."""
    ours, fio = built_engine(), shutil.which("fio")
    assert fio, "fio is not installed"
    return _named(folder, "ours", ours), _named(folder, "fio", Path(fio))


def _named(folder: Path, name: str, path: Path) -> Program:
    link = folder / f"{name}-{os.getpid()}"
    if not link.is_symlink():
        link.symlink_to(path)
    return Program(link.name, str(link))


def engine(
    folder: Path, options: str, *, prefix: Sequence[str] = (), path: str = ""
) -> dict[str, Any]:
    """Run one job of these options; the whole document."""
    text = "[j]\n" + "\n".join(options.split()) + "\n"
    command = [*prefix, path or str(built_engine()), "--output-format=json+", "-"]
    return run(command[0], command[1:], folder, text).document(notes=True)


def logged(path: Path) -> list[tuple[int, int]]:
    """Offset and value of each row of a log with log_offset=1, in its order."""
    rows = [line.split(", ") for line in path.read_text().splitlines()]
    return [(int(row[4]), int(row[1])) for row in rows]
