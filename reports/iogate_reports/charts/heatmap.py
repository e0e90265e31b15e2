"""Latency over time as a heatmap, repetitions side by side in the order they ran."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import directions, quantiles_ns, whole_intervals
from iogate_reports.charts.png import LEVELS, data_uri
from iogate_reports.charts.scale import Log
from iogate_reports.data import CaseData
from iogate_reports.text import plural

COLUMNS, ROWS = 120, 36
BLUE = (0, 114, 178)
_FRAME = Frame(right=20)


Column = list[Histogram]
"""One interval: a histogram a job."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One repetition, a column an interval."""

    repetition: int
    columns: tuple[Column, ...]


def strip(measurement: Measurement, direction: str) -> Strip:
    """A repetition's intervals of all jobs; empty where the engine kept none."""
    slots: dict[int, Column] = {}
    for job in measurement.jobs:
        for slot, one in whole_intervals(job.series):
            found = one.histograms.get(direction)
            if found is not None and found.bins:
                slots.setdefault(slot, []).append(found)
    return Strip(measurement.repetition, tuple(slots[slot] for slot in sorted(slots)))


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
    told = plural(len(strips), "repetition") + "; darker is a larger share of an interval’s I/Os"
    return Figure(
        title=title,
        svg=draw(title, told, strips),
        table=_table(strips),
        legend=(Key("shade", "share of the I/Os of an interval, 0.1 % … 100 %"),),
        note="Repetitions side by side, in the order they ran." if len(strips) > 1 else "",
    )


def draw(title: str, description: str, strips: Sequence[Strip]) -> str:
    """Time to the right, latency upwards (log); strength is the share, on a log scale."""
    parts = [_joined(one.columns, max(COLUMNS // len(strips), 2)) for one in strips]
    every = [c for columns in parts for c in columns]
    values = _values(every)
    y = _axis(values)
    image = data_uri(_levels(every, values, y), BLUE)
    x0, x1 = _FRAME.x_range
    bottom, top = _FRAME.y_range
    picture = svg.element(
        "image",
        x=x0,
        y=top,
        width=x1 - x0,
        height=bottom - top,
        href=image,
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


def _values(columns: Iterable[Column]) -> set[int]:
    """All bucket middles (ns) that occur."""
    return set().union(*(part.bins for one in columns for part in one))


def _axis(values: set[int]) -> Log:
    low, high = max(min(values), 1), max(*values, 1)
    return Log(low / 1.15, high * 1.15, *_FRAME.y_range, Unit.NANOSECONDS)


def _levels(columns: Sequence[Column], values: set[int], y: Log) -> list[list[int]]:
    """Rows of levels, top first."""
    span, base = math.log(y.high / y.low), math.log(y.low)
    row_of = {value: int((math.log(max(value, 1)) - base) / span * ROWS) for value in values}
    rows = [[0] * len(columns) for _ in range(ROWS)]
    for place, one in enumerate(columns):
        for row, level in enumerate(_column(one, row_of)):
            rows[ROWS - 1 - row][place] = level
    return rows


def _column(column: Column, row_of: Mapping[int, int]) -> list[int]:
    cells = [0] * ROWS
    for part in column:
        for value, count in part.bins.items():
            cells[row_of[value]] += count
    total = sum(cells)
    return [_level(count / total) if count else 0 for count in cells]


def _level(share: float) -> int:
    """0.1 % and less is faint, everything in one row is full; a decade is a third of the way."""
    strength = 1 + math.log10(max(share, 0.001)) / 3
    return max(2, round((LEVELS - 1) * (0.12 + 0.88 * strength)))


def _joined(columns: Sequence[Column], most: int) -> list[Column]:
    """Neighbours put together until at most ``most`` are left."""
    if len(columns) <= most:
        return list(columns)
    cuts = [len(columns) * i // most for i in range(most + 1)]
    return [_flat(columns[a:b]) for a, b in pairwise(cuts)]


def _flat(columns: Iterable[Column]) -> Column:
    return [part for one in columns for part in one]


def _table(strips: Sequence[Strip]) -> Table:
    headers = (
        "repetition",
        "p50 first third",
        "p50 last third",
        "p99 first third",
        "p99 last third",
        "highest",
    )
    return Table(headers, tuple(_row(one) for one in strips))


def _row(one: Strip) -> tuple[str, ...]:
    third = max(len(one.columns) // 3, 1)
    first, last = (
        quantiles_ns(Histogram.merged(_flat(part)), (0.5, 0.99))
        for part in (one.columns[:third], one.columns[-third:])
    )
    values = (first[0], last[0], first[1], last[1], max(_values(one.columns)))
    return (str(one.repetition), *(format_value(v, Unit.NANOSECONDS) for v in values))
