"""The values of a metric in the order its repetitions ran: drift and outliers show."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from iogate.model.units import Unit, format_value
from iogate.model.verdict import Observation, ThresholdVerdict
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.blocks import FEWEST as BLOCKS
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.scale import Scale, linear_around
from iogate_reports.data import CaseData, Sides
from iogate_reports.text import median, plural, short

UNJUDGED = (".iops", ".clat.p99")
"""What is drawn, of the first direction, where no threshold says which metrics matter."""
SHOWN = 40
_FRAME = Frame(height=200)


@dataclass(frozen=True, slots=True)
class Samples:
    """One value a repetition, in ``unit``; ``limits`` are in it too."""

    metric: str
    unit: Unit
    now: tuple[float, ...]
    before: tuple[float, ...] = ()
    limits: tuple[tuple[str, float], ...] = ()


def samples(data: CaseData) -> list[Samples]:
    """A case's judged metrics; without thresholds the first ones that were observed. A
    single dot, or nothing but zeros, is no picture."""
    judged: dict[str, list[ThresholdVerdict]] = {}
    for one in data.thresholds:
        judged.setdefault(one.threshold.metric, []).append(one)
    found = [_judged(data, metric, verdicts) for metric, verdicts in judged.items()]
    if not found:
        found = _unjudged(data.observations)
    return [
        one
        for one in found
        if one.now and len(one.now) + len(one.before) > 1 and any((*one.now, *one.before))
    ]


def _judged(data: CaseData, metric: str, verdicts: Sequence[ThresholdVerdict]) -> Samples:
    first = verdicts[0]
    limits = ((one.threshold.limit.text, _limit_value(one)) for one in verdicts)
    known = [one.baseline_samples for one in verdicts]
    known += [one.baseline_samples for one in data.observations if one.metric == metric]
    before = max(known, key=len)
    return Samples(
        metric,
        first.unit,
        _real(first.samples),
        _real(before)[-SHOWN:],
        tuple((text, value) for text, value in limits if value is not None),
    )


def _unjudged(observations: Sequence[Observation]) -> list[Samples]:
    """The first observation of each of the two that people ask for, else the very first."""
    firsts = (
        next((one for one in observations if one.metric.endswith(end)), None) for end in UNJUDGED
    )
    shown = [one for one in firsts if one is not None] or observations[:1]
    return [_observed(one) for one in shown]


def _observed(one: Observation) -> Samples:
    return Samples(one.metric, one.unit, _real(one.samples), _real(one.baseline_samples)[-SHOWN:])


def _real(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(v for v in values if math.isfinite(v))


def _limit_value(one: ThresholdVerdict) -> float | None:
    limit = one.threshold.limit
    if not limit.relative:
        return limit.value
    return one.baseline * (1 + limit.value) if one.baseline is not None else None


def figures(data: CaseData) -> list[Figure]:
    """A figure for each judged metric; not for those of a comparison that are shown block by
    block."""
    shown = {one.threshold.metric for one in data.thresholds if one.blocks >= BLOCKS}
    return [_figure(one, data.sides) for one in samples(data) if one.metric not in shown]


def _figure(one: Samples, sides: Sides) -> Figure:
    title = f"{short(one.metric, 60)} by repetition"

    def write(value: float) -> str:
        return format_value(value, one.unit)

    middle = write(median(one.now) or 0.0)
    told = f"{plural(len(one.now), 'repetition')}, median {middle}"
    keys = [Key("dot s0", sides.now), Key("s0", "its median")]
    keys += [Key("dot base", sides.before)] if one.before else []
    near = _near(one)
    keys += [
        Key("limit", f"limit {short(text, 40)}")
        if value in near
        else Key("limit off", f"limit {short(text, 40)}, off the scale")
        for text, value in one.limits
    ]
    return Figure(title, draw(title, told, one), _table(one, write, sides), tuple(keys))


def draw(title: str, description: str, one: Samples) -> str:
    """Dots: the baseline's first, then this run's; medians and limits as lines."""
    everything = [*one.now, *one.before, *_near(one)]
    y = linear_around(everything, *_FRAME.y_range, one.unit)
    count = len(one.before) + len(one.now)
    x0, x1 = _FRAME.x_range
    step = (x1 - x0) / (count + (1 if one.before else 0))
    start = x0 + step * (len(one.before) + (1 if one.before else 0))
    body = [_FRAME.y_axis(y)]
    body += [svg.line((x0, y.at(v)), (x1, y.at(v)), "ln limit") for v in _near(one)]
    if one.before:
        body += _dots(one.before, x0, step, y, "base")
    body += _dots(one.now, start, step, y, "s0")
    ticks = [(start + step * (i + 0.5), str(i + 1)) for i in range(len(one.now))]
    return svg.document(
        _FRAME.size, title, description, [*body, _FRAME.x_axis(ticks, "repetition", 14)]
    )


def _near(one: Samples) -> list[float]:
    """The limits that can be shown without flattening the dots."""
    values = (*one.now, *one.before)
    low, high = min(values), max(values)
    reach = max((high - low) * 1.5, abs(high) * 0.15)
    return [v for _, v in one.limits if low - reach <= v <= high + reach]


def _dots(values: Sequence[float], start: float, step: float, y: Scale, style: str) -> list[str]:
    middle = median(values) or 0.0
    end = start + step * len(values)
    dots = "".join(
        f"M{svg.num(start + step * (i + 0.5))} {svg.num(y.at(v))}h0" for i, v in enumerate(values)
    )
    return [
        svg.line((start, y.at(middle)), (end, y.at(middle)), f"ln {style}"),
        svg.element("path", d=dots, class_=f"dot {style}"),
    ]


def _table(one: Samples, write: Callable[[float], str], sides: Sides) -> Table:
    rows = [(f"repetition {i}", write(v)) for i, v in enumerate(one.now, 1)]
    rows.append(("median", write(median(one.now) or 0.0)))
    if one.before:
        middle = write(median(one.before) or 0.0)
        rows.append((f"{sides.before}, median of {len(one.before)}", middle))
    rows += [(f"limit {text}", write(value)) for text, value in one.limits]
    return Table(("value of", short(one.metric, 60)), tuple(rows))
