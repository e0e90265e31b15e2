"""Throughput against latency: where more load only makes I/Os wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table, colour
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import Lane, directions, latency_histogram, quantiles_ns
from iogate_reports.charts.scale import Log, log_around
from iogate_reports.charts.sweep import amount
from iogate_reports.data import CaseData, WorkloadData, counted, of_newest
from iogate_reports.text import median, plural, short

FEWEST = 3
MOST_LINES = 8
SHARE = 0.99
LOADS = ("iodepth", "numjobs", "rate_iops", "rate")
"""Parameters that are load, the first that varies is followed along a line."""
_FRAME = Frame(width=560, height=320, right=24)


@dataclass(frozen=True, slots=True)
class Point:
    """A case: I/Os a second (median of the repetitions) and p99 (ns, of all of them)."""

    load: str
    iops: float
    p99_ns: float


@dataclass(frozen=True, slots=True)
class Line:
    """Points by load, and the same of the baseline as far as it has them."""

    label: str
    style: str
    points: tuple[Point, ...]
    before: tuple[Point, ...] = ()


def figures(data: WorkloadData) -> list[Figure]:
    """A figure a direction for a workload that varies its load and asks for no chart."""
    varying = data.varying()
    load = next((name for name in LOADS if name in varying), None)
    if load is None or data.chart.get("x"):
        return []
    ways = directions(m for case_data in data.cases for m in case_data.measurements)
    drawn = (_figure(data, direction, load) for direction in ways)
    return [figure for figure in drawn if figure is not None]


def _figure(data: WorkloadData, direction: str, load: str) -> Figure | None:
    curves = list(lines(data, direction, load))[:MOST_LINES]
    if not curves:
        return None
    title = f"{short(data.name, 60)}: {direction} throughput against latency"
    told = f"{plural(len(curves), 'line')} over {load}: " + ", ".join(
        line.label or direction for line in curves
    )
    keys = [Key(line.style, line.label or data.cases[0].sides.now) for line in curves]
    if any(line.before for line in curves):
        keys.append(Key("base", data.cases[0].sides.before))
    note = " ".join(filter(None, _notes(data.cases[0], load)))
    table = _table(curves, load, data.cases[0].sides.before)
    return Figure(title, draw(title, told, curves), table, tuple(keys), note, wide=True)


def _notes(data: CaseData, load: str) -> Iterator[str]:
    yield f"Each dot a case, named by its {load}, of {counted(data)}; up and left is worse."
    yield "The rate is the median of repetitions, the latency of all their I/Os together."
    yield of_newest(data)


def lines(data: WorkloadData, direction: str, load: str) -> Iterator[Line]:
    """One for each point of the other parameters, where its load has FEWEST values or more."""
    groups: dict[str, list[CaseData]] = {}
    others = [name for name in data.varying() if name != load]
    for case_data in data.cases:
        label = ", ".join(f"{name}={case_data.case.parameters.get(name, '')}" for name in others)
        groups.setdefault(label, []).append(case_data)
    kept = [(label, cases) for label, cases in groups.items() if len(cases) >= FEWEST]
    for index, (label, cases) in enumerate(kept):
        points = tuple(_points(cases, direction, load, former=False))
        before = tuple(_points(cases, direction, load, former=True))
        if len(points) >= FEWEST:
            yield Line(short(label, 60), colour(index), points, before if len(before) > 1 else ())


def _points(
    cases: Sequence[CaseData], direction: str, load: str, *, former: bool
) -> Iterator[Point]:
    ordered = sorted(
        cases, key=lambda case_data: amount(case_data.case.parameters.get(load, "")) or 0.0
    )
    for data in ordered:
        side = data.baseline if former else data.measurements
        rates = [
            sum(job.directions[direction].iops for job in m.jobs if direction in job.directions)
            for m in side
        ]
        rate, merged = median(rates), latency_histogram(side, Lane("", direction))
        if rate and merged.bins:
            p99 = quantiles_ns(merged, (SHARE,))[0]
            if p99 > 0:
                yield Point(short(data.case.parameters.get(load, ""), 12), rate, p99)


def draw(title: str, description: str, curves: Sequence[Line]) -> str:
    """Rate to the right, p99 upwards, both on log scales."""
    every = [point for line in curves for point in (*line.points, *line.before)]
    x = log_around([point.iops for point in every], *_FRAME.x_range, Unit.PER_SECOND)
    y = log_around([point.p99_ns for point in every], *_FRAME.y_range, Unit.NANOSECONDS)
    if x is None or y is None:
        raise ValueError("throughput against latency needs values above zero")
    ticks = [(x.at(value), label) for value, label in x.ticks()]
    body = [_FRAME.y_axis(y, "p99 latency"), _FRAME.x_axis(ticks, "I/Os a second", 46)]
    for index, line in enumerate(curves):
        body += _line(line, x, y, labelled=index == 0 or len(curves) <= FEWEST)
    return svg.document(_FRAME.size, title, description, body)


def _line(line: Line, x: Log, y: Log, *, labelled: bool) -> Iterator[str]:
    def place(points: Sequence[Point]) -> list[svg.Point]:
        return [(x.at(point.iops), y.at(point.p99_ns)) for point in points]

    if line.before:
        yield svg.element("path", d=svg.trace(place(line.before)), class_=f"ln base {line.style}")
    places = place(line.points)
    yield svg.element("path", d=svg.trace(places), class_=f"ln {line.style}")
    dots = "".join(f"M{svg.num(a)} {svg.num(b)}h0" for a, b in places)
    yield svg.element("path", d=dots, class_=f"dot {line.style}")
    for (at, height), point in zip(places, line.points if labelled else (), strict=False):
        yield svg.text(at, height - 8, point.load, "m")


def _table(curves: Sequence[Line], load: str, other: str) -> Table:
    """Of many lines those of the baseline are only drawn."""
    compared = any(line.before for line in curves) and len(curves) <= FEWEST
    head = ["line", load, "I/Os a second", "p99"]
    head += [f"{other}, I/Os a second", f"{other}, p99"] if compared else []
    rows = []
    for line in curves:
        former = {point.load: point for point in line.before}
        for point in line.points:
            row = [line.label or "all", point.load, *_cells(point)]
            row += _cells(former.get(point.load)) if compared else []
            rows.append(tuple(row))
    return Table(tuple(head), tuple(rows))


def _cells(point: Point | None) -> list[str]:
    if point is None:
        return ["–", "–"]
    rate = format_value(point.iops, Unit.PER_SECOND)
    return [rate, format_value(point.p99_ns, Unit.NANOSECONDS)]
