"""A workload's cases along one parameter: one line a series, on the axes its spec asks for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from iogate.model.measurement import DIRECTIONS
from iogate.model.units import Unit, format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table, colour
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.lanes import directions
from iogate_reports.charts.scale import Linear, Scale, linear_from_zero, log_around
from iogate_reports.data import CaseData, WorkloadData
from iogate_reports.text import median, plural, short

_FRAME = Frame(width=560, height=340, right=18)
_SUFFIXES = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}
_UNITS = {
    "bw": Unit.BYTES_PER_SECOND,
    "iops": Unit.PER_SECOND,
    "slat": Unit.NANOSECONDS,
    "clat": Unit.NANOSECONDS,
    "lat": Unit.NANOSECONDS,
}


@dataclass(frozen=True, slots=True)
class Line:
    """Points (x as written, x as a number, median of repetitions)."""

    label: str
    style: str
    points: tuple[tuple[str, float, float], ...]


def amount(text: str) -> float | None:
    """fio's numbers: ``4k`` is 4096; None for a word, or for more than 15 digits."""
    match = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([kmgt]?)(?:i?b)?\s*", text.lower())
    return float(match[1]) * _SUFFIXES[match[2]] if match else None


def measured(data: CaseData, direction: str, metric: str) -> float | None:
    """The case's median of ``direction.metric``: from its verdict, else from its totals."""
    wanted = f"{direction}.{metric}"
    seen = [
        observation.samples for observation in data.observations if observation.metric == wanted
    ]
    seen += [verdict.samples for verdict in data.thresholds if verdict.threshold.metric == wanted]
    if seen and seen[0]:
        return median(seen[0])
    if metric not in ("bw", "iops"):
        return None
    return median(
        [
            sum(
                getattr(job.directions[direction], metric)
                for job in m.jobs
                if direction in job.directions
            )
            for m in data.measurements
        ]
    )


def lines(data: WorkloadData) -> list[Line]:
    """The series that the spec's ``chart`` asks for, in plan order."""
    x_key, metric = data.chart.get("x", ""), data.chart.get("y", "bw")
    wanted = (key.strip() for key in data.chart.get("series", "").split(","))
    keys = [key for key in wanted if key and key != "direction"]
    named = next((d for d in DIRECTIONS if metric.startswith(f"{d}.")), None)
    if named:
        metric = metric.removeprefix(f"{named}.")
    by_name: dict[tuple[str, ...], tuple[str, list[tuple[str, float, float]]]] = {}
    for case_data in data.cases:
        text = _value(case_data, x_key)
        place = amount(text)
        if place is None:
            continue
        for direction in [named] if named else directions(case_data.measurements):
            value = measured(case_data, direction, metric)
            if value is not None:
                name = (*(_value(case_data, key) for key in keys), direction)
                by_name.setdefault(name, (direction, []))[1].append((text, place, value))
    return [
        Line(
            _label(name, by_name),
            colour(i) if direction == "write" else f"{colour(i)} alt",
            tuple(sorted(points, key=lambda p: p[1])),
        )
        for i, (name, (direction, points)) in enumerate(by_name.items())
    ]


def _label(name: tuple[str, ...], every: Iterable[tuple[str, ...]]) -> str:
    """The series' name; its direction (the last part) only where a sibling has another."""
    *rest, direction = name
    siblings = sum(other[:-1] == name[:-1] for other in every)
    shown = rest if siblings == 1 and any(rest) else (*rest, direction)
    return short(" ".join(part for part in shown if part), 60)


def _value(data: CaseData, key: str) -> str:
    """A parameter of the case, else the option of its first job."""
    options = data.case.jobs[0].options if data.case.jobs else {}
    return data.case.parameters.get(key) or options.get(key, "")


def figures(data: WorkloadData) -> list[Figure]:
    """One figure where the spec asks for a chart and there is something to draw."""
    drawn = lines(data) if data.chart.get("x") else []
    if not drawn:
        return []
    metric = data.chart.get("y", "bw")
    unit = unit_of(metric)
    title = f"{short(data.name, 60)}: {short(metric, 40)} by {short(data.chart['x'], 40)}"
    told = f"{len(drawn)} series: " + ", ".join(line.label for line in drawn)
    picture = draw(title, told, drawn, data.chart, unit)
    keys = tuple(Key(line.style, line.label) for line in drawn)
    return [
        Figure(
            title,
            picture,
            _table(drawn, data.chart["x"], unit),
            keys,
            f"Medians of {_repetitions(data)}. Writes drawn full, reads dashed.",
            wide=True,
        )
    ]


def _repetitions(data: WorkloadData) -> str:
    counts = {len(case_data.measurements) for case_data in data.cases if case_data.measurements}
    low, high = min(counts), max(counts)
    return plural(low, "repetition") if low == high else f"{low} to {high} repetitions"


def unit_of(metric: str) -> Unit:
    """The unit of a metric by the part of its path that names what is measured."""
    return next((u for part, u in _UNITS.items() if part in metric.split(".")), Unit.COUNT)


def draw(
    title: str, description: str, drawn: Sequence[Line], chart: Mapping[str, str], unit: Unit
) -> str:
    """Lines with a dot a point; ``chart`` may ask for ``scale``: log-log, log-linear, linear."""
    kind = chart.get("scale", "log-log")
    x = _axis(
        [p[1] for line in drawn for p in line.points],
        "log" in kind.split("-")[0],
        *_FRAME.x_range,
        Unit.COUNT,
    )
    y = _axis(
        [p[2] for line in drawn for p in line.points],
        "log" in kind.split("-")[-1],
        *_FRAME.y_range,
        unit,
    )
    names = {p[1]: p[0] for line in drawn for p in line.points}
    ticks = [(x.at(place), text) for place, text in sorted(names.items())]
    body = [
        _FRAME.y_axis(y),
        _FRAME.x_axis(ticks, "", 34),
    ]
    for line in drawn:
        places = [(x.at(p[1]), y.at(p[2])) for p in line.points]
        dots = "".join(f"M{svg.num(a)} {svg.num(b)}h0" for a, b in places)
        body.append(svg.element("path", d=svg.trace(places), class_=f"ln {line.style}"))
        body.append(svg.element("path", d=dots, class_=f"dot {line.style}"))
    return svg.document(_FRAME.size, title, description, body)


def _axis(values: Sequence[float], log: bool, start: float, end: float, unit: Unit) -> Scale:
    scale = log_around(values, start, end, unit) if log and min(values) > 0 else None
    if scale is not None:
        return scale
    if start < end:
        low, high = min(values), max(values)
        return Linear(low, high if high > low else low + 1, start, end)
    return linear_from_zero(values, start, end, unit)


def _table(drawn: Sequence[Line], x_key: str, unit: Unit) -> Table:
    names = {p[1]: p[0] for line in drawn for p in line.points}
    rows = []
    for place, text in sorted(names.items()):
        cells = ({p[1]: p[2] for p in line.points}.get(place) for line in drawn)
        rows.append((text, *(format_value(v, unit) for v in cells)))
    return Table((short(x_key, 40), *(line.label for line in drawn)), tuple(rows))
