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
from iogate_reports.charts.blocks import in_full
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.scale import Scale, cut, linear_around
from iogate_reports.data import CaseData, Sides, counted_as, number_of
from iogate_reports.text import median, plural, short

UNJUDGED = (".iops", ".clat.p99")
"""What is drawn, of the first direction, where no threshold says which metrics matter."""
SHOWN = 40
"""So many values of the baseline are dots, the newest; its median is of all."""
_FRAME = Frame(height=200)


@dataclass(frozen=True, slots=True)
class Samples:
    """One value a repetition in the order they ran, in ``unit``; ``limits`` are in it too.
    ``numbers`` are those of this run's repetitions where they are known; in a comparison those
    of its blocks, which ``what`` says. ``disturbed`` are those that do not count, by number.
    Where a value is the mean of a boot's repetitions, ``each`` has them."""

    metric: str
    unit: Unit
    now: tuple[float, ...]
    before: tuple[float, ...] = ()
    limits: tuple[tuple[str, float], ...] = ()
    numbers: tuple[int, ...] = ()
    what: str = "repetition"
    disturbed: tuple[tuple[int, float], ...] = ()
    each: tuple[tuple[float, ...], ...] = ()

    @property
    def in_order(self) -> list[tuple[int, float, bool]]:
        """Everything that this run measured, with whether it was disturbed."""
        kept = [(number, value, False) for number, value in self.named]
        return sorted([*kept, *((number, value, True) for number, value in self.disturbed)])

    @property
    def named(self) -> list[tuple[int, float]]:
        """Each repetition of this run with its number, else as it is counted."""
        numbers = self.numbers or range(1, len(self.now) + 1)
        return list(zip(numbers, self.now, strict=True))

    @property
    def newest(self) -> tuple[float, ...]:
        """As much of the baseline as is drawn."""
        return self.before[-SHOWN:]


def samples(data: CaseData) -> list[Samples]:
    """A case's judged metrics; without thresholds the first ones that were observed. A
    single dot, or nothing but zeros, is no picture. Where every repetition was disturbed, those are
    drawn."""
    judged: dict[str, list[ThresholdVerdict]] = {}
    for verdict in data.thresholds:
        judged.setdefault(verdict.threshold.metric, []).append(verdict)
    of_each_metric = [_judged(data, metric, verdicts) for metric, verdicts in judged.items()]
    if not of_each_metric:
        of_each_metric = _unjudged(data)
    return [
        measured
        for measured in of_each_metric
        if (shown := (*measured.now, *(value for _, value in measured.disturbed)))
        and len(shown) + len(measured.before) > 1
        and any((*shown, *measured.before))
    ]


def _judged(data: CaseData, metric: str, verdicts: Sequence[ThresholdVerdict]) -> Samples:
    first = verdicts[0]
    limits = ((verdict.threshold.limit.text, _limit_value(verdict)) for verdict in verdicts)
    known = [each.baseline_samples for each in verdicts if not each.against]
    known += [
        observation.baseline_samples
        for observation in data.observations
        if observation.metric == metric
    ]
    before = max(known, key=len, default=())
    return Samples(
        metric,
        first.unit,
        _real(first.samples),
        _real(before),
        tuple((text, value) for text, value in limits if value is not None),
        _numbers(data, first.samples),
        counted_as(data),
        _disturbed(data, metric),
        first.repetitions,
    )


def _unjudged(data: CaseData) -> list[Samples]:
    """The first observation of each of the two that people ask for, else the very first."""
    seen = data.observations
    firsts = (
        next((observation for observation in seen if observation.metric.endswith(end)), None)
        for end in UNJUDGED
    )
    shown = [observation for observation in firsts if observation is not None] or seen[:1]
    return [_observed(data, observation) for observation in shown]


def _observed(data: CaseData, observation: Observation) -> Samples:
    return Samples(
        observation.metric,
        observation.unit,
        _real(observation.samples),
        _real(observation.baseline_samples),
        numbers=_numbers(data, observation.samples),
        what=counted_as(data),
        disturbed=_disturbed(data, observation.metric),
    )


def _disturbed(data: CaseData, metric: str) -> tuple[tuple[int, float], ...]:
    """What repetitions that do not count gave of a metric, where it is known of which each is."""
    seen = next(
        (
            observation.disturbed
            for observation in data.observations
            if observation.metric == metric
        ),
        (),
    )
    if len(seen) != len(data.disturbed) or not all(map(math.isfinite, seen)):
        return ()
    return tuple(zip(map(number_of, data.disturbed), seen, strict=True))


def _numbers(data: CaseData, values: Sequence[float]) -> tuple[int, ...]:
    """Of which repetition, or block, each value is. Where one gave no value it is not known."""
    numbers = [number_of(m) for m in data.measurements]
    if counted_as(data) == "block":  # of several repetitions of a boot there is one value
        numbers = list(dict.fromkeys(numbers))
    known = len(values) == len(numbers) and all(map(math.isfinite, values))
    return tuple(numbers) if known else ()


def _real(values: Iterable[float]) -> tuple[float, ...]:
    return tuple(v for v in values if math.isfinite(v))


def _limit_value(verdict: ThresholdVerdict) -> float | None:
    limit = verdict.threshold.limit
    if not limit.relative:
        return limit.value
    return verdict.baseline * (1 + limit.value) if verdict.baseline is not None else None


def figures(data: CaseData) -> list[Figure]:
    """A figure for each judged metric; not for those of a comparison that are shown block by
    block."""
    shown = {verdict.threshold.metric for verdict in data.thresholds if verdict.blocks >= BLOCKS}
    return [
        _figure(measured, data.sides) for measured in samples(data) if measured.metric not in shown
    ]


def _figure(measured: Samples, sides: Sides) -> Figure:
    title = f"{short(measured.metric, 60)} by {measured.what}"

    def write(value: float) -> str:
        return format_value(value, measured.unit)

    middle = f", median {write(median(measured.now) or 0.0)}" if measured.now else ""
    told = f"{plural(len(measured.now), measured.what)}{middle}"
    told += f"; {len(measured.disturbed)} disturbed" if measured.disturbed else ""
    keys = [Key("dot s0", sides.now), Key("s0", "its median")] if measured.now else []
    keys += [Key("dot spoiled", "disturbed, does not count")] if measured.disturbed else []
    keys += [Key("dot base", sides.before)] if measured.before else []
    near = _near(measured)
    keys += [
        Key("limit", f"limit {short(text, 40)}")
        if value in near
        else Key("limit off", f"limit {short(text, 40)}, off the scale")
        for text, value in measured.limits
    ]
    picture, table = draw(title, told, measured), _table(measured, write, sides)
    return Figure(title, picture, table, tuple(keys), _note(measured, sides))


def _note(measured: Samples, sides: Sides) -> str:
    count = len(measured.before)
    left = f"{sides.before}: the newest {SHOWN} of {count} are dots." if count > SHOWN else ""
    none = "" if measured.now else "All were disturbed: none is judged."
    return " ".join(filter(None, (none, left, cut(_everything(measured)))))


def draw(title: str, description: str, measured: Samples) -> str:
    """Dots: the baseline's first, then this run's; medians and limits as lines."""
    x0, x1 = _FRAME.x_range
    gap = 1 if measured.before else 0
    step = (x1 - x0) / (len(measured.newest) + gap + len(measured.in_order))
    start = x0 + step * (len(measured.newest) + gap)
    before, now = (median(values) for values in (measured.before, measured.now))
    y = linear_around(_everything(measured), *_FRAME.y_range, measured.unit)
    body = [_FRAME.y_axis(y)]
    body += [svg.line((x0, y.at(v)), (x1, y.at(v)), "ln limit") for v in _near(measured)]
    if before is not None:
        body += _dots(measured.newest, before, (x0, start - step), y, "base")
    body += _all_dots(measured, now, (start, x1), y)
    ticks = [(start + step * (i + 0.5), str(n)) for i, (n, _, _) in enumerate(measured.in_order)]
    return svg.document(
        _FRAME.size, title, description, [*body, _FRAME.x_axis(ticks, measured.what, 14)]
    )


def _everything(measured: Samples) -> list[float]:
    """What the axis has to hold; a median lies among its values, of which not all are dots."""
    spoiled = [value for _, value in measured.disturbed]
    levels = [median(values) or 0.0 for values in (measured.before, measured.now) if values]
    return [*measured.now, *spoiled, *measured.newest, *levels, *_near(measured)]


def _near(measured: Samples) -> list[float]:
    """The limits that can be shown without flattening the dots."""
    spoiled = () if measured.now else tuple(value for _, value in measured.disturbed)
    values = (*measured.now, *spoiled, *measured.newest)
    low, high = min(values), max(values)
    reach = max((high - low) * 1.5, abs(high) * 0.15)
    return [v for _, v in measured.limits if low - reach <= v <= high + reach]


def _all_dots(
    measured: Samples, level: float | None, ends: tuple[float, float], y: Scale
) -> list[str]:
    """This run's dots, those that do not count in a style of their own."""
    if level is not None and not measured.disturbed:
        return _dots(measured.now, level, ends, y, "s0")
    step = (ends[1] - ends[0]) / len(measured.in_order)
    places = [
        (ends[0] + step * (i + 0.5), value) for i, (_, value, _) in enumerate(measured.in_order)
    ]
    body = []
    if level is not None:
        body.append(svg.line((ends[0], y.at(level)), (ends[1], y.at(level)), "ln s0"))
    for style, wanted in (("s0", False), ("spoiled", True)):
        chosen = [
            place
            for place, each in zip(places, measured.in_order, strict=True)
            if each[2] is wanted
        ]
        dots = "".join(f"M{svg.num(x)} {svg.num(y.at(value))}h0" for x, value in chosen)
        if chosen:
            body.append(svg.element("path", d=dots, class_=f"dot {style}"))
    return body


def _dots(
    values: Sequence[float], level: float, ends: tuple[float, float], y: Scale, style: str
) -> list[str]:
    start, end = ends
    step = (end - start) / len(values)
    dots = "".join(
        f"M{svg.num(start + step * (i + 0.5))} {svg.num(y.at(v))}h0" for i, v in enumerate(values)
    )
    return [
        svg.line((start, y.at(level)), (end, y.at(level)), f"ln {style}"),
        svg.element("path", d=dots, class_=f"dot {style}"),
    ]


def _table(measured: Samples, write: Callable[[float], str], sides: Sides) -> Table:
    numbers = [number for number, _ in measured.named]
    parts = dict(zip(numbers, measured.each, strict=False))
    rows = [
        (f"{measured.what} {number}, disturbed", write(v))
        if spoiled
        else (f"{measured.what} {number}", in_full(v, parts.get(number, ()), measured.unit))
        for number, v, spoiled in measured.in_order
    ]
    if measured.now:
        rows.append(("median", write(median(measured.now) or 0.0)))
    if measured.before:
        middle = write(median(measured.before) or 0.0)
        rows.append((f"{sides.before}, median of {len(measured.before)}", middle))
    rows += [(f"limit {text}", write(value)) for text, value in measured.limits]
    return Table(("value of", short(measured.metric, 60)), tuple(rows))
