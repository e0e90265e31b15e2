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
from iogate_reports.data import CaseData, WorkloadData, counted
from iogate_reports.text import median, short

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
    ways = directions(m for one in data.cases for m in one.measurements)
    found = (_figure(data, direction, load) for direction in ways)
    return [one for one in found if one is not None]


def _figure(data: WorkloadData, direction: str, load: str) -> Figure | None:
    found = list(lines(data, direction, load))[:MOST_LINES]
    if not found:
        return None
    title = f"{short(data.name, 60)}: {direction} throughput against latency"
    told = f"{len(found)} lines over {load}: " + ", ".join(one.label or direction for one in found)
    keys = [Key(one.style, one.label or data.cases[0].sides.now) for one in found]
    if any(one.before for one in found):
        keys.append(Key("base", data.cases[0].sides.before))
    note = (
        f"Each dot a case, named by its {load}, of {counted(data.cases[0])}; up and left is worse."
    )
    table = _table(found, load, data.cases[0].sides.before)
    return Figure(title, draw(title, told, found), table, tuple(keys), note, wide=True)


def lines(data: WorkloadData, direction: str, load: str) -> Iterator[Line]:
    """One for each point of the other parameters, where its load has FEWEST values or more."""
    groups: dict[str, list[CaseData]] = {}
    others = [name for name in data.varying() if name != load]
    for one in data.cases:
        label = ", ".join(f"{name}={one.case.parameters.get(name, '')}" for name in others)
        groups.setdefault(label, []).append(one)
    kept = [(label, cases) for label, cases in groups.items() if len(cases) >= FEWEST]
    for index, (label, cases) in enumerate(kept):
        points = tuple(_points(cases, direction, load, former=False))
        before = tuple(_points(cases, direction, load, former=True))
        if len(points) >= FEWEST:
            yield Line(short(label, 60), colour(index), points, before if len(before) > 1 else ())


def _points(
    cases: Sequence[CaseData], direction: str, load: str, *, former: bool
) -> Iterator[Point]:
    ordered = sorted(cases, key=lambda one: amount(one.case.parameters.get(load, "")) or 0.0)
    for one in ordered:
        side = one.baseline if former else one.measurements
        rates = [
            sum(job.directions[direction].iops for job in m.jobs if direction in job.directions)
            for m in side
        ]
        rate, merged = median(rates), latency_histogram(side, Lane("", direction))
        if rate and merged.bins:
            p99 = quantiles_ns(merged, (SHARE,))[0]
            if p99 > 0:
                yield Point(short(one.case.parameters.get(load, ""), 12), rate, p99)


def draw(title: str, description: str, found: Sequence[Line]) -> str:
    """Rate to the right, p99 upwards, both on log scales."""
    every = [point for one in found for point in (*one.points, *one.before)]
    x = log_around([point.iops for point in every], *_FRAME.x_range, Unit.PER_SECOND)
    y = log_around([point.p99_ns for point in every], *_FRAME.y_range, Unit.NANOSECONDS)
    if x is None or y is None:
        raise ValueError("throughput against latency needs values above zero")
    ticks = [(x.at(value), label) for value, label in x.ticks()]
    body = [_FRAME.y_axis(y, "p99 latency"), _FRAME.x_axis(ticks, "I/Os a second", 46)]
    for index, one in enumerate(found):
        body += _line(one, x, y, labelled=index == 0 or len(found) <= FEWEST)
    return svg.document(_FRAME.size, title, description, body)


def _line(one: Line, x: Log, y: Log, *, labelled: bool) -> Iterator[str]:
    def place(points: Sequence[Point]) -> list[svg.Point]:
        return [(x.at(point.iops), y.at(point.p99_ns)) for point in points]

    if one.before:
        yield svg.element("path", d=svg.trace(place(one.before)), class_=f"ln base {one.style}")
    places = place(one.points)
    yield svg.element("path", d=svg.trace(places), class_=f"ln {one.style}")
    dots = "".join(f"M{svg.num(a)} {svg.num(b)}h0" for a, b in places)
    yield svg.element("path", d=dots, class_=f"dot {one.style}")
    for (at, height), point in zip(places, one.points if labelled else (), strict=False):
        yield svg.text(at, height - 8, point.load, "m")


def _table(found: Sequence[Line], load: str, other: str) -> Table:
    """Of many lines those of the baseline are only drawn."""
    compared = any(one.before for one in found) and len(found) <= FEWEST
    head = ["line", load, "I/Os a second", "p99"]
    head += [f"{other}, I/Os a second", f"{other}, p99"] if compared else []
    rows = []
    for one in found:
        former = {point.load: point for point in one.before}
        for point in one.points:
            row = [one.label or "all", point.load, *_cells(point)]
            row += _cells(former.get(point.load)) if compared else []
            rows.append(tuple(row))
    return Table(tuple(head), tuple(rows))


def _cells(point: Point | None) -> list[str]:
    if point is None:
        return ["–", "–"]
    rate = format_value(point.iops, Unit.PER_SECOND)
    return [rate, format_value(point.p99_ns, Unit.NANOSECONDS)]
