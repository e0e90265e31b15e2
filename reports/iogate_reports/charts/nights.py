"""A series night by night: levels and their spread, changes with their range, what changed on
the host, and limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from itertools import chain, pairwise, zip_longest

from iogate.model.hops import hops_text
from iogate.model.trend import SeriesTrend
from iogate.model.units import format_value
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.frame import Frame
from iogate_reports.charts.scale import Linear, Scale, cut, linear_around
from iogate_reports.charts.spark import stretches, traced
from iogate_reports.facts import changes_text
from iogate_reports.text import plural, short, signed
from iogate_reports.trend_lines import Line, Segment

FRAME = Frame(width=900, height=240, left=76, right=16, top=22, bottom=26)
MOST, MOST_ENDS = 140, 70
MOST_TOLD = 12
_DAY = 24 * 60
_MONTH = 30 * _DAY


def figure(line: Line, minutes: Sequence[int]) -> Figure:
    """``minutes`` are the times of all nights of the trend."""
    series = line.series
    title = f"{short(series.metric, 60)} by night"
    level = format_value(series.level, series.unit)
    moved = f"{plural(len(line.segments) - 1, 'change')} of level"
    if series.hopping:
        moved += f"; it {hops_text(series.hopping, series.unit)}"
    told = f"{len(series.values)} nights, now at {level}; {moved}"
    picture, note = draw(title, told, line, minutes), _note(line, minutes)
    note = f"{note} {cut(_shown(line))}".strip()
    return Figure(title, picture, _table(line), _legend(line), note, wide=True)


def draw(title: str, description: str, line: Line, minutes: Sequence[int]) -> str:
    """Time to the right, the metric upwards, not from zero."""
    x = _times(line.times)
    y = linear_around(_shown(line), *FRAME.y_range, line.series.unit)
    body = [
        *_ranges(line, x, minutes),
        FRAME.y_axis(y),
        _axis(line.times),
        *(part for segment in line.levels for part in _segment(segment, line, x, y)),
        *_band(line, y),
        svg.element("path", d=_trace(line, y), class_="ln s0 thin"),
        *_lone(line, y),
        *_limits(line, y),
        *_markers(line, x, minutes),
    ]
    return svg.document(FRAME.size, title, description, body, "nights")


def _shown(line: Line) -> list[float]:
    """What the axis has to hold."""
    return [*line.ends, *near(line)]


def _trace(line: Line, y: Linear) -> str:
    places = list(zip(_across(line.times), y.all(line.series.values), strict=True))
    return traced(line.times, places, MOST)


def _lone(line: Line, y: Linear) -> Iterator[str]:
    """The first night of all: there is no line yet."""
    if len(line.times) == 1:
        places = zip(_across(line.times), y.all(line.series.values), strict=True)
        yield from (
            svg.element("path", d=f"M{svg.num(a)} {svg.num(b)}h0", class_="dot s0")
            for a, b in places
        )


def _band(line: Line, y: Linear) -> Iterator[str]:
    """The interval of each night's median, an area for each stretch of a level without a gap."""
    if line.series.lows:
        cuts = sorted(
            {*chain(*stretches(line.times)), *(segment.first for segment in line.segments)}
        )
        areas = (_area(line, y, a, b) for a, b in pairwise(cuts))
        yield svg.element("path", d="".join(areas), class_="sure")


def _area(line: Line, y: Linear, start: int, stop: int) -> str:
    """Of neighbours the outermost ends, so that no more than about MOST_ENDS are left of a side."""
    step = -(-len(line.times) // MOST_ENDS)
    top, bottom = FRAME.top, FRAME.height - FRAME.bottom
    xs = _across(line.times)[start:stop:step]
    lows = _furthest(min, line.series.lows[start:stop], step, math.inf)
    highs = _furthest(max, line.series.highs[start:stop], step, -math.inf)
    above = [(x, max(at, top)) for x, at in zip(xs, y.all(highs), strict=True)]
    below = [(x, min(at, bottom)) for x, at in zip(xs, y.all(lows), strict=True)]
    return svg.rough(above + below[::-1]) + "z"


def _furthest(
    of: Callable[[Iterable[float]], float], values: Sequence[float], step: int, none: float
) -> list[float]:
    """The largest, or smallest, of each ``step`` values; of what is left at the end too."""
    return [
        of(some) for some in zip_longest(*(values[i::step] for i in range(step)), fillvalue=none)
    ]


@lru_cache(maxsize=64)
def _across(times: tuple[int, ...]) -> list[float]:
    """Where the nights are; the series of a host share them."""
    return _times(times).all(times)


@lru_cache(maxsize=64)
def _axis(times: tuple[int, ...]) -> str:
    """The time axis; the series of a host share it as well."""
    x = _times(times)
    return FRAME.x_axis([(x.at(t), text) for t, text in _months(times)], "", 52)


def near(line: Line) -> list[float]:
    """The limits that can be shown without flattening the series."""
    low, high = min(line.series.values), max(line.series.values)
    reach = max((high - low) * 1.5, abs(high) * 0.15)
    return [v for _, v in line.limits if low - reach <= v <= high + reach]


def _times(times: Sequence[int]) -> Linear:
    if times[0] == times[-1]:
        return Linear(times[0] - _DAY, times[0] + _DAY, *FRAME.x_range)
    return Linear(times[0], times[-1], *FRAME.x_range)


def _months(times: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The first of each month; each day where the series is shorter than two of them, and the
    first night where no day begins in it."""
    days = times[-1] - times[0] < 2 * _MONTH
    first = datetime.fromtimestamp(times[0] * 60, UTC)
    at = first.replace(hour=0, minute=0, second=0)
    if at.date() == datetime.fromtimestamp(times[-1] * 60, UTC).date():
        yield times[0], first.strftime("%d %b %Y")
    while True:
        at = (at + timedelta(days=1)) if days else (at.replace(day=1) + timedelta(days=32))
        at = at if days else at.replace(day=1)
        minute = int(at.timestamp()) // 60
        if minute > times[-1]:
            return
        yield minute, at.strftime("%d %b" if days else "%b %Y")


def _segment(segment: Segment, line: Line, x: Scale, y: Scale) -> Iterator[str]:
    left, right = x.at(line.times[segment.first]), x.at(line.times[segment.last])
    top, bottom = y.at(segment.high), y.at(segment.low)
    yield svg.element(
        "rect", x=left, y=top, width=max(right - left, 1), height=bottom - top, class_="spread"
    )
    yield svg.line((left, y.at(segment.level)), (right, y.at(segment.level)), "ln level")


def _ranges(line: Line, x: Scale, minutes: Sequence[int]) -> Iterator[str]:
    bottom, top = FRAME.y_range
    for move in line.moves:
        left, right = (
            max(x.at(minutes[night]), FRAME.left)
            for night in (move.change.last_before, move.change.first_after)
        )
        kind = "worse" if move.is_worse else "better"
        yield svg.element(
            "rect",
            x=left,
            y=top,
            width=max(right - left, 2),
            height=bottom - top,
            class_=f"range {kind}",
        )


def _limits(line: Line, y: Scale) -> Iterator[str]:
    for value in near(line):
        yield svg.line((FRAME.left, y.at(value)), (FRAME.x_range[1], y.at(value)), "ln limit")


def _markers(line: Line, x: Scale, minutes: Sequence[int]) -> Iterator[str]:
    bottom, top = FRAME.y_range
    for number, marker in enumerate(line.markers, 1):
        at = min(x.at(minutes[marker.night]), FRAME.x_range[1])
        yield svg.line((at, top), (at, bottom), "ln marker")
        yield svg.text(at + 3, top + 10, str(number))


def _note(line: Line, minutes: Sequence[int]) -> str:
    """What the numbers of the markers stand for; of many, the newest MOST_TOLD."""
    numbered = list(enumerate(line.markers, 1))
    told = [
        f"{number}: {_day(minutes[marker.night])} {changes_text(marker.changes)}"
        for number, marker in numbered[-MOST_TOLD:]
    ]
    left = len(numbered) - len(told)
    before = f"; its first {plural(left, 'change')} left out here" if left else ""
    return f"The host changed{before}. {'. '.join(told)}." if told else ""


def _day(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).strftime("%Y-%m-%d")


def _legend(line: Line) -> tuple[Key, ...]:
    level = "levels that it hops between" if line.series.hopping else "level"
    keys = [Key("s0", "median of the repetitions, a night"), Key("level", level)]
    if line.series.lows:
        keys.append(Key("sure", band_text(line.series)))
    keys.append(Key("spread", "95 % of the nights of a level"))
    worse = {move.is_worse for move in line.moves}
    keys += [Key("range worse", "came in here: a regression")] if True in worse else []
    keys += [Key("range better", "came in here: an improvement")] if False in worse else []
    keys += [Key("marker", "the host changed")] if line.markers else []
    shown = near(line)
    keys += [
        Key("limit" if v in shown else "limit off", f"limit {short(text, 40)}")
        for text, v in line.limits
    ]
    return tuple(keys)


def band_text(series: SeriesTrend) -> str:
    """What the band about the line is."""
    few, many = min(series.counts), max(series.counts)
    count = f"{few} to {many}" if few < many else f"{many}"
    least = "at least " if few < many else ""
    return f"interval of that median ({least}{series.confidence * 100:.3g} %, n = {count})"


def _table(line: Line) -> Table:
    rows = []
    before: Segment | None = None
    for segment in line.levels:
        change = segment.level / before.level - 1 if before and before.level else None
        change = change if before and before.last < segment.first else None
        rows.append(_row(line, segment, signed(change) if change is not None else "–"))
        before = segment
    return Table(("from", "to", "nights", "level", "95 % of nights", "change"), tuple(rows))


def _row(line: Line, segment: Segment, change: str) -> tuple[str, ...]:
    unit = line.series.unit
    first, last = (_day(line.times[i]) for i in (segment.first, segment.last))
    spread = f"{format_value(segment.low, unit)} … {format_value(segment.high, unit)}"
    count = str(segment.last - segment.first + 1)
    return first, last, count, format_value(segment.level, unit), spread, change
