"""Latency over time as a heatmap, repetitions side by side in the order they ran."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import directions, quantiles_ns
from iogate_reports.charts.png import LEVELS, data_uri
from iogate_reports.charts.scale import Log
from iogate_reports.data import CaseData

COLUMNS, ROWS = 120, 36
BLUE = (0, 114, 178)
_FRAME = Frame(right=20)


@dataclass(frozen=True, slots=True)
class Strip:
    """The histograms of one repetition, one an interval."""

    repetition: int
    columns: tuple[Histogram, ...]


def strip(measurement: Measurement, direction: str) -> Strip:
    """A repetition's intervals, all jobs merged; empty where the engine kept none."""
    slots: dict[int, list[Histogram]] = {}
    for job in measurement.jobs:
        if job.series is None or job.series.interval_ms <= 0:
            continue
        for one in job.series.intervals:
            found = one.histograms.get(direction)
            if found is not None and found.bins:
                slots.setdefault(-(-one.end_ms // job.series.interval_ms), []).append(found)
    columns = (_merged(slots[slot]) for slot in sorted(slots))
    return Strip(measurement.repetition, tuple(columns))


def figures(data: CaseData) -> list[Figure]:
    """A figure a direction; none where intervals carry no histograms."""
    found = []
    for direction in directions(data.measurements):
        strips = [strip(m, direction) for m in data.measurements]
        strips = [one for one in strips if len(one.columns) > 1]
        if strips:
            found.append(_figure(direction, strips))
    return found


def _figure(direction: str, strips: list[Strip]) -> Figure:
    title = f"{direction.capitalize()} latency over time"
    told = f"{len(strips)} repetitions side by side; darker is a larger share of an interval’s I/Os"
    return Figure(
        title=title,
        svg=draw(title, told, strips),
        table=_table(strips),
        legend=(Key("shade", "share of the I/Os of an interval, 0.1 % … 100 %"),),
        note="Repetitions side by side, in the order they ran.",
    )


def draw(title: str, description: str, strips: Sequence[Strip]) -> str:
    """Time to the right, latency upwards (log); strength is the share, on a log scale."""
    parts = [_joined(one.columns, max(COLUMNS // len(strips), 2)) for one in strips]
    every = [c for columns in parts for c in columns]
    y = _axis(every)
    image = data_uri(_levels(every, y), BLUE)
    x0, x1 = _FRAME.x_range
    bottom, top = _FRAME.y_range
    picture = svg.element(
        "image", x=x0, y=top, width=x1 - x0, height=bottom - top, href=image,
        preserveAspectRatio="none",
    )
    body = [
        _FRAME.y_axis(y, "completion latency"),
        picture,
        *_dividers(strips, [len(columns) for columns in parts]),
    ]
    return svg.document(_FRAME.size, title, description, body, "heat")


def _dividers(strips: Sequence[Strip], widths: Sequence[int]) -> list[str]:
    x0, x1 = _FRAME.x_range
    bottom, top = _FRAME.y_range
    unit = (x1 - x0) / sum(widths)
    ticks, marks, place = [], [], x0
    for one, width in zip(strips, widths, strict=True):
        if place > x0:
            marks.append(svg.line((place, top), (place, bottom), "split"))
        ticks.append((place + width * unit / 2, str(one.repetition)))
        place += width * unit
    return [*marks, _FRAME.x_axis(ticks, "repetition", 14)]


def _axis(columns: Sequence[Histogram]) -> Log:
    low = min(min(one.bins) for one in columns)
    high = max(max(one.bins) for one in columns)
    low = max(low, 1)
    return Log(low / 1.15, max(high, low) * 1.15, *_FRAME.y_range, Unit.NANOSECONDS)


def _levels(columns: Sequence[Histogram], y: Log) -> list[list[int]]:
    """Rows of levels, top first."""
    span = math.log(y.high / y.low)
    base = math.log(y.low)
    rows = [[0] * len(columns) for _ in range(ROWS)]
    for place, one in enumerate(columns):
        cells = [0] * ROWS
        for value, count in one.bins.items():
            cells[int((math.log(max(value, 1)) - base) / span * ROWS)] += count
        total = sum(cells)
        for row, count in enumerate(cells):
            rows[ROWS - 1 - row][place] = _level(count / total) if count else 0
    return rows


def _level(share: float) -> int:
    """0.1 % and less is faint, everything in one row is full; a decade is a third of the way."""
    strength = 1 + math.log10(max(share, 0.001)) / 3
    return max(2, round((LEVELS - 1) * (0.12 + 0.88 * strength)))


def _joined(columns: Sequence[Histogram], most: int) -> list[Histogram]:
    if len(columns) <= most:
        return list(columns)
    cuts = [len(columns) * i // most for i in range(most + 1)]
    return [_merged(columns[a:b]) for a, b in pairwise(cuts)]


def _merged(parts: Sequence[Histogram]) -> Histogram:
    return parts[0] if len(parts) == 1 else Histogram.merged(parts)


def _table(strips: Sequence[Strip]) -> Table:
    headers = ("repetition", "p50 first third", "p50 last third", "p99 first third",
               "p99 last third", "highest")
    return Table(headers, tuple(_row(one) for one in strips))


def _row(one: Strip) -> tuple[str, ...]:
    third = max(len(one.columns) // 3, 1)
    first = quantiles_ns(_merged(one.columns[:third]), (0.5, 0.99))
    last = quantiles_ns(_merged(one.columns[-third:]), (0.5, 0.99))
    top = max(max(c.bins) for c in one.columns)
    values: Mapping[int, float] = dict(enumerate((first[0], last[0], first[1], last[1], top)))
    return (str(one.repetition), *(format_value(v, Unit.NANOSECONDS) for v in values.values()))
