"""Latency from when I/Os were issued, and from when they were due: coordinated omission.

A job with a rate that is held up issues late what was due meanwhile. Latency from the issue
does not know of that wait; latency from when the I/O was due does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.units import Unit, format_value
from iogate_reports.charts.lanes import directions, quantiles_ns

LEVELS = {"p99": 0.99, "p99.9": 0.999, "p90": 0.9, "p99.99": 0.9999}
"""Where a hidden wait is looked for, what readers know best first."""
FACTOR = 3
LEAST_NS = 1_000_000
"""They differ strongly where the wait makes it three times as long, and a ms at least: less
is what waking up takes on a busy machine."""
LEAST_BEYOND = 10
ALL_ALONG = 4
"""Of a job that is too slow all along, the wait grows steadily: the median is half of p99. Of a
stall it is far less, unless most of the run was one."""


@dataclass(frozen=True, slots=True)
class Waits:
    """The same I/Os of one direction, of all jobs with a rate, timed from two starts."""

    direction: str
    issued: Histogram
    due: Histogram

    def told(self) -> str:
        """A sentence where the two differ strongly; else nothing."""
        middle = self._pair(0.5)
        if _differ(*middle) and middle[1] * ALL_ALONG >= self._pair(0.99)[1]:
            return (
                f"The job fell behind its rate: half of the {self.direction}s ended at least "
                f"{_time(middle[1])} after they were due, though they took {_time(middle[0])} "
                "from their issue. The target does less than the rate, or stood still for long."
            )
        for name, share in LEVELS.items():
            seen = self._pair(share)
            if self.due.count * (1 - share) >= LEAST_BEYOND and _differ(*seen):
                return (
                    f"A stall was hidden from clat: {name} of {self.direction}s is "
                    f"{_time(seen[0])} from their issue, but {_time(seen[1])} from when they "
                    "were due. What was due during the stall was issued after it, and clat "
                    "does not count that wait; intended_lat does."
                )
        return ""

    def _pair(self, share: float) -> tuple[float, float]:
        return quantiles_ns(self.issued, (share,))[0], quantiles_ns(self.due, (share,))[0]


def waits(measurements: Sequence[Measurement]) -> Iterator[Waits]:
    """Of each direction in which a job had a rate, over all repetitions."""
    for direction in directions(measurements):
        issued, due = [], []
        for job in (job for m in measurements for job in m.jobs):
            part = job.directions.get(direction)
            late = part and part.intended_lat
            usual = part and (part.clat or part.lat)
            if late and late.histogram and usual and usual.histogram:
                issued.append(usual.histogram)
                due.append(late.histogram)
        if due:
            yield Waits(direction, Histogram.merged(issued), Histogram.merged(due))


def _differ(issued_ns: float, due_ns: float) -> bool:
    return due_ns >= FACTOR * issued_ns and due_ns - issued_ns >= LEAST_NS


def _time(ns: float) -> str:
    return format_value(ns, Unit.NANOSECONDS)
