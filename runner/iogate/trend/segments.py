"""The last accepted level of a series: what a new run of it is compared with."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.model.trend import Change, Turn
from iogate.stats.robust import median
from iogate.stats.shift import shift
from iogate.trend.changes import CONFIRM_CONFIDENCE, find_changes
from iogate.trend.series import Series


@dataclass(frozen=True, slots=True)
class Level:
    """``nights`` (indices) have the level. ``is_first`` says that nothing was left behind for
    it: no accepted change, and no improvement, came before."""

    nights: tuple[int, ...]
    is_first: bool


def accepted_level(series: Series) -> Level:
    """The nights since the last accepted or confirmed change.

    A confirmed improvement begins a new level: what falls from it is a regression. A confirmed
    regression does not, until it is accepted (which is the series' ``start``) or over: its nights
    are left out, and those after it join the level before when they cover it, or begin a new one
    when they are certainly better. Nights in which a change may have come count for neither side.
    Suspects change nothing.
    """
    points = dict(zip(series.nights, series.values, strict=True))
    nights = series.nights[series.start :]
    changes = [change for change in find_changes([series])[0] if change.confirmed]
    kept = _before(nights, changes[0].last_before) if changes else nights
    is_first = series.start == 0
    for n, change in enumerate(changes):
        end = changes[n + 1].last_before if n + 1 < len(changes) else nights[-1]
        after = _before(_from(nights, change.first_after), end)
        if change.turn is Turn.REGRESSION or not after:
            continue
        if change.closed and not _is_better(change, after, kept, points):
            kept += after
        elif _is_as_good(change, after, kept, points):
            kept, is_first = after, False
    return Level(kept, is_first)


def _before(nights: tuple[int, ...], last: int) -> tuple[int, ...]:
    return nights[: bisect_right(nights, last)]


def _from(nights: tuple[int, ...], first: int) -> tuple[int, ...]:
    return nights[bisect_left(nights, first) :]


def _is_as_good(
    change: Change, after: Sequence[int], kept: Sequence[int], points: dict[int, float]
) -> bool:
    """Whether an improvement reaches what was accepted: half the way back from a regression
    does not."""
    new, old = median([points[n] for n in after]), median([points[n] for n in kept])
    return change.better.worse * new <= change.better.worse * old


def _is_better(
    change: Change, after: Sequence[int], kept: Sequence[int], points: dict[int, float]
) -> bool:
    """Whether the way back from a regression ended certainly beyond what was accepted."""
    values = [points[n] for n in kept], [points[n] for n in after]
    rise = shift(*values, confidence=CONFIRM_CONFIDENCE)
    return max(change.better.worse * end for end in (rise.low, rise.high)) < 0
