"""Whether, and where, the level before a change came back."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import sqrt
from statistics import fmean

from iogate.stats.robust import median

_LEAST = 2  # nights that a level has
_QUARTER = 0.25  # of the step: so near is there, or back
_CLEAR = 5.0  # standard errors


def return_point(
    values: Sequence[float], at: int, *, start: int, stop: int, seen: int, is_said: bool
) -> int | None:
    """The first index after the change ``at`` from which on the level before it is back; None
    where it is not. ``start`` and ``stop`` are the changes beside it, ``seen`` how many nights
    there were when it was first seen. Of a change that is no longer said, the nights since have
    decided already; one that is said has to be left as clearly as it was seen."""
    before, moved = median(values[start:at]), median(values[at : min(seen, stop)])
    if moved == before:
        return None
    # How much of the step is left, each night: beyond either level says no more.
    left = [min(max((v - before) / (moved - before), 0.0), 1.0) for v in values[at:stop]]
    place = _split(left)
    if place is None or (is_said and not _is_clear(left, place)):
        return None
    worse = 1.0 if moved > before else -1.0
    return at + place if reaches(values[at + place : stop], before, worse) else None


def _is_clear(left: Sequence[float], place: int) -> bool:
    """Whether two nights and more are back for good, and were away before that."""
    away, back = left[:place], left[place:]
    if len(back) < _LEAST or fmean(away) < 1 - _QUARTER or fmean(back) > _QUARTER:
        return False
    rest = sum((v - fmean(away)) ** 2 for v in away) + sum((v - fmean(back)) ** 2 for v in back)
    noise = sqrt(rest / max(len(left) - 2, 1) * (1 / len(away) + 1 / len(back)))
    return fmean(away) - fmean(back) > _CLEAR * noise


def _split(left: Sequence[float]) -> int | None:
    """The place that parts a higher mean from a lower one best."""
    sums, size = [0.0, *accumulate(left)], len(left)
    best, place = 0.0, None
    for i in range(_LEAST, size):
        step = sums[i] / i - (sums[size] - sums[i]) / (size - i)
        gain = step * step * i * (size - i)
        if step > 0 and gain > best:
            best, place = gain, i
    return place


def is_return(*levels: float) -> bool:
    """Whether the last of three levels is nearer to the first than half of the way from it: the
    change before it is the end of the one before that."""
    if len(levels) < 3:
        return False
    first, between, last = levels
    return abs(last - first) < abs(between - first) / 2


def reaches(segment: Sequence[float], level: float, worse: float) -> bool:
    """Whether the nights of a segment are as good as a level, the best and the worst twentieth
    of them left out. ``worse`` is the sign of what is worse."""
    best_first = sorted(worse * value for value in segment)
    return best_first[len(best_first) // 20] <= worse * level
