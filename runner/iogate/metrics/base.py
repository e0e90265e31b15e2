"""What a metric is, and what a row of the table in ``iogate.metrics.table`` is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iogate.model.measurement import DIRECTIONS, TRANSFERS, JobMeasurement, Measurement
from iogate.model.units import Better, Unit

ANY_TRANSFER = (*TRANSFERS, "all")
ANY = (*DIRECTIONS, "all")
MOMENTS = ("mean", "min", "max", "stdev")
"""The directions and statistics that rows are made for."""

_AMOUNTS = {
    Unit.NANOSECONDS: "2ms",
    Unit.BYTES_PER_SECOND: "500MB/s",
    Unit.PER_SECOND: "180k",
    Unit.PERCENT: "50%",
    Unit.COUNT: "1",
    Unit.RATIO: "2",
}


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric by its full path (``write.clat.p99``, ``jobs.bgwriter.write.iops``).

    ``extract`` gives the value of one repetition in ``unit``, or None where the
    repetition has none (no I/O in that direction). ``definition`` stands for what a spec made
    it of: the same name may mean another thing on another day.
    """

    path: str
    unit: Unit
    better: Better
    help: str
    extract: Callable[[Measurement], float | None]
    definition: str = ""

    @property
    def kept_as(self) -> str:
        """What a history keeps its numbers under."""
        return f"{self.path}#{self.definition}" if self.definition else self.path

    @property
    def example(self) -> str:
        """A limit that makes sense for it."""
        return f"{'<' if self.better is Better.LOW else '>='} {_AMOUNTS[self.unit]}"


def no_value(_jobs: Sequence[JobMeasurement], _direction: str, _stat: str) -> float | None:
    """What a row of the repetition itself has of its jobs."""
    return None


@dataclass(frozen=True, slots=True)
class Row:
    """A family of metrics that share a unit.

    ``directions`` empty: the path is ``name`` alone (``cpu.usr``); else it is
    ``DIR.name[.STAT]``, with ``default_stat`` where STAT is left out. ``value`` gets the
    jobs in question, the direction and the stat (both "" where the row has none).
    ``better`` is of the level; a stdev is better low whatever it is of. ``whole`` is set where
    the value is of the repetition itself and no job has one of its own.
    """

    name: str
    unit: Unit
    better: Better
    help: str
    value: Callable[[Sequence[JobMeasurement], str, str], float | None] = no_value
    directions: tuple[str, ...] = ()
    stats: tuple[str, ...] = ()
    default_stat: str = ""
    percentiles: bool = False
    whole: Callable[[Measurement], float | None] | None = None
