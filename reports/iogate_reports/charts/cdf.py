"""Latency as a cumulative distribution: which share of the I/Os were at least this fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import (
    Lane,
    directions,
    latency_histogram,
    latency_name,
    quantiles_ns,
)
from iogate_reports.charts.scale import Linear, Log
from iogate_reports.data import CaseData, Sides, of_newest

_FRAME = Frame(height=200, right=20)
_SHARES = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99)
_EDGES = (0.002, 0.998)
STEPS = 60
_TAIL = "The slowest 0.2 % are drawn at the edge; the percentiles show that tail."


@dataclass(frozen=True, slots=True)
class Distribution:
    """Points (ns, share 0..1), ascending in both."""

    label: str
    style: str
    points: tuple[tuple[float, float], ...]


def distribution(histogram: Histogram, label: str, style: str) -> Distribution | None:
    """A histogram's distribution at the upper edges of its buckets; None without I/Os."""
    total = histogram.count
    if not total:
        return None
    shares = (seen / total for seen in accumulate(histogram.bins.values()))
    points = [
        (float(bucket_bounds_ns(v)[1]), s) for v, s in zip(histogram.bins, shares, strict=True)
    ]
    kept = [points[0]]
    for point in points[1:]:
        if point[1] - kept[-1][1] >= 1 / STEPS or point is points[-1]:
            kept.append(point)
    return Distribution(label, style, tuple(kept))


def draw(
    title: str,
    description: str,
    curves: Sequence[Distribution],
    ends: tuple[float, float],
    *,
    name: str = "completion latency",
) -> str:
    """Latency to the right between ``ends`` (ns, log), share upwards."""
    x = Log(*ends, *_FRAME.x_range, Unit.NANOSECONDS)
    y = Linear(0.0, 1.0, *_FRAME.y_range)
    grid = "".join(
        f"M{svg.num(_FRAME.left)} {svg.num(y.at(v))}H{svg.num(_FRAME.x_range[1])}"
        for v in (0.25, 0.5, 0.75, 1.0)
    )
    labels = [
        svg.text(_FRAME.left - 6, y.at(v) + 4, f"{v * 100:g} %", "e") for v in (0.0, 0.5, 1.0)
    ]
    body = [
        svg.element("path", d=grid, class_="grid"),
        *labels,
        svg.text(4, 12, "share of the I/Os", "ax"),
        _FRAME.x_axis([(x.at(v), text) for v, text in x.ticks()], name, 46),
    ]
    for curve in curves:
        places = [(x.at(min(max(v, ends[0]), ends[1])), y.at(s)) for v, s in curve.points]
        body.append(svg.element("path", d=svg.trace(places), class_=f"ln {curve.style}"))
    return svg.document(_FRAME.size, title, description, body)


def figures(data: CaseData) -> list[Figure]:
    """A figure a direction, all jobs together; none where no histogram was kept."""
    drawn = (_figure(data, name) for name in directions(data.measurements))
    return [figure for figure in drawn if figure is not None]


def _figure(data: CaseData, direction: str) -> Figure | None:
    lane = Lane("", direction)
    now, before = (latency_histogram(m, lane) for m in (data.measurements, data.baseline))
    curves = [
        distribution(before, data.sides.before, "base"),
        distribution(now, data.sides.now, "s0"),
    ]
    shown = [curve for curve in curves if curve is not None]
    if not now.bins:
        return None
    ends = _ends([histogram for histogram in (now, before) if histogram.bins])
    title = f"{direction.capitalize()} latency distribution"
    middle = quantiles_ns(now, (0.5,))[0]
    told = f"half of the I/Os took at most {format_value(middle, Unit.NANOSECONDS)}"
    return Figure(
        title=title,
        svg=draw(title, told, shown, ends, name=latency_name(direction)),
        table=_table(now, before, data.sides),
        legend=tuple(Key(curve.style, curve.label) for curve in reversed(shown)),
        note=" ".join(filter(None, (f"n = {_counts(now, before)} I/Os.", of_newest(data), _TAIL))),
    )


def _counts(now: Histogram, before: Histogram) -> str:
    return f"{now.count:,} vs {before.count:,}" if before.bins else f"{now.count:,}"


def _ends(histograms: Sequence[Histogram]) -> tuple[float, float]:
    """From the fastest to the slowest that matter, never an empty range."""
    edges = [quantiles_ns(histogram, _EDGES) for histogram in histograms]
    low = max(min(edge[0] for edge in edges), 1.0)
    return low / 1.1, max(low, *(edge[1] for edge in edges)) * 1.1


def _table(now: Histogram, before: Histogram, sides: Sides) -> Table:
    columns = [quantiles_ns(histogram, _SHARES) for histogram in (now, before) if histogram.bins]
    headers = ("share of the I/Os", sides.now, sides.before)[: len(columns) + 1]
    rows = (
        (f"{share * 100:g} %", *(f"≤ {format_value(v, Unit.NANOSECONDS)}" for v in values))
        for share, *values in zip(_SHARES, *columns, strict=True)
    )
    return Table(headers, tuple(rows))
