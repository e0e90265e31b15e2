"""IOPS and bandwidth over time, one line a repetition."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import itemgetter

from iogate.model.measurement import Measurement
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import directions, whole_intervals
from iogate_reports.charts.scale import Linear, linear_from_zero
from iogate_reports.data import CaseData
from iogate_reports.text import median, plural

MAX_POINTS = 120
"""A line wider than this keeps the lowest and highest of each stretch: no dip is lost."""
SHADES = 5
"""Classes ``r0`` … ``r4``: repetitions from light to dark, in run order."""
SAME_SIZE = 0.002
"""I/Os count as one size when no interval's mean size is further off than this."""
TABLE_ROWS = 12
_VALUE = itemgetter(1)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One of the two things drawn: its name, its field in the model, its unit."""

    name: str
    field: str
    unit: Unit

    def write(self, value: float) -> str:
        return format_value(value, self.unit)


IOPS = Quantity("IOPS", "iops", Unit.PER_SECOND)
BANDWIDTH = Quantity("bandwidth", "bw", Unit.BYTES_PER_SECOND)


@dataclass(frozen=True, slots=True)
class Rate:
    """One interval: its middle in s, I/Os and bytes a second."""

    at_s: float
    iops: float
    bw: float


def rates(measurement: Measurement, direction: str) -> list[Rate]:
    """A repetition's intervals, all jobs added."""
    sums: dict[int, list[int]] = {}
    for job in measurement.jobs:
        for slot, one in whole_intervals(job.series):
            total = sums.setdefault(slot, [0, 0, 0])
            total[0] = max(total[0], one.end_ms)
            total[1] += one.ios.get(direction, 0)
            total[2] += one.bytes.get(direction, 0)
    found: list[Rate] = []
    before = 0
    for slot in sorted(sums):
        end, ios, size = sums[slot]
        width = max(end - before, 1)
        found.append(Rate((before + end) / 2000, ios * 1000 / width, size * 1000 / width))
        before = end
    return found


def thinned(points: Sequence[svg.Point], most: int = MAX_POINTS) -> list[svg.Point]:
    """At most ``most`` points, with the extremes of each stretch in their order."""
    if len(points) <= most:
        return list(points)
    groups = most // 2
    kept: list[svg.Point] = []
    for index in range(groups):
        part = points[len(points) * index // groups : len(points) * (index + 1) // groups]
        ends = {min(part, key=_VALUE), max(part, key=_VALUE)}
        kept.extend(sorted(ends))
    return kept


def draw(
    title: str,
    description: str,
    lines: Sequence[Sequence[svg.Point]],
    quantity: Quantity,
    *,
    level: float | None = None,
    bytes_each: float | None = None,
) -> str:
    """Lines of (s, value), two points or more. ``level`` is the baseline's; ``bytes_each``
    adds a bandwidth axis."""
    frame = Frame(right=74 if bytes_each else 20, bottom=26)
    values = [v for one in lines for _, v in one] + ([level] if level is not None else [])
    x = Linear(0.0, max(2 * one[-1][0] - one[-2][0] for one in lines), *frame.x_range)
    y = linear_from_zero(values, *frame.y_range, quantity.unit)
    body = [frame.y_axis(y, quantity.name)]
    body.append(frame.x_axis([(x.at(t), f"{t:g} s") for t, _ in x.ticks()], ""))
    if bytes_each:
        each = bytes_each
        body.append(frame.right_axis(y, "bandwidth", lambda v: BANDWIDTH.write(v * each)))
    if level is not None:
        body.append(svg.line((frame.left, y.at(level)), (frame.x_range[1], y.at(level)), "ln base"))
    for index, one in enumerate(lines):
        places = [(x.at(s), y.at(v)) for s, v in thinned(one)]
        body.append(svg.element("path", d=svg.trace(places), class_=f"ln {_shade(index, lines)}"))
    return svg.document(frame.size, title, description, body)


def _shade(index: int, lines: Sequence[object]) -> str:
    """The last repetition is darkest; a single one too."""
    before_last = len(lines) - 1 - index
    return f"r{SHADES - 1 - before_last * (SHADES - 1) // max(len(lines) - 1, 1)}"


def figures(data: CaseData) -> list[Figure]:
    """For each direction one figure with both units, or two where the I/O size varies."""
    found: list[Figure] = []
    for direction in directions(data.measurements):
        series = [rates(m, direction) for m in data.measurements]
        series = [one for one in series if len(one) > 1]
        if series:
            found.extend(_direction(data, direction, series))
    return found


def _direction(data: CaseData, direction: str, series: list[list[Rate]]) -> list[Figure]:
    size = _size_each(series)
    wanted = (IOPS,) if size else (IOPS, BANDWIDTH)
    return [_figure(data, direction, series, quantity, size) for quantity in wanted]


def _figure(
    data: CaseData,
    direction: str,
    series: list[list[Rate]],
    quantity: Quantity,
    size: float | None,
) -> Figure:
    lines = [[(r.at_s, float(getattr(r, quantity.field))) for r in one] for one in series]
    level = _level(data.baseline, direction, quantity.field)
    values = [v for one in lines for _, v in one]
    write = quantity.write
    title = f"{direction.capitalize()} {quantity.name} over time"
    told = f"{plural(len(lines), 'repetition')}, from {write(min(values))} to {write(max(values))}"
    picture = draw(title, told, lines, quantity, level=level, bytes_each=size)
    jobs = {job.name for m in data.measurements for job in m.jobs}
    note = f"All {len(jobs)} jobs added." if len(jobs) > 1 else ""
    return Figure(title, picture, _table(lines, write), _legend(len(lines), level), note)


def _legend(count: int, level: float | None) -> tuple[Key, ...]:
    dark = f"r{SHADES - 1}"
    keys = (
        [Key(dark, "the one repetition")]
        if count == 1
        else [Key("r0", "repetition 1"), Key(dark, f"repetition {count}, the last")]
    )
    return tuple(keys) + ((Key("base", "baseline, median"),) if level is not None else ())


def _size_each(series: Sequence[Sequence[Rate]]) -> float | None:
    """Bytes of one I/O where all intervals agree; None where sizes vary."""
    sizes = [r.bw / r.iops for one in series for r in one if r.iops]
    if not sizes:
        return None
    middle = median(sizes) or 0.0
    return middle if max(sizes) - min(sizes) <= middle * SAME_SIZE else None


def _level(measurements: Sequence[Measurement], direction: str, field: str) -> float | None:
    found = [
        sum(
            getattr(job.directions[direction], field)
            for job in m.jobs
            if direction in job.directions
        )
        for m in measurements
    ]
    return median(found)


def _table(lines: Sequence[Sequence[svg.Point]], write: Callable[[float], str]) -> Table:
    headers = ("repetition", "mean", "lowest", "highest", "first quarter", "last quarter")
    rows = []
    for index, one in enumerate(lines[-TABLE_ROWS:], max(len(lines) - TABLE_ROWS, 0) + 1):
        values = [v for _, v in one]
        quarter = max(len(values) // 4, 1)
        cells = (
            _mean(values),
            min(values),
            max(values),
            _mean(values[:quarter]),
            _mean(values[-quarter:]),
        )
        rows.append((str(index), *(write(v) for v in cells)))
    return Table(headers, tuple(rows))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
