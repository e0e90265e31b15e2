"""What the detector said of a series in earlier nights and says no more.

The answer of `level_changes` is of the whole series: a level that lasted five nights is no step of
a long one any more, and a small step is none beside a larger that came later. What was once said
is found by asking again, for the nights of then. To ask for every night would cost as much as all
nights together, so a cheap look at all positions at once leaves out those that no night can have
called a change: it is generous, and what it lets through is asked of the detector itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from iogate.stats.changepoint import RULE, doubted
from iogate.stats.hopping import level_changes_of_each
from iogate.stats.robust import median

Floats = NDArray[np.float64]

NEAR = RULE.spacing  # points nearer than this are one change that was seen at several places
_TOGETHER = 48  # series of one length that are looked at in one go
_AFTER = (2, 4, 6, 10, 17, 30)  # points of a new level at which it is looked for
_BEFORE = 20  # and of the level before
_NEW, _RECENT, _SETTLED = 7, 19, 31  # nights after a place, each asked about less often
_OLD = 12  # after the last of them it is one night in so many
_ENOUGH = 1.15  # of the strength that the detector asks for, which this one overrates
_FEW, _FEW_SIGMA = 3, 6.0  # nights, and noise that they have to be away by to be sudden
_FLOOR = 0.09  # the least variance of a window, in that of the noise
_LEAST_NOISE = 1e-6  # of what a series spans
_NOTHING = 1e-300
_VISIBLE = 1.2  # the most that a step's sharpness adds to its size


@dataclass(frozen=True, slots=True)
class Earlier:
    """The detector once put a change at ``at``: first with the nights before ``first``, last with
    those before ``last``. All are indices."""

    at: int
    first: int
    last: int


def find_places(
    many: Sequence[Sequence[float]], now: Sequence[Sequence[int]]
) -> dict[int, list[int]]:
    """The series, by their numbers, with the places at which some night may have seen a change
    that is not among those of ``now``. Most series have none. Values are finite."""
    return dict(_places(many, now))


def said_earlier(
    many: Sequence[Sequence[float]],
    now: Sequence[Sequence[int]],
    places: Mapping[int, Sequence[int]],
) -> list[list[Earlier]]:
    """For each series what was said at such places of fewer of its nights, and is not among the
    changes that it has ``now``; oldest first."""
    nights = {
        (index, end)
        for index, own in places.items()
        for at in own
        for end in _nights(at, len(many[index]))
    }
    answers = sorted(nights, key=lambda each: each[1])  # those of one length are cheaper together
    points = level_changes_of_each([many[index][:end] for index, end in answers])
    said: list[list[Earlier]] = [[] for _ in many]
    for (index, end), at_each in zip(answers, points, strict=True):
        for at in at_each:
            _note(said[index], many[index], at, end, now[index])
    return [sorted(each, key=lambda earlier: earlier.at) for each in said]


def _nights(at: int, size: int) -> Iterator[int]:
    """How many nights there were when a place is asked about: each while it is new, every other
    while it is recent, then some until the detector's windows are full, then few."""
    yield from range(at + 2, min(at + _NEW, size))
    yield from range(at + _NEW, min(at + _RECENT, size), 2)
    yield from range(at + _RECENT, min(at + _SETTLED, size), 4)
    yield from range(at + _SETTLED, size, _OLD)


def _note(
    said: list[Earlier], values: Sequence[float], at: int, end: int, now: Sequence[int]
) -> None:
    """Add what was said with the nights before ``end``, unless it is said now."""
    rises = _rises(values, at, end)
    if _is_said(at, rises, values, now):
        return
    for n, earlier in enumerate(said):
        if abs(at - earlier.at) <= NEAR and _rises(values, earlier.at, earlier.last) == rises:
            said[n] = Earlier(at, max(earlier.first, at + RULE.after), end)
            return
    said.append(Earlier(at, end, end))


def _rises(values: Sequence[float], at: int, end: int) -> bool:
    """Which way a change led, by the nights nearest to it."""
    before, after = values[max(at - NEAR, 0) : at], values[at : min(end, at + NEAR)]
    return median(after) > median(before)


def _places(
    many: Sequence[Sequence[float]], now: Sequence[Sequence[int]]
) -> Iterator[tuple[int, list[int]]]:
    """The series with positions that some night may have called a change."""
    sizes: dict[int, list[int]] = {}
    for index, values in enumerate(many):
        sizes.setdefault(len(values), []).append(index)
    for size, indices in sizes.items():
        for first in range(0, len(indices) if size > RULE.before + 2 else 0, _TOGETHER):
            these = indices[first : first + _TOGETHER]
            strength = _strength(np.array([many[index] for index in these], dtype=np.float64))
            for row in np.flatnonzero((np.abs(strength) >= _ENOUGH).any(axis=-1)).tolist():
                index = these[row]
                if places := _peaks(strength[row], many[index], now[index]):
                    yield index, places


def _peaks(strength: Floats, values: Sequence[float], now: Sequence[int]) -> list[int]:
    """The strongest places within NEAR either way, but for those of changes that are said now."""
    peaks: list[int] = []
    for side in (np.maximum(strength, 0.0), np.maximum(-strength, 0.0)):
        peaks += [
            at
            for at in np.flatnonzero(side >= _ENOUGH).tolist()
            if side[at] >= side[max(at - NEAR, 0) : at + NEAR + 1].max()
        ]
    return [at for at in peaks if not _is_said(at, bool(strength[at] > 0), values, now)]


def _is_said(at: int, rises: bool, values: Sequence[float], now: Sequence[int]) -> bool:
    return any(
        abs(at - other) <= NEAR and _rises(values, other, len(values)) == rises for other in now
    )


def _strength(rows: Floats) -> Floats:
    """How strong a step some night may have seen at each position, in the strength that the
    detector asks for, and which way: its own measure with what the series spanned until then,
    but of a few windows. Two nights count where they are very far away."""
    scaled = _scaled(rows)
    span = np.maximum.accumulate(scaled, axis=-1) - np.minimum.accumulate(scaled, axis=-1)
    sums, squares = _running(scaled), _running(scaled * scaled)
    best, first, size = np.zeros_like(rows), RULE.before, rows.shape[-1]
    at = np.arange(first, size)
    width = np.minimum(at, _BEFORE)
    level = (sums[:, at] - sums[:, at - width]) / width
    rest_before = squares[:, at] - squares[:, at - width] - width * level**2
    for after in _AFTER:
        count = size - after + 1 - first
        if count <= 0:
            break
        n = width[:count]
        mean = (sums[:, first + after :] - sums[:, first : first + count]) / after
        rest = squares[:, first + after :] - squares[:, first : first + count] - after * mean**2
        rest += rest_before[:, :count]
        step = mean - level[:, :count]
        height = np.abs(step)
        noise = np.sqrt(np.maximum(rest, 0.0) / (n + after - 2) + _FLOOR)
        reach = np.maximum(span[:, first + after - 1 :], height) + _NOTHING
        strength = height / noise * np.sqrt(n * after / (n + after))
        strength *= (_VISIBLE * height / reach) ** 0.7 / RULE.threshold
        strength *= float(doubted(np.array([after]))[0])
        if after <= _FEW:
            np.maximum(strength, height / _FEW_SIGMA, out=strength)
        here = best[:, first : first + count]
        np.copyto(here, np.copysign(strength, step), where=strength > np.abs(here))
    return best


def _scaled(rows: Floats) -> Floats:
    """The values around their mean, in noise: what neighbours usually differ by."""
    unit = np.frexp(np.abs(rows).max(axis=-1, keepdims=True))[1]
    same = np.ldexp(rows, -unit)  # so large that no difference is beyond all numbers
    apart = np.median(np.abs(np.diff(same, axis=-1)), axis=-1, keepdims=True)
    noise = np.maximum(1.05 * apart, _LEAST_NOISE * np.ptp(same, axis=-1, keepdims=True))
    around = same - same.mean(axis=-1, keepdims=True)
    scaled: Floats = np.divide(around, noise, out=np.zeros_like(around), where=noise > 0)
    return scaled


def _running(values: Floats) -> Floats:
    """The sum before each position."""
    sums = np.zeros((len(values), values.shape[-1] + 1))
    np.cumsum(values, axis=-1, out=sums[:, 1:])
    return sums
