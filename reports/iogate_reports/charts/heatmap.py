"""Latency over time as a heatmap, repetitions side by side in the order they ran."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import (
    Lane,
    directions,
    latency_histogram,
    not_drawn,
    quantiles_ns,
    whole_intervals,
)
from iogate_reports.charts.png import LEVELS, data_uri, diverging_uri
from iogate_reports.charts.scale import Log
from iogate_reports.data import CaseData, called, counted_as, of_newest
from iogate_reports.text import plural

COLUMNS, ROWS = 120, 36
BLUE = (0, 114, 178)
ORANGE = (213, 94, 0)
FULL = 0.2
"""A difference of this share of the I/Os is drawn in full strength."""
_FRAME = Frame(right=20, height=250)
_LOWER = Frame(right=20, height=420, top=250)
_SHADE = Key("shade", "share of the I/Os of an interval, 0.1 % … 100 %")
_FASTEST = 0.001
"""The share of the I/Os that may lie below the axis; they stand in its lowest row."""


Column = list[Histogram]
"""One interval: a histogram a job."""
Ends = tuple[float, float]
"""Lowest and highest latency (ns) of an axis."""


@dataclass(frozen=True, slots=True)
class Strip:
    """One repetition, or one block of a comparison; a column an interval in which I/Os ended.
    ``slots`` number these from its start, and ``length`` is how many intervals it has."""

    name: str
    columns: tuple[Column, ...]
    slots: tuple[int, ...]
    length: int

    @property
    def timed(self) -> Mapping[int, Column]:
        return dict(zip(self.slots, self.columns, strict=True))


@dataclass(frozen=True, slots=True)
class Before:
    """What a baseline had: over all time, and by the number of the interval where its own
    intervals are kept, as they are of the base arm of a comparison."""

    whole: Histogram
    timed: Mapping[int, Column] = field(default_factory=dict)

    @property
    def columns(self) -> list[Column]:
        """All that the lower panel is compared with."""
        return list(self.timed.values()) or [[self.whole]]


def strip(name: str, measurement: Measurement, direction: str) -> Strip:
    """A repetition's intervals of all jobs; empty where the engine kept none."""
    slots = _timed([measurement], direction)
    columns = tuple(slots[slot] for slot in sorted(slots))
    ends = (slot for job in measurement.jobs for slot, _ in whole_intervals(job.series))
    return Strip(name, columns, tuple(sorted(slots)), max(ends, default=0))


def _before(baseline: Sequence[Measurement], direction: str) -> Before | None:
    whole = latency_histogram(baseline, Lane("", direction))
    timed = _timed(baseline, direction)
    merged = {slot: [Histogram.merged(column)] for slot, column in timed.items()}
    return Before(whole, merged) if whole.bins else None


def _timed(measurements: Iterable[Measurement], direction: str) -> dict[int, Column]:
    """The histograms of all jobs and repetitions, by the number of their interval."""
    slots: dict[int, Column] = {}
    for measurement in measurements:
        for job in measurement.jobs:
            for slot, interval in whole_intervals(job.series):
                histogram = interval.histograms.get(direction)
                if histogram is not None and histogram.bins:
                    slots.setdefault(slot, []).append(histogram)
    return slots


def figures(data: CaseData) -> list[Figure]:
    """A figure a direction; none where intervals carry no histograms."""
    drawn = []
    for direction in directions(data.measurements):
        named = zip(called(data.measurements), data.measurements, strict=True)
        every = [strip(name, m, direction) for name, m in named]
        strips = [kept for kept in every if kept.columns]
        if any(len(kept.columns) > 1 for kept in strips):
            before = _before(data.baseline, direction)
            names = (data.sides.before, counted_as(data))
            figure = _figure(direction, strips, before, names)
            bare = not_drawn(names[1], [s.name for s in every if not s.columns])
            notes = (figure.note, bare, of_newest(data))
            drawn.append(replace(figure, note=" ".join(filter(None, notes))))
    return drawn


def _figure(
    direction: str, strips: list[Strip], before: Before | None, names: tuple[str, str]
) -> Figure:
    other, what = names
    title = f"{direction.capitalize()} latency over time"
    told = plural(len(strips), what) + "; darker is a larger share of an interval’s I/Os"
    note = f"{what.capitalize()}s side by side, in the order they ran."
    return Figure(
        title=title,
        svg=draw(title, told, strips, before, names),
        table=_table(strips, what),
        legend=(_SHADE, *_keys(before, other)),
        note=note if len(strips) > 1 else "",
    )


def _keys(before: Before | None, other: str) -> tuple[Key, ...]:
    """What the lower panel means."""
    if before is None:
        return ()
    than = f"{other} had at the same time" if before.timed else f"in all of {other}"
    return (
        Key("cell up", f"below: a larger share than {than}"),
        Key("cell down", "a smaller one"),
    )


def draw(
    title: str,
    description: str,
    strips: Sequence[Strip],
    before: Before | None = None,
    names: tuple[str, str] = ("baseline", "repetition"),
) -> str:
    """Time to the right, latency upwards (log); strength is the share, on a log scale. With
    a baseline a panel below shows the difference to its share at the same time, or of all time
    where no other is known. ``names`` are the baseline's, and that of what stands side by side."""
    most = max(COLUMNS // len(strips), 2)
    parts = [_joined(drawn.timed, drawn.length, most) for drawn in strips]
    every = [c for columns in parts for c in columns]
    ends = _ends([*every, *(before.columns if before else ())])
    widths = [len(columns) for columns in parts]
    rows = _shares(every, ends)
    body = _panel(_FRAME, ends, data_uri(_mapped(rows), BLUE), "completion latency")
    size, kind = _FRAME.size, "heat"
    if before is not None:
        image = diverging_uri(_differences(rows, _beside(strips, most, before, ends)), BLUE, ORANGE)
        body += _panel(_LOWER, ends, image, f"difference to {names[0]}")
        size, kind = _LOWER.size, "heat tall"
    lowest = _LOWER if before is not None else _FRAME
    body += _dividers(strips, widths, lowest, names[1])
    return svg.document(size, title, description, body, kind)


def _beside(
    strips: Sequence[Strip], most: int, before: Before, ends: Ends
) -> list[list[float | None]]:
    """The baseline's rows of shares, a column for each that is drawn of ``strips``; None where
    it had no I/O at the time."""
    if not before.timed:
        width = sum(min(drawn.length, most) for drawn in strips)
        return [[*row] * width for row in _shares([[before.whole]], ends)]
    lengths = dict.fromkeys(drawn.length for drawn in strips)  # mostly one, that all share
    by_length = {n: _shares(_joined(before.timed, n, most), ends) for n in lengths}
    parts = zip(*(by_length[drawn.length] for drawn in strips), strict=True)
    return [[share for part in row for share in part] for row in parts]


def _panel(frame: Frame, ends: Ends, image: str, name: str) -> list[str]:
    x0, x1 = frame.x_range
    bottom, top = frame.y_range
    picture = svg.element(
        "image",
        x=x0,
        y=top,
        width=x1 - x0,
        height=bottom - top,
        href=image,
        preserveAspectRatio="none",
    )
    axis = frame.y_axis(Log(*ends, *frame.y_range, Unit.NANOSECONDS))
    return [axis, svg.text(4, top - 10, name, "ax"), picture]


def _dividers(
    strips: Sequence[Strip], widths: Sequence[int], lowest: Frame, what: str
) -> list[str]:
    x0, x1 = _FRAME.x_range
    top, bottom = _FRAME.y_range[1], lowest.y_range[0]
    unit = (x1 - x0) / sum(widths)
    ticks, marks, place = [], [], x0
    for drawn, width in zip(strips, widths, strict=True):
        if place > x0:
            marks.append(svg.line((place, top), (place, bottom), "split"))
        block, _, turn = drawn.name.partition(".")
        if turn in ("", "1"):
            ticks.append((place + width * unit / 2, block))
        place += width * unit
    return [*marks, lowest.x_axis(ticks, what, 14)]


def _values(columns: Iterable[Column]) -> set[int]:
    """All bucket middles (ns) that occur."""
    return set().union(*(part.bins for column in columns for part in column))


def _ends(columns: Iterable[Column]) -> Ends:
    """From where nearly all I/Os are slower to the slowest one, with air."""
    counts: Counter[int] = Counter()
    for column in columns:
        for part in column:
            counts.update(part.bins)
    values = sorted(counts)
    before = accumulate((counts[value] for value in values), initial=0)
    spare = counts.total() * _FASTEST
    low = max(value for value, seen in zip(values, before, strict=False) if seen <= spare)
    return max(low, 1) / 1.15, max(values[-1], 1) * 1.15


def _shares(columns: Sequence[Column], ends: Ends) -> list[list[float | None]]:
    """Rows of shares (0..1) of each column's I/Os, top first; None where it has no I/O."""
    span, base = math.log(ends[1] / ends[0]), math.log(ends[0])
    row_of = {
        value: max(0, int((math.log(max(value, 1)) - base) / span * ROWS))
        for value in _values(columns)
    }
    shares = [_column(column, row_of) for column in columns]
    return [list(row) for row in zip(*shares, strict=True)][::-1]


def _column(column: Column, row_of: Mapping[int, int]) -> list[float | None]:
    if not column:
        return [None] * ROWS
    cells = [0] * ROWS
    for part in column:
        for value, count in part.bins.items():
            cells[row_of[value]] += count
    total = sum(cells)
    return [count / max(total, 1) for count in cells]


def _mapped(rows: Iterable[Sequence[float | None]]) -> list[list[int]]:
    return [[_level(share) for share in row] for row in rows]


def _level(share: float | None) -> int:
    """0.1 % and less is faint, everything in one row is full; a decade is a third of the way."""
    if not share:
        return 0
    strength = 1 + math.log10(max(share, 0.001)) / 3
    return max(2, round((LEVELS - 1) * (0.12 + 0.88 * strength)))


def _differences(
    rows: Sequence[Sequence[float | None]], before: Sequence[Sequence[float | None]]
) -> list[list[int]]:
    """Levels −7 … 7 of the difference to a baseline's shares, 0 where either has none; a fifth
    of all I/Os is full."""
    return [
        [_signed_level(share, base) for share, base in zip(row, other, strict=True)]
        for row, other in zip(rows, before, strict=True)
    ]


def _signed_level(share: float | None, base: float | None) -> int:
    if share is None or base is None:
        return 0
    return round(7 * max(-1.0, min(1.0, (share - base) / FULL)))


def _joined(timed: Mapping[int, Column], length: int, most: int) -> list[Column]:
    """``length`` intervals, neighbours put together until at most ``most`` columns are left;
    one is empty where no I/O ended, as in a stall."""
    width = min(length, most)
    joined: list[Column] = [[] for _ in range(width)]
    for slot, column in timed.items():
        if slot <= length:
            joined[(slot - 1) * width // length] += column
    return joined


def _flat(columns: Iterable[Column]) -> Column:
    return [part for column in columns for part in column]


def _table(strips: Sequence[Strip], what: str) -> Table:
    headers = (
        what,
        "p50 first third",
        "p50 last third",
        "p99 first third",
        "p99 last third",
        "highest",
    )
    return Table(headers, tuple(_row(drawn) for drawn in strips))


def _row(drawn: Strip) -> tuple[str, ...]:
    third = max(drawn.length / 3, 1)
    first = _middle_and_tail([c for slot, c in drawn.timed.items() if slot <= third])
    last = _middle_and_tail([c for slot, c in drawn.timed.items() if slot > drawn.length - third])
    values = (first[0], last[0], first[1], last[1], max(_values(drawn.columns)))
    return (drawn.name, *(format_value(v, Unit.NANOSECONDS) for v in values))


def _middle_and_tail(columns: Sequence[Column]) -> Sequence[float | None]:
    """The median and p99 of a part of the time; None where no I/O ended in it."""
    return quantiles_ns(Histogram.merged(_flat(columns)), (0.5, 0.99)) if columns else (None, None)
