"""What earlier nights say of a case's metrics: the lines that a report shows beside its rows."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping
from dataclasses import replace

from iogate.model.run import Run
from iogate.model.trend import Trend
from iogate_reports.trend_lines import Line, SpecTrend

DAYS = 90
MINUTE_NS = 60 * 10**9
_MINUTES = DAYS * 24 * 60
FEWEST = 5
"""Nights; fewer are no history."""

Lines = Mapping[tuple[str, str], Line]
"""(case id, metric) → its line."""


def lines_of(run: Run, trend: Trend | None) -> Lines:
    """The lines of the run's host, each of the last DAYS before it; of several environments
    the one that the newest night is of."""
    if trend is None:
        return {}
    recent_lines: dict[tuple[str, str], Line] = {}
    own = (line for line in SpecTrend(trend, run.plan).lines if _is_of(line, run))
    for line in sorted(own, key=lambda line: line.times[-1]):
        recent = until(line, run.started_ns // MINUTE_NS)
        if recent is not None:
            recent_lines[line.series.case_id, line.series.metric] = recent
    return recent_lines


def minutes(trend: Trend | None) -> tuple[int, ...]:
    """When each night of a trend began, in Unix minutes."""
    return tuple(n.started_ns // MINUTE_NS for n in trend.nights) if trend else ()


def _is_of(line: Line, run: Run) -> bool:
    return line.series.machine_id == run.host.machine_id


def until(line: Line, minute: int) -> Line | None:
    """The line in the DAYS up to a time (Unix minutes) and with it; None where fewer than
    FEWEST nights are left."""
    first, last = bisect_left(line.times, minute - _MINUTES), bisect_right(line.times, minute)
    if last - first < FEWEST:
        return None
    series = line.series
    cut = replace(
        series,
        nights=series.nights[first:last],
        values=series.values[first:last],
        lows=series.lows[first:last],
        highs=series.highs[first:last],
        counts=series.counts[first:last],
        start=series.start - first if first < series.start < last else 0,
    )
    oldest, newest = cut.nights[0], cut.nights[-1]
    return Line(
        cut,
        tuple(move for move in line.moves if oldest <= move.change.estimate <= newest),
        line.times[first:last],
        tuple(marker for marker in line.markers if oldest < marker.night <= newest),
        line.limits,
        line.anchor,
    )
