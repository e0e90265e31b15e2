"""IOPS and bandwidth over time, one line a repetition."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from iogate.model.measurement import Measurement
from iogate.model.plan import Case
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import directions, not_drawn
from iogate_reports.charts.rates import Rate, mean, quarters, rates
from iogate_reports.charts.scale import Linear, linear_from_zero
from iogate_reports.data import CaseData, called, counted_as, of_newest
from iogate_reports.series.aligned import Values, aligned
from iogate_reports.series.zoom import MOST_LINES, Trace, Zoom, drawn
from iogate_reports.text import median, plural

MAX_POINTS = 120
"""A line wider than this keeps the lowest and highest of each stretch: no dip is lost."""
SHADES = 5
"""Classes ``r0`` … ``r4``: repetitions from light to dark, in run order."""
SAME_SIZE = 0.002
"""I/Os count as one size when no interval's mean size is further off than this."""
TABLE_ROWS = 12
_NEAR = 0.25
"""Samples of several repetitions that are so close together, of an interval, have one time."""
_RAMP = re.compile(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*(us|ms|s|m|h)?\s*")
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}


@dataclass(frozen=True, slots=True)
class Quantity:
    """One of the two things drawn: its name, its field in the model, its unit."""

    name: str
    field: str
    unit: Unit

    def of(self, intervals: Sequence[Rate]) -> list[float]:
        return [float(getattr(rate, self.field)) for rate in intervals]

    def write(self, value: float) -> str:
        return format_value(value, self.unit)


IOPS = Quantity("IOPS", "iops", Unit.PER_SECOND)
BANDWIDTH = Quantity("bandwidth", "bw", Unit.BYTES_PER_SECOND)


def thinned(points: Sequence[svg.Point], most: int = MAX_POINTS) -> list[svg.Point]:
    """At most ``most`` points, with the extremes of each stretch in their order."""
    if len(points) <= most:
        return list(points)
    groups, count = most // 2, len(points)
    values = [y for _, y in points]
    kept: list[svg.Point] = []
    for index in range(groups):
        start = count * index // groups
        part = values[start : count * (index + 1) // groups]
        low, high = part.index(min(part)), part.index(max(part))
        kept += [points[start + i] for i in ((low, high) if low < high else (high, low))]
        if low == high:
            kept.pop()
    return kept


def draw(
    title: str,
    description: str,
    lines: Sequence[Sequence[svg.Point]],
    quantity: Quantity,
    *,
    level: float | None = None,
    bytes_each: float | None = None,
    others: Sequence[Sequence[svg.Point]] = (),
    ramp: float = 0.0,
) -> str:
    """Lines of (s, value), two points or more. ``level`` is the baseline's, ``others`` are its
    lines where it kept any; ``bytes_each`` adds a bandwidth axis. What ran before 0 s, for
    ``ramp`` s, was not measured: a shaded strip."""
    frame = Frame(right=74 if bytes_each else 20, bottom=26)
    every = [*lines, *others]
    values = [v for points in every for _, v in points] + ([level] if level is not None else [])
    x = Linear(-ramp, max(2 * points[-1][0] - points[-2][0] for points in every), *frame.x_range)
    y = linear_from_zero(values, *frame.y_range, quantity.unit)
    body = [frame.y_axis(y, quantity.name)]
    body.append(frame.x_axis([(x.at(t), f"{t:g} s") for t, _ in x.ticks()], ""))
    body += _ramp(frame, x) if ramp > 0 else []
    if bytes_each:
        each = bytes_each
        body.append(frame.right_axis(y, "bandwidth", lambda v: BANDWIDTH.write(v * each)))
    if level is not None:
        body.append(svg.line((frame.left, y.at(level)), (frame.x_range[1], y.at(level)), "ln base"))
    for points in others:
        places = [(x.at(s), y.at(v)) for s, v in thinned(points, MAX_POINTS // 2)]
        body.append(svg.element("path", d=svg.trace(places), class_="ln faint base"))
    for index, points in enumerate(lines):
        places = [(x.at(s), y.at(v)) for s, v in thinned(points)]
        body.append(svg.element("path", d=svg.trace(places), class_=f"ln {_shade(index, lines)}"))
    return svg.document(frame.size, title, description, body)


def _ramp(frame: Frame, x: Linear) -> list[str]:
    bottom, top = frame.y_range
    wide = x.at(0.0) - frame.left
    box = svg.element("rect", x=frame.left, y=top, width=wide, height=bottom - top, class_="ramp")
    return [box, svg.text(frame.left + wide / 2, top + 12, "ramp", "m")] if wide > 34 else [box]


def _shade(index: int, lines: Sequence[object]) -> str:
    """The last repetition is darkest; a single one too."""
    before_last = len(lines) - 1 - index
    return f"r{SHADES - 1 - before_last * (SHADES - 1) // max(len(lines) - 1, 1)}"


def figures(data: CaseData) -> list[Figure]:
    """For each direction one figure with both units, or two where the I/O size varies."""
    every: list[Figure] = []
    for direction in directions(data.measurements):
        own = zip(called(data.measurements), data.measurements, strict=True)
        series = _numbered(own, direction)
        if series:
            every.extend(_direction(data, direction, series))
    return every


Numbered = tuple[str, list[Rate]]
"""A repetition, or a block of a comparison: its number, and its intervals."""


def _numbered(measured: Iterable[tuple[str, Measurement]], direction: str) -> list[Numbered]:
    """Those that have two intervals or more."""
    series = ((number, rates(measurement, direction)) for number, measurement in measured)
    return [(number, intervals) for number, intervals in series if len(intervals) > 1]


def ramp_s(case: Case) -> float:
    """How long the case ran before anything was measured: the longest ``ramp_time`` of its
    jobs, in s; 0 without one."""
    ramps = (_RAMP.fullmatch(job.options.get("ramp_time", "")) for job in case.jobs)
    return max((float(m[1]) * _SECONDS[m[2] or "s"] for m in ramps if m), default=0.0)


def _direction(data: CaseData, direction: str, series: list[Numbered]) -> list[Figure]:
    size = _size_each([intervals for _, intervals in series])
    wanted = (IOPS,) if size else (IOPS, BANDWIDTH)
    return [_figure(data, direction, series, quantity, size) for quantity in wanted]


def _figure(
    data: CaseData,
    direction: str,
    series: list[Numbered],
    quantity: Quantity,
    size: float | None,
) -> Figure:
    lines = _points(series, quantity)
    before = _numbered(_baseline(data.baseline), direction)
    others = _points(before, quantity)
    level = _level(data.baseline, direction, quantity.field)
    title = f"{direction.capitalize()} {quantity.name} over time"
    ramp = min(ramp_s(data.case), max(points[-1][0] for points in lines) / 4)
    picture = draw(
        title,
        _told(lines, quantity, counted_as(data)),
        lines,
        quantity,
        level=level,
        bytes_each=size,
        others=others,
        ramp=ramp,
    )
    times, values = aligned([*lines, *others], _NEAR * _usual_width(series))
    split = len(lines)
    own = tuple(_traces(counted_as(data), series, values[:split]))
    zoom = Zoom(
        title,
        quantity.unit,
        [round(at * 1000) for at in times],
        (*own, *_traces(data.sides.before, before, values[split:], "base")),
        level,
        f"{data.sides.before}, median",
        ramp_s=ramp,
        bytes_each=size,
    )
    legend = _legend([trace.label for trace in own], level, data.sides.before)
    shown = {number for number, _ in series}
    bare = not_drawn(counted_as(data), [n for n in called(data.measurements) if n not in shown])
    note = " ".join(filter(None, (*_notes(data), bare, *_left_out(zoom, counted_as(data)))))
    table = _table(counted_as(data), series, quantity)
    return Figure(title, picture, table, legend, note, zoom=zoom)


def _baseline(measurements: Sequence[Measurement]) -> Iterator[tuple[str, Measurement]]:
    """The repetitions of several runs are counted: each run has a first one."""
    for count, (name, each) in enumerate(
        zip(called(measurements), measurements, strict=True), start=1
    ):
        yield (name if each.block else str(count)), each


def _told(lines: Sequence[Sequence[svg.Point]], quantity: Quantity, what: str) -> str:
    values = [v for points in lines for _, v in points]
    ends = f"from {quantity.write(min(values))} to {quantity.write(max(values))}"
    return f"{plural(len(lines), what)}, {ends}"


def _usual_width(series: Sequence[Numbered]) -> float:
    """How long an interval is, in s."""
    return median([rate.width_s for _, intervals in series for rate in intervals]) or 0.0


def _traces(
    name: str, series: Sequence[Numbered], values: Sequence[Values], style: str = ""
) -> Iterator[Trace]:
    """Each line under its name and number; those of this run from light to dark."""
    for index, ((number, _), own) in enumerate(zip(series, values, strict=True)):
        yield Trace(f"{name} {number}", style or _shade(index, series), own)


def _points(series: Sequence[Numbered], quantity: Quantity) -> list[list[svg.Point]]:
    """Points (s, value) of each."""
    return [
        [(rate.at_s, value) for rate, value in zip(intervals, quantity.of(intervals), strict=True)]
        for _, intervals in series
    ]


def _notes(data: CaseData) -> Iterator[str]:
    yield of_newest(data)
    jobs = {job.name for m in data.measurements for job in m.jobs}
    if len(jobs) > 1:
        yield f"All {len(jobs)} jobs added."
    ramp = ramp_s(data.case)
    if ramp:
        length = format_value(ramp * 1e9, Unit.NANOSECONDS)
        yield f"The ramp of {length} before 0 s was not measured."


def _left_out(zoom: Zoom, what: str) -> Iterator[str]:
    """What a reader has to know of the chart that takes the picture's place."""
    if len(drawn(zoom.traces)) < len(zoom.traces):
        yield f"Zoomed, the first and last {MOST_LINES // 2} {what}s of each side have a line."


def _legend(names: Sequence[str], level: float | None, other: str) -> tuple[Key, ...]:
    dark = f"r{SHADES - 1}"
    keys = [Key("r0", names[0])] if len(names) > 1 else []
    keys.append(Key(dark, f"{names[-1]}, the {'last' if keys else 'only one'}"))
    return tuple(keys) + ((Key("base", f"{other}, median"),) if level is not None else ())


def _size_each(series: Sequence[Sequence[Rate]]) -> float | None:
    """Bytes of one I/O where all intervals agree; None where sizes vary."""
    sizes = [r.bw / r.iops for intervals in series for r in intervals if r.iops]
    if not sizes:
        return None
    middle = median(sizes) or 0.0
    return middle if max(sizes) - min(sizes) <= middle * SAME_SIZE else None


def _level(measurements: Sequence[Measurement], direction: str, field: str) -> float | None:
    levels = [
        sum(
            getattr(job.directions[direction], field)
            for job in m.jobs
            if direction in job.directions
        )
        for m in measurements
    ]
    return median(levels)


def _table(what: str, series: Sequence[Numbered], quantity: Quantity) -> Table:
    headers = (what, "mean", "lowest", "highest", "first quarter", "last quarter")
    rows = []
    for number, intervals in series[-TABLE_ROWS:]:
        values = quantity.of(intervals)
        ends = quarters(intervals, values)
        cells = (mean(intervals, values), min(values), max(values), *ends)
        rows.append((number, *(quantity.write(v) for v in cells)))
    return Table(headers, tuple(rows))
