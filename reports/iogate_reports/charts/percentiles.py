"""Latency percentiles, p50 … p99.999: log latency over a scale of nines."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.model.histogram import Histogram
from iogate.model.measurement import Measurement, arm_runs
from iogate.model.units import Better, Unit, format_value
from iogate_reports.charts import ribbon, svg
from iogate_reports.charts.base import Figure, Key, Table, colour
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import (
    Lane,
    directions,
    lanes,
    latency_histogram,
    latency_name,
    quantiles_ns,
)
from iogate_reports.charts.scale import Linear, log_around
from iogate_reports.data import CaseData, counted
from iogate_reports.labels import describe_change
from iogate_reports.text import relative_change, short

LABELS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999, "p99.999": 0.99999}
SURE = 10
"""A curve is drawn full as far as this many I/Os lie beyond it, thinner to the last one."""
_LOW, _HIGH, _STEP = 0.30103, 5.0, 0.14
_GRID = (*(_LOW + _STEP * i for i in range(34)), 1.0, 2.0, 3.0, 4.0, 5.0)
_FRAME = Frame(right=30, bottom=26)


@dataclass(frozen=True, slots=True)
class Curve:
    """Points (nines, ns): 2 nines is p99. ``count`` is the number of I/Os."""

    label: str
    style: str
    count: int
    points: tuple[tuple[float, float], ...]


def curve(histogram: Histogram, label: str, style: str) -> Curve | None:
    """A histogram's curve, as far as one I/O lies beyond; None without I/Os."""
    count = histogram.count
    if count < 2:
        return None
    nines = sorted(n for n in _GRID if n <= math.log10(count) + 1e-9)
    shares = [1 - 10**-n for n in nines]
    points = [(n, v) for n, v in zip(nines, quantiles_ns(histogram, shares), strict=True) if v > 0]
    return Curve(label, style, count, tuple(points)) if len(points) > 1 else None


def draw(
    title: str,
    description: str,
    curves: Sequence[Curve],
    faint: Sequence[Curve],
    bands: Sequence[tuple[ribbon.Band, str]] = (),
    *,
    name: str = "completion latency",
) -> str:
    """The curves, one line each; behind them ``bands`` with their styles, and ``faint`` ones
    (repetitions, where they are too few for a band)."""
    x = Linear(_LOW, _HIGH, *_FRAME.x_range)
    values = [v for line in (*curves, *faint) for _, v in line.points]
    y = log_around(values, *_FRAME.y_range, Unit.NANOSECONDS)
    if y is None:
        raise ValueError("a percentile chart needs a latency above zero")
    ticks = [(x.at(-math.log10(1 - share)), label) for label, share in LABELS.items()]
    body = [
        _FRAME.y_axis(y, name),
        _FRAME.x_axis(ticks, ""),
    ]
    body += [ribbon.draw(band, x, y, _FRAME.y_range, style) for band, style in bands]
    for line in faint:
        place = [(x.at(n), y.at(v)) for n, v in line.points]
        body.append(svg.element("path", d=svg.trace(place), class_=f"ln faint {line.style}"))
    for line in curves:
        body.extend(_bold(line, [(n, x.at(n), y.at(v)) for n, v in line.points]))
    return svg.document(_FRAME.size, title, description, body)


def _bold(line: Curve, places: list[tuple[float, float, float]]) -> list[str]:
    sure = math.log10(line.count / SURE)
    solid = [(x, y) for n, x, y in places if n <= sure]
    rest = [(x, y) for n, x, y in places if n > sure]
    parts = [svg.element("path", d=svg.trace(solid), class_=f"ln {line.style}")] if solid else []
    if rest:
        tail = svg.trace(solid[-1:] + rest)
        parts.append(svg.element("path", d=tail, class_=f"ln tail {line.style}"))
    return parts


def figures(data: CaseData) -> list[Figure]:
    """A figure a direction; none where no histogram was kept."""
    drawn = (_figure(data, name) for name in directions(data.measurements))
    return [figure for figure in drawn if figure is not None]


def _figure(data: CaseData, direction: str) -> Figure | None:
    pairs = [_pair(data, lane, i) for i, lane in enumerate(lanes(data.measurements, direction))]
    pairs = [pair for pair in pairs if pair[0] is not None]
    curves = [line for pair in pairs for line in pair if line is not None]
    if not curves:
        return None
    title = f"{direction.capitalize()} latency percentiles"
    every = _repetitions(data.measurements, direction) if len(pairs) == 1 else []
    band_now = ribbon.band([line.points for line in every])
    old = _repetitions(data.baseline, direction) if band_now else []
    bands = [(ribbon.band([line.points for line in old]), "base"), (band_now, "s0")]
    faint = [] if band_now else every
    table = _table(pairs, data.sides.before, bands)
    worst = "; ".join(f"{line.label}: {_reach(line)}" for line in curves)
    return Figure(
        title=title,
        svg=draw(
            title,
            worst,
            curves[::-1],
            faint,
            bands if band_now else (),
            name=latency_name(direction),
        ),
        table=table,
        legend=tuple(Key(line.style, line.label) for line in curves)
        + ((Key("faint s0", f"each {_unit(data)}"),) if faint else ())
        + ((Key("ribbon s0", f"95 % CI over {_unit(data)}s"),) if band_now else ()),
        note=f"n = {counted(data)}. Dotted where fewer than {SURE} I/Os lie beyond.",
    )


def _pair(data: CaseData, lane: Lane, index: int) -> tuple[Curve | None, Curve | None]:
    name = short(lane.job, 40)
    now = latency_histogram(data.measurements, lane)
    before = latency_histogram(data.baseline, lane)
    style = colour(index)
    return (
        curve(now, name or data.sides.now, style),
        curve(before, f"{name} {data.sides.before}".strip(), f"{style} base" if name else "base"),
    )


def _repetitions(measurements: Sequence[Measurement], direction: str) -> list[Curve]:
    """A curve of each; of the repetitions of a boot, which are not independent, one."""
    if len(measurements) < 2:
        return []
    lane = Lane("", direction)
    drawn = (curve(latency_histogram(run, lane), "", "s0") for run in arm_runs(measurements))
    return [line for line in drawn if line is not None]


def _unit(data: CaseData) -> str:
    boots = len(arm_runs(data.measurements)) < len(data.measurements)
    return "boot" if boots else "repetition"


def _reach(line: Curve) -> str:
    first, last = line.points[0][1], line.points[-1][1]
    return (
        f"p50 {format_value(first, Unit.NANOSECONDS)}, "
        f"tail {format_value(last, Unit.NANOSECONDS)}, {line.count:,} I/Os"
    )


def _at(line: Curve | None, share: float) -> float | None:
    if line is None:
        return None
    wanted = -math.log10(1 - share)
    return next((v for n, v in line.points if abs(n - wanted) < 1e-4), None)


def _table(
    pairs: Sequence[tuple[Curve | None, Curve | None]],
    other: str,
    bands: Sequence[tuple[ribbon.Band, str]],
) -> Table:
    headers = ["percentile"]
    compared = any(before for _, before in pairs)
    for curve, former in pairs:
        label = curve.label if curve else ""
        headers += [label] + ([former.label if former else other, "change"] if compared else [])
    before, now = (_intervals(band) for band, _ in bands)
    headers += ["95 % CI"] if now else []
    headers += [f"95 % CI, {other}"] if before else []
    rows = []
    for name, share in LABELS.items():
        row = [name]
        for curve, former in pairs:
            row += _cells(_at(curve, share), _at(former, share), compared)
        row += [of_side.get(name, "–") for of_side in (now, before) if of_side]
        rows.append(tuple(row))
    return Table(tuple(headers), tuple(rows))


def _intervals(band: ribbon.Band) -> dict[str, str]:
    """Percentile → ``84 µs … 96 µs``, as far as all repetitions reach."""
    known = {round(at, 3): (low, high) for at, low, high in band}
    places = {name: round(-math.log10(1 - share), 3) for name, share in LABELS.items()}
    return {
        name: " … ".join(format_value(end, Unit.NANOSECONDS) for end in known[at])
        for name, at in places.items()
        if at in known
    }


def _cells(now: float | None, before: float | None, compared: bool) -> list[str]:
    cell = [format_value(now, Unit.NANOSECONDS)]
    if compared:
        change = describe_change(relative_change(now, before), Better.LOW)
        told = f"{change.text} {change.arrow} {change.word}" if change else "–"
        cell += [format_value(before, Unit.NANOSECONDS), told]
    return cell
