"""A band around a curve: where the curve of another repetition is to be expected."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from iogate_reports.charts import svg
from iogate_reports.charts.scale import Scale

CONFIDENCE = 0.95
FEWEST = 3
# Student's t for 95 % by degrees of freedom; beyond the table, the next smaller one, which is
# on the safe side.
_T = {2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306, 9: 2.262, 10: 2.228}
_T |= {12: 2.179, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.0, 120: 1.98}

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
    wide = _t(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return column[0][0], math.exp(middle - wide), math.exp(middle + wide)


def _t(freedom: int) -> float:
    return _T[max(known for known in _T if known <= freedom)]


def draw(found: Band, x: Scale, y: Scale, clip: tuple[float, float], style: str) -> str:
    """The band as one area, cut at the coordinates ``clip`` (lower, upper end of the plot)."""
    if len(found) < 2:
        return ""
    bottom, top = clip

    def place(at: float, value: float) -> svg.Point:
        return x.at(at), min(max(y.at(value), top), bottom)

    upper = [place(at, high) for at, _, high in found]
    lower = [place(at, low) for at, low, _ in reversed(found)]
    return svg.element("path", d=svg.trace([*upper, *lower]) + "z", class_=f"ribbon {style}")
