"""The nights of all specs, arranged as pages need them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from iogate.model.plan import Case, Plan
from iogate.model.trend import Alert, Change, Marker, SeriesTrend, Trend, Turn
from iogate.stats.robust import median
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
        moved = (self.place(m.change.estimate) for m in self.moves if not m.change.accepted)
        starts = sorted({0, self.series.start, *moved})
        ends = [*(s - 1 for s in starts[1:]), len(nights) - 1]
        pairs = zip(starts, ends, strict=True)
        return tuple(self._segment(a, b) for a, b in pairs if a <= b)

    @cached_property
    def levels(self) -> tuple[Segment, ...]:
        """What to draw of them: where the series hops, each level that it hops between."""
        hopping = self.series.hopping
        if hopping is None:
            return self.segments
        first = self.place(hopping.since)
        end = len(self.series.nights) if hopping.until is None else self.place(hopping.until)
        before = (
            self._segment(s.first, min(s.last, first - 1)) for s in self.segments if s.first < first
        )
        after = (self._segment(max(s.first, end), s.last) for s in self.segments if s.last >= end)
        return (*before, *self._hops(hopping.levels, first, end), *after)

    def _hops(self, levels: Sequence[float], first: int, end: int) -> Iterator[Segment]:
        """Each level with the nights that are nearest to it."""
        nearest: dict[float, list[float]] = {level: [] for level in levels}
        for value in self.series.values[first:end]:
            nearest[min(levels, key=lambda level: abs(level - value))].append(value)
        for level, values in nearest.items():
            low, high = _most_of(values) if values else (level, level)
            yield Segment(first, end - 1, level, low, high)

    @cached_property
    def ends(self) -> tuple[float, float]:
        """What a vertical axis has to hold: the values, and all but a twentieth of the ends of
        their intervals. One repetition that went astray does not flatten a year."""
        series = self.series
        aside = len(series.lows) // 20
        lows, highs = sorted(series.lows)[aside:], sorted(series.highs)[: len(series.highs) - aside]
        return min((*series.values, *lows[:1])), max((*series.values, *highs[-1:]))

    def place(self, night: int) -> int:
        """Where a night of the trend is in this series, or the next one that is."""
        return next((i for i, n in enumerate(self.series.nights) if n >= night), 0)

    def _segment(self, first: int, last: int) -> Segment:
        values = self.series.values[first : last + 1]
        return Segment(first, last, median(values), *_most_of(values))


def _most_of(values: Sequence[float]) -> tuple[float, float]:
    """Between which 95 % of them lie."""
    ordered = sorted(values)
    edge = int(len(ordered) * 0.025)
    return ordered[edge], ordered[len(ordered) - 1 - edge]


@dataclass(frozen=True)
class SpecTrend:
    """What ``iogate trend`` found for a spec, with the newest plan of it where there is one.
    ``facts`` are those of each host by its machine id, as far as they are known."""

    trend: Trend
    plan: Plan | None = None
    facts: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

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
        by_case: dict[str, list[Line]] = {}
        for line in self.lines:
            by_case.setdefault(line.series.case_id, []).append(line)
        return {case: tuple(lines) for case, lines in by_case.items()}

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        """Machine ids, in the order of their first series."""
        return tuple(dict.fromkeys(series.machine_id for series in self.trend.series))

    @cached_property
    def gone(self) -> dict[tuple[str, str], int]:
        """Cases that the newest night of a host did not measure: (case id, machine id) → when
        the last one began that did, in Unix nanoseconds."""
        last: dict[tuple[str, str], int] = {}
        newest: dict[str, int] = {}
        for series in self.trend.series:
            key, night = (series.case_id, series.machine_id), max(series.nights, default=-1)
            last[key] = max(last.get(key, -1), night)
            newest[series.machine_id] = max(newest.get(series.machine_id, -1), night)
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
    for series in trend.series:
        name = next(names)
        if not series.values:
            continue
        key = (series.case_id, series.metric, series.machine_id, series.environment)
        yield Line(
            series,
            tuple(_in_order(moves.get(key, ()), series.recoveries)),
            tuple(minutes[night] for night in series.nights),
            tuple(_within(trend.markers, series)),
            _limits(cases.get(series.case_id), series.metric),
            name,
        )


def _anchors(series: Sequence[SeriesTrend]) -> Iterator[str]:
    """One for each series, the same every night where what tells them apart is plain."""
    seen: set[tuple[str, str]] = set()
    for index, each in enumerate(series):
        name = anchor("series", _plain(each), index)
        name = name if (each.case_id, name) not in seen else f"series-n{index}"
        seen.add((each.case_id, name))
        yield name


def _moves(alerts: Sequence[Alert]) -> Mapping[Key, list[Move]]:
    by_key: dict[Key, list[Move]] = {}
    for alert in alerts:
        for change in alert.changes:
            key = (change.case_id, change.metric, alert.machine_id, alert.environment)
            by_key.setdefault(key, []).append(Move(alert, change))
    return by_key


def _in_order(news: Sequence[Move], recoveries: Sequence[Change]) -> list[Move]:
    """Oldest first."""
    moves = [*news, *(Move(None, change) for change in recoveries)]
    return sorted(moves, key=lambda move: move.change.estimate)


def _within(markers: Sequence[Marker], series: SeriesTrend) -> Iterator[Marker]:
    """Changes of the host from the first night of a series on."""
    return (m for m in markers if m.machine_id == series.machine_id and m.night > series.nights[0])


def _limits(case: Case | None, metric: str) -> tuple[tuple[str, float], ...]:
    """The absolute limits on a metric; a relative one has no place of its own."""
    return tuple(
        (threshold.limit.text, threshold.limit.value)
        for threshold in (case.thresholds if case else ())
        if threshold.metric == metric and not threshold.limit.relative
    )


def _plain(series: SeriesTrend) -> str:
    return f"{series.metric}-{series.machine_id[:8]}-{series.environment[:8]}".replace(".", "-")


RESERVED = {"", "index", "runs"}
"""Names that pages have by themselves, also where they are served."""
_HASH_DIGITS = 16  # of fewer, who names cases could search for two of one name
_HASHED = re.compile(f"-[0-9a-f]{{{_HASH_DIGITS}}}$")


def file_name(text: str) -> str:
    """A name for a page's file: the text's plain characters, and a hash of it where some were
    left out, or where it ends as if it had one: whatever else there is, it stays. Never a path,
    never hidden."""
    plain = re.sub(r"[^a-z0-9]+", "-", short(text, 60).lower()).strip("-")
    if plain == text and plain not in RESERVED and not _HASHED.search(plain):
        return plain
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{plain or 'x'}-{digest[:_HASH_DIGITS]}"
