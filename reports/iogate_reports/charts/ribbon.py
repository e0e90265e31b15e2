"""A band around a curve: how far the curve of as many other repetitions may be from it."""

from __future__ import annotations

from collections.abc import Sequence

from iogate_reports.charts import svg
from iogate_reports.charts.pooled import FEWEST, around
from iogate_reports.charts.scale import Scale

Band = tuple[tuple[float, float, float], ...]


def band(middle: Sequence[svg.Point], without: Sequence[Sequence[svg.Point]]) -> Band:
    """(x, low, high) at each x of a curve of all repetitions that it also has without each of
    them: the 95 % confidence interval about it, on a log scale. Empty for fewer than FEWEST."""
    if len(without) < FEWEST:
        return ()
    others = [dict(curve) for curve in without]
    intervals = (
        (x, around(value, [curve[x] for curve in others]))
        for x, value in middle
        if all(x in curve for curve in others)
    )
    return tuple((x, interval.low, interval.high) for x, interval in intervals)


def draw(interval_band: Band, x: Scale, y: Scale, clip: tuple[float, float], style: str) -> str:
    """The band as one area, cut at the coordinates ``clip`` (lower, upper end of the plot)."""
    if len(interval_band) < 2:
        return ""
    bottom, top = clip

    def place(at: float, value: float) -> svg.Point:
        return x.at(at), min(max(y.at(value), top), bottom)

    upper = [place(at, high) for at, _, high in interval_band]
    lower = [place(at, low) for at, low, _ in reversed(interval_band)]
    return svg.element("path", d=svg.trace([*upper, *lower]) + "z", class_=f"ribbon {style}")
