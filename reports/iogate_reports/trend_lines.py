"""The nights of all specs, arranged as pages need them."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from iogate.model.plan import Case, Plan
from iogate.model.trend import Alert, Change, Marker, SeriesTrend, Trend, Turn
from iogate_reports.text import anchor, short

Key = tuple[str, str, str, str]
"""Case id, metric, machine id, environment: what tells series apart."""


@dataclass(frozen=True, slots=True)
class Segment:
    """Nights between two changes. ``first`` and ``last`` are places in the series; between
    ``low`` and ``high`` lie 95 % of its nights."""

    first: int
    last: int
    level: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Move:
    """A change of a series and the alert that it belongs to; none for a recovery, which is
    told with the alert that it ends."""

    alert: Alert | None
    change: Change

    @property
    def is_worse(self) -> bool:
        return self.change.turn is Turn.REGRESSION


@dataclass(frozen=True, eq=False)
class Line:
    """One series with all that a picture of it shows. ``times`` are Unix minutes."""

    series: SeriesTrend
    moves: tuple[Move, ...]
    times: tuple[int, ...]
    markers: tuple[Marker, ...]
    limits: tuple[tuple[str, float], ...]
    anchor: str

    @cached_property
    def segments(self) -> tuple[Segment, ...]:
        """From change to change, oldest first. An accepted change is no move any more: it is
        where the nights begin that count."""
        nights = self.series.nights
        moved = (self.place(move.change.estimate) for move in self.moves)
        starts = sorted({0, self.series.start, *moved})
        ends = [*(s - 1 for s in starts[1:]), len(nights) - 1]
        pairs = zip(starts, ends, strict=True)
        return tuple(self._segment(a, b) for a, b in pairs if a <= b)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """What a vertical axis has to hold: the values, and all but a twentieth of the ends of
        their intervals. One repetition that went astray does not flatten a year."""
        one = self.series
        aside = len(one.lows) // 20
        lows, highs = sorted(one.lows)[aside:], sorted(one.highs)[: len(one.highs) - aside]
        return min((*one.values, *lows[:1])), max((*one.values, *highs[-1:]))

    def place(self, night: int) -> int:
        """Where a night of the trend is in this series, or the next one that is."""
        return next((i for i, n in enumerate(self.series.nights) if n >= night), 0)

    def _segment(self, first: int, last: int) -> Segment:
        values = sorted(self.series.values[first : last + 1])
        edge = int(len(values) * 0.025)
        return Segment(
            first, last, statistics.median(values), values[edge], values[len(values) - 1 - edge]
        )


@dataclass(frozen=True)
class SpecTrend:
    """What ``iogate trend`` found for a spec, with the newest plan of it where there is one."""

    trend: Trend
    plan: Plan | None = None

    @property
    def name(self) -> str:
        return self.trend.spec

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """All series, in the trend's order."""
        return tuple(_lines(self))

    @cached_property
    def cases(self) -> dict[str, tuple[Line, ...]]:
        """The series of each case id, in the trend's order."""
        found: dict[str, list[Line]] = {}
        for line in self.lines:
            found.setdefault(line.series.case_id, []).append(line)
        return {case: tuple(lines) for case, lines in found.items()}

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Machine ids, in the order of their first series."""
        return tuple(dict.fromkeys(one.machine_id for one in self.trend.series))

    @cached_property
    def gone(self) -> dict[tuple[str, str], int]:
        """Cases that the newest night of a host did not measure: (case id, machine id) → when
        the last one began that did, in Unix nanoseconds."""
        last: dict[tuple[str, str], int] = {}
        newest: dict[str, int] = {}
        for one in self.trend.series:
            key, night = (one.case_id, one.machine_id), max(one.nights, default=-1)
            last[key] = max(last.get(key, -1), night)
            newest[one.machine_id] = max(newest.get(one.machine_id, -1), night)
        return {
            key: self.trend.nights[night].started_ns
            for key, night in last.items()
            if 0 <= night < newest[key[1]]
        }


def _lines(spec: SpecTrend) -> Iterator[Line]:
    trend = spec.trend
    moves = _moves(trend.alerts)
    minutes = [night.started_ns // 60_000_000_000 for night in trend.nights]
    cases = {case.id: case for case in spec.plan.cases} if spec.plan else {}
    names = _anchors(trend.series)
    for one in trend.series:
        name = next(names)
        if not one.values:
            continue
        key = (one.case_id, one.metric, one.machine_id, one.environment)
        yield Line(
            one,
            tuple(_in_order(moves.get(key, ()), one.recoveries)),
            tuple(minutes[night] for night in one.nights),
            tuple(_within(trend.markers, one)),
            _limits(cases.get(one.case_id), one.metric),
            name,
        )


def _anchors(series: Sequence[SeriesTrend]) -> Iterator[str]:
    """One for each series, the same every night where what tells them apart is plain."""
    seen: set[tuple[str, str]] = set()
    for index, one in enumerate(series):
        name = anchor("series", _plain(one), index)
        name = name if (one.case_id, name) not in seen else f"series-n{index}"
        seen.add((one.case_id, name))
        yield name


def _moves(alerts: Sequence[Alert]) -> Mapping[Key, list[Move]]:
    found: dict[Key, list[Move]] = {}
    for alert in alerts:
        for change in alert.changes:
            key = (change.case_id, change.metric, alert.machine_id, alert.environment)
            found.setdefault(key, []).append(Move(alert, change))
    return found


def _in_order(news: Sequence[Move], recoveries: Sequence[Change]) -> list[Move]:
    """Oldest first."""
    moves = [*news, *(Move(None, change) for change in recoveries)]
    return sorted(moves, key=lambda move: move.change.estimate)


def _within(markers: Sequence[Marker], one: SeriesTrend) -> Iterator[Marker]:
    """Changes of the host from the first night of a series on."""
    return (m for m in markers if m.machine_id == one.machine_id and m.night > one.nights[0])


def _limits(case: Case | None, metric: str) -> tuple[tuple[str, float], ...]:
    """The absolute limits on a metric; a relative one has no place of its own."""
    return tuple(
        (one.limit.text, one.limit.value)
        for one in (case.thresholds if case else ())
        if one.metric == metric and not one.limit.relative
    )


def _plain(one: SeriesTrend) -> str:
    return f"{one.metric}-{one.machine_id[:8]}-{one.environment[:8]}".replace(".", "-")


RESERVED = {"", "index", "runs"}
"""Names that pages have by themselves, also where they are served."""


def file_name(text: str, index: int) -> str:
    """A name for a page's file: the text's plain characters, and its number where some were
    left out. Never a path, never hidden."""
    plain = re.sub(r"[^a-z0-9]+", "-", short(text, 60).lower()).strip("-")
    return plain if plain == text and plain not in RESERVED else f"{plain or 'x'}-{index}"
