"""The rounds in which a device was written until its rate was steady: the window that decided,
the band that the rule allows about its mean, and the line through it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.model.run import Run
from iogate.model.steady import DevicePrecondition, SteadyState
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.over_time import thinned
from iogate_reports.charts.scale import Linear, linear_from_zero
from iogate_reports.text import plural, short

FEW = 40
"""So many rounds have a dot each, and a row of the table."""
_FRAME = Frame(width=560, height=240)
_UNITS = {"iops": Unit.PER_SECOND, "bw": Unit.BYTES_PER_SECOND}
_NAMES = {"iops": "IOPS", "bw": "bandwidth"}


def figures(run: Run) -> list[Figure]:
    """One for each device that was written until it was steady, by this run or an earlier."""
    return [
        _figure(precondition, precondition.steady)
        for precondition in run.preconditions
        if precondition.steady and _whole(precondition.steady)
    ]


def _whole(steady: SteadyState) -> bool:
    """Whether there is enough, and all of it finite: a document may say anything."""
    numbers = (*steady.rounds, *steady.band, *steady.line, steady.mean, steady.round_s)
    return (
        len(steady.rounds) > 1
        and all(math.isfinite(value) and abs(value) < 1e15 for value in numbers)
        and 0 < steady.window <= len(steady.rounds)
    )


def _figure(precondition: DevicePrecondition, steady: SteadyState) -> Figure:
    what = _NAMES.get(steady.of, "rate")
    title = f"Write {what} of {short(precondition.device, 60)} until it was steady"
    told = f"{_rounds(steady)}; {short(steady.found, 160)}"
    picture = draw(title, told, steady)
    note = f"Rule {short(steady.rule, 40)}: {short(steady.found, 160)}."
    return Figure(title, picture, _table(steady), _legend(steady), note, wide=True)


def _rounds(steady: SteadyState) -> str:
    return f"{plural(len(steady.rounds), 'round')} of {steady.round_s:g} s"


def _legend(steady: SteadyState) -> tuple[Key, ...]:
    few = len(steady.rounds) <= FEW
    keys = [Key("dot s0" if few else "s0", f"a round of {steady.round_s:g} s")]
    keys.append(Key("window", f"the window: the last {plural(steady.window, 'round')}"))
    keys += [Key("allowed", "what the rule allows about its mean")] if _band(steady) else []
    keys.append(Key("level", "mean of the window"))
    keys += [Key("s1 alt", "least-squares line through it")] if _line(steady) else []
    return tuple(keys)


def draw(title: str, description: str, steady: SteadyState) -> str:
    """Rounds from left to right, the window shaded."""
    unit = _UNITS.get(steady.of, Unit.COUNT)
    count, band, line = len(steady.rounds), _band(steady), _line(steady)
    x = Linear(0.5, count + 0.5, *_FRAME.x_range)
    highest = [*steady.rounds, *band, *line, steady.mean]
    y = linear_from_zero(highest, *_FRAME.y_range, unit)
    start, end = x.at(count - steady.window + 0.5), x.at(count + 0.5)
    bottom, top = _FRAME.y_range
    body = [_box((start, top), (end, bottom), "window")]
    if band:
        places = [min(max(y.at(value), top), bottom) for value in band]
        body.append(_box((start, places[1]), (end, places[0]), "allowed"))
    body.append(_FRAME.y_axis(y, _NAMES.get(steady.of, "rate")))
    body.append(svg.line((start, y.at(steady.mean)), (end, y.at(steady.mean)), "ln level thin"))
    body += _trace(x, y, steady.rounds)
    if line:
        first, last = x.at(count - steady.window + 1), x.at(count)
        body.append(svg.line((first, y.at(line[0])), (last, y.at(line[1])), "ln s1 alt"))
    numbers = range(1, count + 1) if count <= FEW else [round(at) for at, _ in x.ticks()]
    ticks = [(x.at(n), str(n)) for n in numbers if n]
    body.append(_FRAME.x_axis(ticks, "round", 24))
    return svg.document(_FRAME.size, title, description, body)


def _band(steady: SteadyState) -> Sequence[float]:
    return steady.band if len(steady.band) == 2 and steady.band[0] <= steady.band[1] else ()


def _line(steady: SteadyState) -> Sequence[float]:
    return steady.line if len(steady.line) == 2 and steady.window > 1 else ()


def _box(corner: svg.Point, other: svg.Point, style: str) -> str:
    wide, high = other[0] - corner[0], other[1] - corner[1]
    return svg.element("rect", x=corner[0], y=corner[1], width=wide, height=high, class_=style)


def _trace(x: Linear, y: Linear, rounds: Sequence[float]) -> list[str]:
    """A thin line through all, and dots where they can be told apart."""
    places = [(x.at(n), y.at(rate)) for n, rate in enumerate(rounds, 1)]
    path = svg.element("path", d=svg.trace(thinned(places, 400)), class_="ln s0 thin")
    if len(rounds) > FEW:
        return [path]
    dots = "".join(f"M{svg.num(at)} {svg.num(height)}h0" for at, height in places)
    return [path, svg.element("path", d=dots, class_="dot s0")]


def _table(steady: SteadyState) -> Table:
    unit = _UNITS.get(steady.of, Unit.COUNT)

    def write(value: float) -> str:
        return format_value(value, unit)

    rows = [("mean of the window", write(steady.mean))]
    band, line = _band(steady), _line(steady)
    rows += [("allowed about it", f"{write(band[0])} to {write(band[1])}")] if band else []
    rows += [("line through it", f"{write(line[0])} to {write(line[1])}")] if line else []
    count = len(steady.rounds)
    named = list(enumerate(steady.rounds, 1))[-FEW:]
    rows += [(f"round {number}", write(rate)) for number, rate in named]
    if count > FEW:
        before = steady.rounds[: count - FEW]
        ends = f"{write(min(before))} to {write(max(before))}"
        rows.append((f"rounds 1 to {count - FEW}", ends))
    return Table((_rounds(steady), _NAMES.get(steady.of, "rate")), tuple(rows))
