"""Latency percentiles, p50 … p99.999: log latency over a scale of nines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
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
from iogate_reports.charts.pooled import Pooled, change_between
from iogate_reports.charts.scale import Linear, log_around
from iogate_reports.data import CaseData, counted, of_newest
from iogate_reports.labels import Change, describe_change
from iogate_reports.text import overlap, relative_change, short

LABELS = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p99.9": 0.999, "p99.99": 0.9999, "p99.999": 0.99999}
SURE = 10
"""A curve is drawn full as far as this many I/Os lie beyond it, thinner to the last one."""
_LOW, _HIGH, _STEP = -math.log10(0.5), 5.0, 0.14
_BEYOND = 10.0  # times, at most
_BETWEEN = (_LOW + _STEP * i for i in range(1, 34))
_SHARES = {n: 1 - 10**-n for n in _BETWEEN} | {-math.log10(1 - s): s for s in LABELS.values()}
"""Nines → the share that is drawn there. Those with a name are what they are called: a hair above
one half may lie in another bucket than one half."""
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
    nines = sorted(n for n in _SHARES if n <= math.log10(count) + 1e-9)
    shares = [_SHARES[n] for n in nines]
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
    values += _ends(values, [band for band, _ in bands])
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


def _ends(values: Sequence[float], bands: Sequence[ribbon.Band]) -> list[float]:
    """How far the axis goes for the bands: they are cut a decade beyond the lines, so that these
    are not pressed flat."""
    low, high = min(values, default=0.0) / _BEYOND, max(values, default=0.0) * _BEYOND
    ends = [end for band in bands for _, *both in band for end in both]
    return [min(max(end, low), high) for end in ends if end > 0]


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


@dataclass(frozen=True, slots=True)
class _Pair:
    """A lane of this run and of its baseline: their I/Os and their curves."""

    sides: tuple[Pooled, Pooled]
    now: Curve
    before: Curve | None
    is_history: bool


def _figure(data: CaseData, direction: str) -> Figure | None:
    every = enumerate(lanes(data.measurements, direction))
    pairs = [pair for i, lane in every if (pair := _pair(data, lane, i))]
    curves = [line for pair in pairs for line in (pair.now, pair.before) if line is not None]
    if not curves:
        return None
    title = f"{direction.capitalize()} latency percentiles"
    bands = _bands(pairs[0]) if len(pairs) == 1 else []
    faint = [] if bands or len(pairs) > 1 else _each(pairs[0].sides[0])
    worst = "; ".join(f"{line.label}: {_reach(line)}" for line in curves)
    return Figure(
        title=title,
        svg=draw(title, worst, curves[::-1], faint, bands, name=latency_name(direction)),
        table=_table(pairs, data.sides.before, bands),
        legend=tuple(Key(line.style, line.label) for line in curves)
        + ((Key("faint s0", f"each {_unit(data)}"),) if faint else ())
        + ((Key("ribbon s0", f"95 % CI over {_unit(data)}s"),) if bands else ()),
        note=" ".join(filter(None, _notes(data))),
    )


def _notes(data: CaseData) -> Iterator[str]:
    yield f"n = {counted(data)}."
    if len(data.measurements) > 1:
        unit = _unit(data)
        yield f"Of all their I/Os together; a limit takes each {unit}’s own percentile."
    yield of_newest(data)
    yield f"Dotted where fewer than {SURE} I/Os lie beyond."


def _pair(data: CaseData, lane: Lane, index: int) -> _Pair | None:
    """None where the lane did no I/O in this run."""
    name, style = short(lane.job, 40), colour(index)
    sides = _pooled(data.measurements, lane), _pooled(data.baseline, lane)
    now = curve(sides[0].whole, name or data.sides.now, style)
    other = f"{name} {data.sides.before}".strip()
    before = curve(sides[1].whole, other, f"{style} base" if name else "base")
    compared = any(m.arm for m in data.measurements)
    return _Pair(sides, now, before, not compared) if now else None


def _pooled(measurements: Sequence[Measurement], lane: Lane) -> Pooled:
    """The repetitions of a boot are not independent: they are one."""
    every = (latency_histogram(run, lane) for run in arm_runs(measurements))
    parts = tuple(part for part in every if part.bins)
    return Pooled(parts[0] if len(parts) == 1 else Histogram.merged(parts), parts)


def _bands(pair: _Pair) -> list[tuple[ribbon.Band, str]]:
    """Of the baseline, then of this run; none where this run's repetitions are too few."""
    drawn = (_band(*side) for side in zip(pair.sides, (pair.now, pair.before), strict=True))
    now, before = drawn
    return [(before, "base"), (now, "s0")] if now else []


def _band(side: Pooled, line: Curve | None) -> ribbon.Band:
    if line is None:
        return ()
    without = [curve(each, "", "") for each in side.without_each()]
    return ribbon.band(line.points, [each.points if each else () for each in without])


def _each(side: Pooled) -> list[Curve]:
    """A curve of each repetition, where there are several."""
    drawn = (curve(part, "", "s0") for part in side.parts if len(side.parts) > 1)
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


def _table(pairs: Sequence[_Pair], other: str, bands: Sequence[tuple[ribbon.Band, str]]) -> Table:
    headers = ["percentile"]
    compared = any(pair.before for pair in pairs)
    for pair in pairs:
        former = pair.before.label if pair.before else other
        headers += [pair.now.label] + ([former, "change"] if compared else [])
    before, now = (_intervals(band) for band, _ in bands) if bands else ({}, {})
    headers += ["95 % CI"] if now else []
    headers += [f"95 % CI, {other}"] if before else []
    told = [_changes(pair) for pair in pairs]
    rows = []
    for name, share in LABELS.items():
        row = [name]
        for pair, changes in zip(pairs, told, strict=True):
            row += _cells(_at(pair.now, share), _at(pair.before, share), changes.get(name))
            row = row if compared else row[:-2]
        row += [of_side.get(name, "–") for of_side in (now, before) if of_side]
        rows.append(tuple(row))
    return Table(tuple(headers), tuple(rows))


def _changes(pair: _Pair) -> dict[str, Change | None]:
    """How each percentile changed. Repetitions do not tell how runs differ: against a history a
    change is clear only where, besides, no value of the one side lies among the other's."""
    told = {}
    for name, share in LABELS.items():
        now, other = _at(pair.now, share), _at(pair.before, share)
        if now is None or other is None:
            continue
        own, former = (_values(side.parts, share) for side in pair.sides)
        apart, before = (_values(tuple(side.without_each()), share) for side in pair.sides)
        unsure = overlap(own, former) or not (own and former)
        around = change_between((now, apart), (other, before))
        around = None if unsure and pair.is_history else around
        change = relative_change(now, other)
        told[name] = describe_change(change, Better.LOW, around, overlap=unsure)
    return told


def _values(histograms: Sequence[Histogram], share: float) -> list[float]:
    """A percentile of each; nothing where one does not reach as far."""
    if any(each.count * (1 - share) < 1 - 1e-9 for each in histograms):
        return []
    return [quantiles_ns(each, (share,))[0] for each in histograms]


def _intervals(band: ribbon.Band) -> dict[str, str]:
    """Percentile → ``84 µs … 96 µs``, as far as all repetitions reach."""
    known = {round(at, 3): (low, high) for at, low, high in band}
    places = {name: round(-math.log10(1 - share), 3) for name, share in LABELS.items()}
    return {
        name: " … ".join(format_value(end, Unit.NANOSECONDS) for end in known[at])
        for name, at in places.items()
        if at in known
    }


def _cells(now: float | None, before: float | None, change: Change | None) -> list[str]:
    told = f"{change.text} {change.arrow} {change.word}" if change else "–"
    values = [format_value(each, Unit.NANOSECONDS) for each in (now, before)]
    return [*values, told]
