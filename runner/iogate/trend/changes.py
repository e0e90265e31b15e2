"""Where a series moved, by how much, which way, and whether that is confirmed and past."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import NormalDist, fmean
from typing import TYPE_CHECKING

from iogate.model.trend import Change, Hopping, Return, Turn
from iogate.model.verdict import Interval
from iogate.stats.changerange import ChangeRange, change_range
from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.ranks import chance_above
from iogate.stats.robust import median
from iogate.stats.shift import MOST, Shift, relative_shift, shift
from iogate.trend.hops import hopping_of, new_levels
from iogate.trend.returns import is_return, reaches, return_point
from iogate.trend.series import Series

if TYPE_CHECKING:
    from iogate.stats.replay import Earlier

CONFIRM_NIGHTS = 8  # from which on the window test is asked
CONFIRM_CONFIDENCE = 0.999  # of that test
SPACING = 7  # nights nearer than this are one change that was seen at several places
FIRST_SEEN = 3  # nights that a change has had when it is first seen
HOPS = 2  # places where something may have moved, from which on a series may hop
LEAST_SIGMA = 2.0  # that a change which is no longer seen has by what is known now
SETTLED_NIGHTS = 18  # from which on the detector judges a change with the whole series


def find_changes(many: Sequence[Series]) -> list[tuple[Change, ...]]:
    """The changes of each series since the last accepted one, oldest first."""
    from iogate.stats.hopping import level_changes_of_each

    points = level_changes_of_each([series.values[series.start :] for series in many])
    return [_described(series, at) if at else () for series, at in zip(many, points, strict=True)]


@dataclass(frozen=True, slots=True)
class Told:
    """All changes of a series, oldest first, and how it hops, if it does."""

    changes: tuple[Change, ...] = ()
    hopping: Hopping | None = None


def find_history(many: Sequence[Series]) -> list[Told]:
    """The changes of each series since the last accepted one, those that were seen in earlier
    nights and no longer are, and where the level before came back. Of a series that hops, what
    was taken for a change until that was seen is no change, but for a level that was new to it."""
    from iogate.stats.hopping import level_changes_of_each
    from iogate.stats.replay import find_places, said_earlier

    values = [series.values[series.start :] for series in many]
    now = level_changes_of_each(values)
    places = find_places(values, now)
    seen = [len(at) + len(places.get(index, ())) for index, at in enumerate(now)]
    moving = (index for index, count in enumerate(seen) if count >= HOPS)
    hops = {index: spans for index in moving if (spans := hopping_of(many[index]))}
    # Of one that hops nothing is asked but whether a level was new to it.
    asked = places | {index: new_levels(many[index], spans) for index, spans in hops.items()}
    earlier = said_earlier(values, now, asked)
    few = [index for index, count in enumerate(seen) if 0 < count < HOPS]
    all_hops = hops | _beside(many, few, hops)
    return [
        Told(_described(series, at, past) if at or past else (), all_hops.get(index))
        for index, (series, at, past) in enumerate(zip(many, now, earlier, strict=True))
    ]


def _beside(
    many: Sequence[Series], asked: Sequence[int], hops: Mapping[int, Hopping]
) -> dict[int, Hopping]:
    """Which of those asked hop, too, of the hosts and environments where some do: one cause moves
    them together, also those in which too little was seen to ask them by themselves. Of their
    changes it says nothing."""
    streams = {(many[i].host.machine_id, many[i].environment) for i in hops}
    return {
        index: spans
        for index in asked
        if (many[index].host.machine_id, many[index].environment) in streams
        and (spans := hopping_of(many[index]))
    }


def _described(
    series: Series, at: Sequence[int], earlier: Sequence[Earlier] | None = None
) -> tuple[Change, ...]:
    """The changes at these of a series' values since its start, and at those that were seen
    earlier, as far as the nights on either side still differ."""
    told, edges, came_back = _between(series, at, earlier)
    by_place = dict(zip(edges[1:-1], told, strict=True))
    weak = [
        past
        for past in earlier or ()
        if past.at in by_place and by_place[past.at].sigma < LEAST_SIGMA
    ]
    if weak:
        kept = [past for past in earlier or () if past not in weak]
        told, edges, came_back = _between(series, at, kept)
    values = series.values[series.start :]
    segments = [values[a:b] for a, b in pairwise(edges)]
    ends = {edges.index(a) - 1: edges.index(b) - 1 for a, b in came_back.items()}
    return tuple(_closed(told, segments, ends))


def _between(
    series: Series, at: Sequence[int], earlier: Sequence[Earlier] | None
) -> tuple[list[Change], list[int], dict[int, int]]:
    """The changes, the ends of the levels that they are between, and where levels came back."""
    values = series.values[series.start :]
    last = {past.at: past.last for past in earlier or ()}
    inner = sorted({*at, *last})
    came_back = {} if earlier is None else _came_back(values, inner, earlier)
    if misplaced := _misplaced(values, inner, came_back):
        inner = [edge for edge in inner if edge not in misplaced]
        came_back = _came_back(values, inner, earlier or ())
    edges = [0, *sorted({*inner, *came_back.values()}), len(values)]
    changes = []
    for start, edge, stop in zip(edges, edges[1:], edges[2:], strict=False):
        where = change_range(values, edge, start=start, stop=stop, confidence=USUAL_CONFIDENCE)
        changes.append(_change(series, values, where, (start, stop, last.get(edge, len(values)))))
    return changes, edges, came_back


def _misplaced(
    values: Sequence[float], edges: Sequence[int], came_back: Mapping[int, int]
) -> set[int]:
    """The changes that are a return, seen some nights late: right after where it was."""
    misplaced = set()
    for start, at, late, stop in zip(
        (0, *edges), edges, edges[1:], (*edges[2:], len(values)), strict=False
    ):
        if late - came_back.get(at, -SPACING) <= SPACING:
            levels = [median(values[a:b]) for a, b in pairwise((start, at, late, stop))]
            if (levels[1] - levels[0]) * (levels[2] - levels[1]) < 0:
                misplaced.add(late)
    return misplaced


def _came_back(
    values: Sequence[float], edges: Sequence[int], earlier: Sequence[Earlier]
) -> dict[int, int]:
    """Where the levels that began at these changes ended, by where they began: of those that are
    no longer seen, and of those that the nights since left again."""
    first = {past.at: past.first for past in earlier}
    came_back: dict[int, int] = {}
    starts = [0]  # of the levels so far
    for at, stop in pairwise((*edges, len(values))):
        levels = [median(values[a:b]) for a, b in pairwise((*starts[-2:], at, stop))]
        seen, is_said = max(first.get(at, 0), at + FIRST_SEEN), at not in first
        is_end = starts[-1] not in came_back.values() and is_return(*levels)
        if not (is_said and is_end):
            place = return_point(
                values, at, start=starts[-1], stop=stop, seen=seen, is_said=is_said
            )
            came_back |= {} if place is None else {at: place}
        starts += [at, came_back[at]] if at in came_back else [at]
    return came_back


def _change(
    series: Series, values: tuple[float, ...], where: ChangeRange, within: tuple[int, int, int]
) -> Change:
    """``within`` are the changes beside it, and how many nights there were when it was seen."""
    start, stop, seen = within
    # What may lie on either side says nothing of the levels, unless there is nothing else.
    before, after = values[start : where.low], values[where.high : stop]
    line, night = series.line, series.nights[series.start :]
    effect = relative_shift(before, after, confidence=USUAL_CONFIDENCE)
    levels = _levels(before, after, effect)
    rise = effect.estimate if effect and effect.estimate else levels[1] - levels[0]
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
        effect_interval=Interval(effect.low, effect.high, USUAL_CONFIDENCE) if effect else None,
        confirmed=_is_confirmed(before, values[where.high : min(stop, seen)], seen - where.best),
        sigma=_sigma(before, after, rise),
        closed=False,
        last_before=night[where.low - 1],
        estimate=night[where.best],
        first_after=night[where.high],
    )


def _levels(
    before: tuple[float, ...], after: tuple[float, ...], effect: Shift | None
) -> tuple[float, float]:
    """The two values to show, apart by the effect that is shown with them. Medians by themselves
    may lie the other way round where nights are of two kinds. Without an effect they are the
    medians, and where those are equal the means."""
    level = median(after)
    if effect and effect.estimate:
        return level / (1 + effect.estimate), level
    if median(before) != level:
        return median(before), level
    return fmean(before), fmean(after)


def _sigma(before: Sequence[float], after: Sequence[float], rise: float) -> float:
    """How far apart they are in ranks, as a normal deviate."""
    way = math.copysign(1.0, rise)
    old, new = ([way * value for value in side] for side in (before[-MOST:], after[:MOST]))
    chance = min(max(chance_above(new, old), sys.float_info.min), 0.5)
    return -NormalDist().inv_cdf(chance)


def _is_confirmed(before: tuple[float, ...], after: tuple[float, ...], nights: int) -> bool:
    """Settled, or so far away that two nights tell it, or a window test on the nights that took
    no part in choosing the index."""
    from iogate.stats.sudden import is_sudden

    if nights >= SETTLED_NIGHTS or is_sudden(before, after):
        return True
    if nights < CONFIRM_NIGHTS or not after:
        return False
    interval = shift(before, after, confidence=CONFIRM_CONFIDENCE)
    return interval.low > 0 or interval.high < 0


def _closed(
    changes: Sequence[Change], segments: Sequence[tuple[float, ...]], ends: dict[int, int]
) -> Iterator[Change]:
    """A regression is over when a later level covers the one before it; what ended it is over
    too, and no news of its own. ``ends`` are known ends of some changes, by their places."""
    ends = dict(ends)
    for i, change in enumerate(changes):
        if change.turn is Turn.REGRESSION and i not in {*ends, *ends.values()}:
            end = _recovery_of(changes, segments, i)
            ends |= {} if end is None else {i: end}
    for i, change in enumerate(changes):
        end = ends.get(i)
        if end is not None:
            back = changes[end]
            span = Return(back.last_before, back.estimate, back.first_after)
            yield replace(change, closed=True, returned=span)
        else:
            yield replace(change, closed=i in ends.values())


def _recovery_of(
    changes: Sequence[Change], segments: Sequence[tuple[float, ...]], i: int
) -> int | None:
    """The improvement after which the level before regression ``i`` is covered again."""
    for k in range(i + 1, len(changes)):
        worse = changes[i].better.worse
        if changes[k].turn is Turn.IMPROVEMENT and reaches(
            segments[k + 1], changes[i].before, worse
        ):
            return k
    return None
