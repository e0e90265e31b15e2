"""I/Os and bytes a second over time: the intervals of a repetition, and means of them."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.model.measurement import Interval, Measurement
from iogate_reports.charts.lanes import whole_intervals

_Numbered = list[tuple[int, Interval]]


@dataclass(frozen=True, slots=True)
class Rate:
    """One interval: its middle and its length in s, I/Os and bytes a second."""

    at_s: float
    iops: float
    bw: float
    width_s: float

    @property
    def start_s(self) -> float:
        return self.at_s - self.width_s / 2

    @property
    def end_s(self) -> float:
        return self.at_s + self.width_s / 2


def rates(measurement: Measurement, direction: str) -> list[Rate]:
    """A repetition's intervals, all jobs added; none where the engine kept no series of the
    direction, as of syncs."""
    jobs = [list(whole_intervals(job.series)) for job in measurement.jobs]
    if not any(direction in interval.ios for job in jobs for _, interval in job):
        return []
    widths = _widths(jobs)
    ios, size = dict.fromkeys(widths, 0.0), dict.fromkeys(widths, 0.0)
    for job in jobs:
        for slot, interval, share in _spread(job, widths):
            ios[slot] += interval.ios.get(direction, 0) * share
            size[slot] += interval.bytes.get(direction, 0) * share
    found, before = [], 0
    for slot, width in widths.items():
        middle = (2 * before + width) / 2000
        found.append(
            Rate(middle, ios[slot] * 1000 / width, size[slot] * 1000 / width, width / 1000)
        )
        before += width
    return found


def _widths(jobs: Sequence[_Numbered]) -> dict[int, int]:
    """The number of each interval that a job has, and how long it is in ms, from first to last."""
    ends: dict[int, int] = {}
    for job in jobs:
        for slot, interval in job:
            ends[slot] = max(ends.get(slot, 0), interval.end_ms)
    widths, before = {}, 0
    for slot in sorted(ends):
        widths[slot] = max(ends[slot] - before, 1)
        before += widths[slot]
    return widths


def _spread(job: _Numbered, widths: dict[int, int]) -> Iterator[tuple[int, Interval, float]]:
    """What a job did, as shares of intervals: one that is as long as several of another job, as
    after a stall of its own, is spread over them."""
    slots, before = list(widths), 0
    for slot, interval in job:
        covered = slots[bisect_right(slots, before) : bisect_right(slots, slot)] or [slot]
        whole = sum(widths[each] for each in covered)
        yield from ((each, interval, widths[each] / whole) for each in covered)
        before = slot


def mean(
    intervals: Sequence[Rate],
    values: Sequence[float],
    start_s: float = 0.0,
    end_s: float = math.inf,
) -> float:
    """The mean of one value an interval, from ``start_s`` to ``end_s``: a long one counts more."""
    weights = [max(min(r.end_s, end_s) - max(r.start_s, start_s), 0.0) for r in intervals]
    return sum(w * v for w, v in zip(weights, values, strict=True)) / (sum(weights) or 1.0)


def quarters(intervals: Sequence[Rate], values: Sequence[float]) -> tuple[float, float]:
    """The means of the first quarter of the time, and of the last."""
    end = intervals[-1].end_s
    return mean(intervals, values, 0.0, end / 4), mean(intervals, values, end * 3 / 4, end)
