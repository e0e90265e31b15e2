"""A case in one small picture: percentiles, the rate over time, repetitions, side by side.

What a report of many cases shows of those that passed. No axes: it tells whether a look at
the numbers is worth it, and the numbers stand beside it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.lanes import Lane, directions, latency_histogram, quantiles_ns
from iogate_reports.charts.over_time import thinned
from iogate_reports.charts.rates import rates
from iogate_reports.charts.repetitions import Samples, samples
from iogate_reports.charts.scale import Linear, linear_around, linear_from_zero, log_around
from iogate_reports.data import CaseData
from iogate_reports.text import median

SHARES = (0.5, 0.75, 0.9, 0.97, 0.99, 0.999, 0.9999)
WIDTH, HEIGHT = 440.0, 52.0
_Y = (48.0, 4.0)
_PANELS = ((2.0, 138.0), (152.0, 288.0), (302.0, 438.0))
MOST = 16
CAPTION = (
    "Each case that passed, from left to right: latency p50 … p99.99 (log), this run against the "
    "baseline; I/Os a second over time from zero, the middle repetition; and the first judged "
    "metric by repetition, the baseline’s first."
)


def draw(data: CaseData) -> str:
    """The picture of a case; empty where nothing can be drawn."""
    ways = directions(data.measurements)
    if not ways:
        return ""
    parts = [_percentiles(data, ways[0]), _rate(data, ways[0]), _repetitions(data)]
    body = [part for part, _ in parts if part]
    told = "; ".join(text for _, text in parts if text)
    return svg.document((WIDTH, HEIGHT), ways[0], told, body, "glance")


def _percentiles(data: CaseData, direction: str) -> tuple[str, str]:
    lane = Lane("", direction)
    both = [latency_histogram(some, lane) for some in (data.baseline, data.measurements)]
    curves = [
        quantiles_ns(histogram, _shares(histogram.count)) if histogram.bins else []
        for histogram in both
    ]
    y = log_around([v for curve in curves for v in curve], *_Y, Unit.NANOSECONDS)
    if y is None:
        return "", ""
    x = Linear(math.log10(1 - SHARES[0]), math.log10(1 - SHARES[-1]), *_PANELS[0])
    places = [
        [(x.at(math.log10(1 - s)), y.at(v)) for s, v in zip(SHARES, curve, strict=False)]
        for curve in curves
    ]
    now = curves[1]
    told = " to ".join(format_value(v, Unit.NANOSECONDS) for v in (now[0], now[-1])) if now else ""
    return _lines(places[0], places[1]), told


def _shares(count: int) -> list[float]:
    return [share for share in SHARES if (1 - share) * count >= 1] or [SHARES[0]]


def _rate(data: CaseData, direction: str) -> tuple[str, str]:
    middle = data.measurements[len(data.measurements) // 2]
    points = [(rate.at_s, rate.iops) for rate in rates(middle, direction)]
    if len(points) < 2:
        return "", ""
    values = [v for _, v in points]
    x = Linear(points[0][0], points[-1][0], *_PANELS[1])
    y = linear_from_zero(values, *_Y)
    line = [(x.at(t), y.at(v)) for t, v in thinned(points, MOST)]
    low, high = (format_value(v, Unit.PER_SECOND) for v in (min(values), max(values)))
    return _lines([], line), f"{low} to {high}"


def _repetitions(data: CaseData) -> tuple[str, str]:
    of_each_metric = samples(data)
    if not of_each_metric:
        return "", ""
    measured = of_each_metric[0]
    values = (*measured.newest, *measured.now)
    step = (_PANELS[2][1] - _PANELS[2][0]) / len(values)
    y = linear_around(values, *_Y, measured.unit)
    places = [(_PANELS[2][0] + step * (i + 0.5), y.at(v)) for i, v in enumerate(values)]
    split = len(measured.newest)
    marks = _dots(places[:split], "base") + _dots(places[split:], "s0")
    return marks, f"{measured.metric} {_middle(measured)}"


def _middle(measured: Samples) -> str:
    return format_value(median(measured.now), measured.unit)


def _lines(before: Sequence[svg.Point], now: Sequence[svg.Point]) -> str:
    return "".join(
        f'<path class="ln {style}" d="{svg.rough(places)}"/>'
        for places, style in ((before, "base"), (now, "s0"))
        if len(places) > 1
    )


def _dots(places: Sequence[svg.Point], style: str) -> str:
    d = "".join(f"M{x:.0f} {y:.0f}h0" for x, y in places)
    return f'<path class="dot {style}" d="{d}"/>' if d else ""
