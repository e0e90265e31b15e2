"""One row of a table of truth, and how the engine is run for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil
from pathlib import Path
from typing import Any

from support.engine_runs import built_engine, run

PERCENTS = (50.0, 99.0, 99.9)
GOAL = 0.02
GOAL_US = 5.0


@dataclass(frozen=True, slots=True)
class Row:
    """What was done to the disk or seen by the kernel, and what the engine says of it."""

    what: str
    truth: str
    measured: str
    difference: str
    goal: str
    holds: bool

    def markdown(self) -> str:
        """One line of the table."""
        held = "holds" if self.holds else "**does not hold**"
        cells = (self.what, self.truth, self.measured, self.difference, self.goal, held)
        return f"| {' | '.join(cells)} |"


def close(what: str, truth_us: float, measured_us: float) -> Row:
    """Two times that have to agree within 2 % or 5 us."""
    apart = measured_us - truth_us
    return Row(
        what,
        f"{truth_us:,.1f} µs",
        f"{measured_us:,.1f} µs",
        f"{apart:+,.1f} µs ({apart / truth_us:+.2%})",
        "2 % or 5 µs",
        abs(apart) <= max(GOAL_US, GOAL * truth_us),
    )


def equal(what: str, truth: int, measured: int) -> Row:
    """Two numbers that have to be the same."""
    return Row(
        what, f"{truth:,}", f"{measured:,}", f"{measured - truth:+,}", "0", truth == measured
    )


def percentile(values: Sequence[float], percent: float) -> float:
    """Of sorted values: the smallest with so many percent at or below it."""
    return values[max(ceil(len(values) * percent / 100 - 1e-9), 1) - 1]


def engine(folder: Path, options: str, *, prefix: Sequence[str] = ()) -> dict[str, Any]:
    """Run one job of these options; the whole document."""
    text = "[j]\n" + "\n".join(options.split()) + "\n"
    command = [*prefix, str(built_engine()), "--output-format=json+", "-"]
    return run(command[0], command[1:], folder, text).document()


def logged(path: Path) -> list[tuple[int, int]]:
    """Offset and value of each row of a log with log_offset=1, in its order."""
    rows = [line.split(", ") for line in path.read_text().splitlines()]
    return [(int(row[4]), int(row[1])) for row in rows]
