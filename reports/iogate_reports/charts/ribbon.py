"""A band around a curve: where the curve of another repetition is to be expected."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.distributions import t_quantile
from iogate_reports.charts import svg
from iogate_reports.charts.scale import Scale

FEWEST = 3
_BESIDE = (1 - USUAL_CONFIDENCE) / 2  # on either side of an interval

Band = tuple[tuple[float, float, float], ...]


def band(curves: Sequence[Sequence[tuple[float, float]]]) -> Band:
    """(x, low, high) at each x that all of the curves have: the 95 % confidence interval of
    their mean, on a log scale. Empty for fewer than FEWEST curves."""
    if len(curves) < FEWEST:
        return ()
    columns = zip(*curves, strict=False)
    return tuple(_interval(column) for column in columns if len({x for x, _ in column}) == 1)


def _interval(column: Sequence[tuple[float, float]]) -> tuple[float, float, float]:
    logs = [math.log(v) for _, v in column]
    middle = statistics.fmean(logs)
    wide = t_quantile(_BESIDE, len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return column[0][0], math.exp(middle - wide), math.exp(middle + wide)


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
