"""A change with its confidence interval on an axis that all rows share."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass

from iogate.model.verdict import ThresholdVerdict
from iogate_reports.charts import svg
from iogate_reports.charts.scale import Linear
from iogate_reports.text import median, signed

WIDTH, HEIGHT, PAD = 168.0, 26.0, 9.0
_NARROWEST, _WIDEST = 0.05, 1.0
_ROUND = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 8, 10)


@dataclass(frozen=True, slots=True)
class Bar:
    """Fractions on the shared axis. ``zero`` says what zero is: the baseline, or the limit
    itself where there is no baseline."""

    value: float
    low: float | None
    high: float | None
    limit: float
    zero: str
    relative: bool = True


def bar(verdict: ThresholdVerdict) -> Bar | None:
    """What to draw for a threshold; None where there is nothing to compare."""
    against = _against_baseline(verdict)
    return against if against is not None else _against_limit(verdict)


def _against_baseline(verdict: ThresholdVerdict) -> Bar | None:
    limit, base = verdict.threshold.limit, verdict.baseline
    if verdict.change is None or not math.isfinite(verdict.change) or not base:
        return None
    tick = limit.value if limit.relative else limit.value / base - 1
    around = verdict.change_interval
    low, high = (around.low, around.high) if around else (None, None)
    return Bar(verdict.change, _real(low), _real(high), tick, "baseline", limit.relative)


def _against_limit(verdict: ThresholdVerdict) -> Bar | None:
    limit = verdict.threshold.limit
    if limit.relative or not verdict.value or not limit.value:
        return None
    value = verdict.value / limit.value - 1
    around = verdict.value_interval
    low, high = (around.low, around.high) if around else (None, None)
    scaled = [v / limit.value - 1 if v is not None else None for v in (low, high)]
    if not math.isfinite(value):
        return None
    return Bar(value, _real(scaled[0]), _real(scaled[1]), 0.0, "limit")


def _real(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def axis(bars: Iterable[Bar]) -> Linear:
    """An axis about zero, wide enough for the limits and most changes; the rest is cut."""
    known = list(bars)
    reach = [abs(mark.limit) * 1.6 for mark in known if mark.zero == "baseline" and mark.relative]
    compared = [mark for mark in known if mark.zero == "baseline"] or known
    values = sorted(
        abs(v) for mark in compared for v in (mark.value, mark.low, mark.high) if v is not None
    )
    if values:
        reach.append(values[int(len(values) * 0.8)] * 1.1)
        reach.append((median(values) or 0.0) * 2)
    wide = min(max(reach, default=_NARROWEST), _WIDEST)
    wide = 2 * _round(max(wide, _NARROWEST) / 2)
    return Linear(-wide, wide, PAD, WIDTH - PAD)


def _round(value: float) -> float:
    """The next round number; such are written at the middle of each side."""
    power = 10.0 ** math.floor(math.log10(value) + 1e-9)
    return next(step * power for step in _ROUND if step * power >= value * (1 - 1e-9))


def draw_head(scale: Linear) -> str:
    """The axis itself, for the column's head."""
    ends = (scale.low / 2, 0.0, scale.high / 2)
    labels = [
        svg.text(scale.at(v), 11, re.sub(r"\.0(?= %|×)", "", signed(v)) if v else "0", "m")
        for v in ends
    ]
    marks = "".join(f"M{svg.num(scale.at(v))} 15v4" for v in ends)
    rule = svg.element("path", d=f"M{PAD} 17H{WIDTH - PAD}{marks}", class_="rule")
    told = f"From {signed(scale.low)} to {signed(scale.high)}"
    return svg.document((WIDTH, 20), "Axis of change", told, [*labels, rule], "bar")


def draw(mark: Bar, scale: Linear) -> str:
    """The interval as a bar, the estimate as a dot, the limit as a tick. Its row says the
    same in words and gives it its colour; the line at zero is in the style sheet, since zero
    is the middle of the axis. A report may hold thousands: each is as short as it can be, and
    its paths are told apart by their place, from the last: dot, tick, interval."""
    middle = HEIGHT / 2
    body = []
    if mark.low is not None and mark.high is not None:
        left, right = (_clamped(v, scale) for v in (mark.low, mark.high))
        d = f"M{left:.0f} {middle:.0f}H{max(right, left + 1):.0f}"
        body.append(f'<path d="{d}"/>')
    body.append(f'<path d="{_tick(mark, scale)}"/>{_dot(mark.value, scale)}')
    kind = "bar" if mark.zero == "baseline" else "bar own"
    return f'<svg class="{kind}" aria-hidden="true">{"".join(body)}</svg>'


def _clamped(value: float, scale: Linear) -> float:
    return scale.at(min(max(value, scale.low), scale.high))


def _dot(value: float, scale: Linear) -> str:
    """A dot; beyond the axis an arrowhead at its edge."""
    middle = svg.num(HEIGHT / 2)
    if scale.low <= value <= scale.high:
        return f'<path d="M{scale.at(value):.0f} {middle}h0"/>'
    edge, side = (scale.end + 8, 1) if value > 0 else (scale.start - 8, -1)
    return f'<path class="far" d="M{svg.num(edge)} {middle}l{-8 * side} -5v10z"/>'


def is_beyond(mark: Bar, scale: Linear) -> bool:
    """Whether the limit lies further out than the axis goes."""
    return not scale.low <= mark.limit <= scale.high


def _tick(mark: Bar, scale: Linear) -> str:
    """The limit's path; a chevron at the edge where it lies further out."""
    if not is_beyond(mark, scale):
        return f"M{scale.at(mark.limit):.0f} 2v22"
    edge, side = (scale.end + 7, 1) if mark.limit > 0 else (scale.start - 7, -1)
    return f"M{svg.num(edge - 4 * side)} 9l{4 * side} 4l{-4 * side} 4"
