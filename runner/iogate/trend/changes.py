"""Where a series moved, by how much, which way, and whether that is confirmed and past."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from iogate.model.trend import Change, Turn
from iogate.model.units import Better
from iogate.model.verdict import Interval
from iogate.stats.changerange import ChangeRange, change_range
from iogate.stats.robust import median
from iogate.stats.shift import relative_shift, shift
from iogate.trend.series import Series

CONFIDENCE = 0.95  # of a range and of an effect
CONFIRM_NIGHTS = 8  # from which on the window test is asked
CONFIRM_CONFIDENCE = 0.999  # of that test
SETTLED_NIGHTS = 18  # from which on the detector judges a change with the whole series


def find_changes(many: Sequence[Series]) -> list[tuple[Change, ...]]:
    """The changes of each series since the last accepted one, oldest first."""
    from iogate.stats.changepoint import change_points_of_each

    found = change_points_of_each([series.values[series.start :] for series in many])
    return [_described(series, at) if at else () for series, at in zip(many, found, strict=True)]


def _described(series: Series, at: Sequence[int]) -> tuple[Change, ...]:
    """The changes at these of a series' values since its start."""
    values = series.values[series.start :]
    edges = [0, *at, len(values)]
    found = []
    for i in range(1, len(edges) - 1):
        start, stop = edges[i - 1], edges[i + 1]
        where = change_range(values, edges[i], start=start, stop=stop, confidence=CONFIDENCE)
        found.append(_change(series, values, where, start, stop))
    segments = [values[a:b] for a, b in pairwise(edges)]
    return tuple(
        replace(change, closed=_is_closed(found, segments, i)) for i, change in enumerate(found)
    )


def _change(
    series: Series, values: tuple[float, ...], where: ChangeRange, start: int, stop: int
) -> Change:
    # What may lie on either side says nothing of the levels, unless there is nothing else.
    before, after = values[start : where.low], values[where.high : stop]
    line, night = series.line, series.nights[series.start :]
    levels = median(before), median(after)
    effect = relative_shift(before, after, confidence=CONFIDENCE)
    rise = shift(before, after).estimate
    worse = rise * line.metric.better.worse > 0
    return Change(
        case_id=line.case_ids[0],
        case=line.case,
        metric=line.metric.path,
        unit=line.metric.unit,
        better=line.metric.better,
        turn=Turn.REGRESSION if worse else Turn.IMPROVEMENT,
        before=levels[0],
        after=levels[1],
        effect=effect.estimate if effect else None,
        effect_interval=Interval(effect.low, effect.high, CONFIDENCE) if effect else None,
        confirmed=_is_confirmed(before, after, len(values) - where.best),
        closed=False,
        last_before=night[where.low - 1],
        estimate=night[where.best],
        first_after=night[where.high],
    )


def _is_confirmed(before: tuple[float, ...], after: tuple[float, ...], nights: int) -> bool:
    """Settled, or a window test on the nights that took no part in choosing the index."""
    if nights >= SETTLED_NIGHTS:
        return True
    if nights < CONFIRM_NIGHTS:
        return False
    found = shift(before, after, confidence=CONFIRM_CONFIDENCE)
    return found.low > 0 or found.high < 0


def _is_closed(changes: list[Change], segments: list[tuple[float, ...]], i: int) -> bool:
    """A regression is over when a later level covers the one before it; an improvement is
    over when it was the end of a regression, and no news of its own."""
    if changes[i].turn is Turn.REGRESSION:
        return _recovery_of(changes, segments, i) is not None
    return any(
        _recovery_of(changes, segments, k) == i
        for k in range(i)
        if changes[k].turn is Turn.REGRESSION
    )


def _recovery_of(changes: list[Change], segments: list[tuple[float, ...]], i: int) -> int | None:
    """The improvement after which the level before regression ``i`` is covered again."""
    for k in range(i + 1, len(changes)):
        if changes[k].turn is Turn.IMPROVEMENT and _covers(segments[k + 1], changes[i]):
            return k
    return None


def _covers(segment: tuple[float, ...], change: Change) -> bool:
    """Whether the nights of a segment reach the level before a change, the best and the
    worst twentieth of them left out."""
    ordered = sorted(segment)
    aside = len(ordered) // 20
    if change.better is Better.HIGH:
        return ordered[-1 - aside] >= change.before
    return ordered[aside] <= change.before
