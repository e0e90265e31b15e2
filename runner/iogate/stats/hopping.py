"""Series that hop: night by night they are on one of a few levels, and no hop is news.

Where memory happened to be placed, which of two modes a device woke up in: such a series has
steps as sharp as any regression, for months, and people mark none of them. It is told by two
things. Its nights are *on levels*: about the nearest of two to four levels they scatter no more
than nights that follow each other on one level differ, and the levels are apart by several
times of it (`_levels`). And it *moves between them* again and again, in stays that are no mere
excursions of a night or two (`_regime`).

Of its steps remain: the ends of a stay that is longer than the others could explain, such as a
level that it never had and kept, and the night from which it began to hop, or stopped. Within the
last nights, where no stay can be long yet, a level is news unless the series was there before.

The answers are the same for x and a * x + b, a != 0, up to rounding.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from iogate.stats.changepoint import RULE, change_points, change_points_of_each
from iogate.stats.sudden import may_be_sudden, sudden_change

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

_MOST_LEVELS = 4
_APART = 4.0  # sd of one level: levels nearer than this are one
_SAME = 20  # the least pairs of neighbours on one level, to know its sd from
_SCATTER = 1.5  # times that sd, the most that nights scatter about their levels in the middle ...
_SCATTER_TAIL = 1.35  # ... and as far out as the 0.95 quantile: nearly every night is on a level
_ON = 0.35  # of the least gap: nights further from their level are on none
_STAYS = 7  # the least stays of a series that hops, excursions not counted
_BRIEF = 2  # nights of an excursion; and where a series hops, what makes a level one that it had
_APART_RUNS = -2.054  # sd, two of a hundred: brief stays this far from each other are excursions
_MANY_BRIEF, _MANY_LASTING = 0.5, 0.2  # of the stays: with both, brief ones are no excursions
_CHANCE = 0.001  # of a stay as long as an exceptional one, among all of a series
_KNOWN = 0.05  # of the nights before: on a level that had as many, one more stay is no news

# The normal distribution's quantiles of absolute deviations, as multiples of one sd.
_QUANTILES = np.array([0.5, 0.8, 0.95])
_TO_SIGMA = 1.0 / np.array([0.67448975, 1.28155157, 1.95996398])


@dataclass(frozen=True, slots=True)
class Hopping:
    """How a series hops: its `levels`, ascending, in its unit; the `shares` of its nights on
    each, which sum to 1; the `typical_stay` in nights (the median); and the indices of its
    values at which hopping began, `since`, and ended, `until` (the length, where it goes on)."""

    levels: tuple[float, ...]
    shares: tuple[float, ...]
    typical_stay: float
    since: int
    until: int


@dataclass(frozen=True, slots=True)
class _Stay:
    """Nights `start` up to `stop`, on one level, given by its number."""

    level: int
    start: int
    stop: int

    @property
    def nights(self) -> int:
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class _Levels:
    """What a series' nights are on: `values` of the levels, ascending; `at`, the number of the
    level nearest to each night; `on`, which nights are close enough to it."""

    values: Floats
    at: Indices
    on: NDArray[np.bool_]

    def stays(self) -> list[_Stay]:
        """From the first night on, each up to the next; nights on no level are in the stay
        that goes on around them."""
        nights = np.flatnonzero(self.on)
        level = self.at[nights]
        first = np.flatnonzero(np.diff(level)) + 1
        starts = [0, *nights[first].tolist()]
        stops = [*starts[1:], len(self.at)]
        levels = [int(level[0]), *level[first].tolist()]
        return [_Stay(*stay) for stay in zip(levels, starts, stops, strict=True)]

    def mirrored(self) -> "_Levels":
        """Those of the same nights, each with the other sign."""
        return _Levels(-self.values[::-1], len(self.values) - 1 - self.at, self.on)

    def is_return(self, start: int, stays: Sequence[_Stay], least: float) -> bool:
        """Whether about `start` a stay begins on the level of most nights from there on, which had
        `least` nights before. Nights that stay on their level moved within it: that is no hop."""
        new = self.at[start:][self.on[start:]]
        if 2 * len(new) < len(self.at) - start:
            return False
        level = int(np.bincount(new).argmax())
        before = self.on[: start - 1] & (self.at[: start - 1] == level)  # but the last night
        begins = (abs(s.start - start) <= RULE.spacing for s in stays[1:] if s.level == level)
        return bool(np.count_nonzero(before) >= least and any(begins))


def level_changes(values: Sequence[float] | Floats) -> list[int]:
    """The ascending indices of the first point of each new level; no hop between levels that a
    series goes on having. NaN and infinities are passed over; nothing is raised."""
    return _news(values, change_points(values))


def level_changes_of_each(many: Sequence[Sequence[float] | Floats]) -> list[list[int]]:
    """`level_changes` of each of many series, at a third of the price."""
    found = change_points_of_each(many)
    return [_news(values, at) for values, at in zip(many, found, strict=True)]


def hopping(values: Sequence[float] | Floats) -> Hopping | None:
    """How a series hops, where it does; None for all others. About a millisecond a series."""
    given = np.asarray(values, dtype=np.float64).ravel()
    kept = np.flatnonzero(np.isfinite(given))
    finite = given[kept]
    scale = _scale(finite)
    levels = _levels(finite / scale)
    regime = _regime(levels.stays()) if levels else None
    if not levels or not regime:
        return None
    span = slice(regime[0].start, regime[-1].stop)
    count = np.bincount(levels.at[span], minlength=len(levels.values)).astype(np.float64)
    there = np.flatnonzero(count)
    until = int(kept[span.stop - 1]) + 1
    return Hopping(
        levels=tuple((levels.values[there] * scale).tolist()),
        shares=tuple((count[there] / count.sum()).tolist()),
        typical_stay=float(np.median([stay.nights for stay in regime])),
        since=int(kept[span.start]),
        until=len(given) if span.stop == len(finite) else until,
    )


def _news(values: Sequence[float] | Floats, found: list[int]) -> list[int]:
    """Those of a series' changes that are no hops, and a sudden one at its end."""
    if not found and not may_be_sudden(values):
        return found
    given = np.asarray(values, dtype=np.float64).ravel()
    kept = np.flatnonzero(np.isfinite(given))
    finite = given[kept] / _scale(given[kept])
    places = np.searchsorted(kept, found).tolist() if found else []
    sudden = sudden_change(finite)
    if sudden is not None and not any(place > sudden - RULE.spacing for place in places):
        places.append(sudden)
    levels = _levels(finite) if places else None
    if levels:
        places = _without_hops(levels, places)
    return [int(kept[place]) for place in places]


def _scale(values: Floats) -> float:
    """A power of two that brings the largest near one, so that no square overflows."""
    largest = float(np.abs(values).max(initial=0.0))
    return math.ldexp(1.0, min(max(math.frexp(largest)[1], -1000), 1000))


def _without_hops(levels: _Levels, places: list[int]) -> list[int]:
    """The changes that are news although all nights are on levels."""
    stays, recent = levels.stays(), len(levels.at) - RULE.settled
    old = [place for place in places if place <= recent]
    new = [place for place in places if place > recent]
    hops = _regime(stays) is not None
    if hops:
        old = [end for end in _ends_of_hopping(stays) if RULE.before <= end <= recent]
    return old + [
        place
        for place in new
        if not levels.is_return(place, stays, least=_BRIEF if hops else _KNOWN * place)
    ]


def _levels(values: Floats) -> _Levels | None:
    """The fewest levels that all nights but some of twenty are on; None where there are none. A
    value right between two levels is on the lower one: that all is the same for -x, it is looked
    at with its first step upwards."""
    if len(values) < 2 * _SAME:
        return None
    first = np.flatnonzero(values != values[0])[:1]
    if not len(first) or values[first[0]] > values[0]:
        return _levels_upwards(values)
    levels = _levels_upwards(-values)
    return levels and levels.mirrored()


def _levels_upwards(values: Floats) -> _Levels | None:
    steps = np.abs(np.diff(values))
    for centres in _clusterings(np.sort(values)):
        middle = (centres[1:] + centres[:-1]) / 2
        at = np.searchsorted(middle, values)
        scatter = np.abs(values - centres[at])
        same = steps[at[1:] == at[:-1]]
        if len(same) < _SAME:
            continue
        sd = np.quantile(same, _QUANTILES) * _TO_SIGMA / math.sqrt(2)
        seen = np.quantile(scatter, _QUANTILES) * _TO_SIGMA
        most = np.array([_SCATTER * sd[0], _SCATTER * sd[1], _SCATTER_TAIL * sd[1]])
        if sd[0] <= 0 or (seen > most).any():
            continue
        return _apart(values, centres, at, _APART * float(sd[1]))
    return None


def _apart(values: Floats, centres: Floats, at: Indices, least: float) -> _Levels | None:
    """Levels nearer than this made one, which reaches from its first centre to its last."""
    far = np.diff(centres) >= least
    if not far.any():
        return None
    number = np.concatenate(([0], np.cumsum(far)))
    merged = number[at]
    count = int(number[-1]) + 1
    low = np.array([centres[number == k].min() for k in range(count)])
    high = np.array([centres[number == k].max() for k in range(count)])
    middle = np.array([np.median(values[merged == k]) for k in range(count)])
    outside = np.maximum(np.maximum(low[merged] - values, values - high[merged]), 0.0)
    return _Levels(middle, merged, outside < _ON * float(np.diff(middle).min()))


def _clusterings(ordered: Floats) -> Iterator[Floats]:
    """The centres of two, three and more clusters of ascending numbers: the part whose cut takes
    most off the sum of squares is cut, and the centres settle as the medians of what is nearest
    to each."""
    size = len(ordered)
    cuts = [0, size]
    sums = _Sums(ordered)
    for _ in range(_MOST_LEVELS - 1):
        gain, cut = max(sums.best_cut(a, b) for a, b in pairwise(cuts))
        if gain <= 0:
            break
        cuts = sorted([*cuts, cut])
        centres = _settled(ordered, _medians(ordered, cuts))
        if (np.diff(centres) > 0).all():
            yield centres


class _Sums:
    """The squares around the mean of any stretch of ascending numbers, in constant time."""

    def __init__(self, ordered: Floats) -> None:
        around = ordered - ordered.mean()
        self._sum = np.concatenate(([0.0], np.cumsum(around)))
        self._squares = np.concatenate(([0.0], np.cumsum(around * around)))

    def best_cut(self, start: int, stop: int) -> tuple[float, int]:
        """(what the sum of squares loses, where) by the best cut of a stretch in two."""
        if stop - start < 4:
            return 0.0, start
        at = np.arange(start + 1, stop)
        left, right = self._around(start, at), self._around(at, stop)
        gain = self._around(start, stop) - left - right
        best = int(np.argmax(gain))
        return float(gain[best]), int(at[best])

    def _around(self, start: "int | Indices", stop: "int | Indices") -> Floats:
        total = self._sum[stop] - self._sum[start]
        around: Floats = self._squares[stop] - self._squares[start] - total**2 / (stop - start)
        return around


def _settled(ordered: Floats, centres: Floats) -> Floats:
    size = len(ordered)
    for _ in range(20):
        cuts = [0, *np.searchsorted(ordered, (centres[1:] + centres[:-1]) / 2).tolist(), size]
        if any(b <= a for a, b in pairwise(cuts)):
            break
        moved = _medians(ordered, cuts)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def _medians(ordered: Floats, cuts: Sequence[int]) -> Floats:
    """Of each stretch of ascending numbers between two neighbouring cuts."""
    low, high = ([(a + b - up) // 2 for a, b in pairwise(cuts)] for up in (1, 0))
    middle: Floats = (ordered[low] + ordered[high]) / 2
    return middle


def _regime(stays: Sequence[_Stay]) -> list[_Stay] | None:
    """The stays between which a series hops; None where it does not."""
    lasting = _without_excursions(stays)
    long = _exceptional(lasting)
    if len(lasting) - len(long) < _STAYS:
        return None
    long = _exceptional(stays)
    regime = [stay for stay in stays if stay not in long]
    return None if _are_excursions(regime, len(lasting)) else regime


def _without_excursions(stays: Sequence[_Stay]) -> list[_Stay]:
    """Stays that were left for a night or two only go on."""
    merged: list[_Stay] = []
    k = 0
    while k < len(stays):
        here = stays[k]
        after = stays[k + 1] if k + 1 < len(stays) else None
        if merged and after and here.nights <= _BRIEF and merged[-1].level == after.level:
            merged[-1] = _Stay(after.level, merged[-1].start, after.stop)
            k += 2
        else:
            merged.append(here)
            k += 1
    return merged


def _exceptional(stays: Sequence[_Stay]) -> set[_Stay]:
    """The stays that are longer than the others explain: if stays ended by chance, each night
    alike, one of them would be as long in less than `_CHANCE` of such series."""
    long: set[_Stay] = set()
    while True:
        rest = [stay for stay in stays if stay not in long]
        if len(rest) < 3:
            return long
        total, many = sum(stay.nights for stay in rest), len(rest)
        least = math.log(many / _CHANCE) / (many - 1)
        more = {stay for stay in rest if stay.nights >= (total - stay.nights) * least}
        if not more:
            return long
        long |= more


def _are_excursions(stays: Sequence[_Stay], lasting: int) -> bool:
    """Whether brief stays come one by one, out of levels that go on, more than chance has it:
    their neighbours are brief less often by the runs test (Wald and Wolfowitz, 1940). Where half
    of the stays are brief, and a fifth as many are ``lasting`` without them, they are no exceptions
    from those."""
    brief = np.array([stay.nights <= _BRIEF for stay in stays])
    size, share = len(brief), float(brief.mean()) if len(brief) else 0.0
    if size < 4 or share in (0.0, 1.0):
        return False
    if share >= _MANY_BRIEF and lasting >= _MANY_LASTING * size:
        return False
    together = int((brief[1:] & brief[:-1]).sum())
    expected = (size - 1) * share**2
    return together - expected < _APART_RUNS * math.sqrt(expected) * (1 - share)


def _ends_of_hopping(stays: Sequence[_Stay]) -> list[int]:
    """Where an exceptional stay begins or ends; the ends of one that goes on after a night or two
    are none."""
    long = _exceptional(stays)
    ends: list[int] = []
    for end in sorted({edge for stay in long for edge in (stay.start, stay.stop)}):
        if ends and end - ends[-1] <= _BRIEF:
            ends.pop()
        else:
            ends.append(end)
    return ends
