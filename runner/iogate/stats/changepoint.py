"""Where a series of nightly numbers moved to a new level, offline and night by night alike.

`change_points` looks for steps a person would mark on a plot: sharp, lasting, and large beside
both the noise and what the series shows otherwise. Spikes and slow drift are left alone.

Each position gets one strength, from cumulative sums, in units without a dimension:

    strength = max over w of  t(w) * (visible(w) / range) ** 0.7

`t(w)` is the two-sample t statistic of the `w` points before and after the position, `visible(w)`
the geometric mean of that step and of the step between the five points on either side (a ramp is
small on the short scale, a step is not), `range` what the whole series spans. Peaks of the
strength are the changes, where the series as a whole shows that it has any (`_series_has_steps`);
within the last nights a peak is held to the number of new points instead (`_recent`).

The answer is the same for x and a * x + b, a != 0, up to rounding.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from iogate.stats.robust import MAD_TO_SIGMA

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Rule:
    """The parameters; counts are points of the series, strengths have no unit."""

    windows: tuple[int, ...] = (15, 30)  # points compared on either side
    short: int = 5  # the same for the sharpness of the step
    before: int = 5  # the least number of points before a change
    after: int = 2  # the least number from a change on
    spacing: int = 7  # two changes are further apart than this
    threshold: float = 2.0  # the least strength of a change
    own: float = 0.7  # the part of it that is left without the points beyond its neighbours
    clear: float = 3.0  # one change this strong vouches for the series
    gap: float = 2.5  # or all changes this much stronger than anything else in it
    settled: int = 18  # points from which on a change is no longer recent


RULE = Rule()

_TOGETHER = 32  # series of one length that are looked at in one go
_SPIKE_WINDOW = 7  # points of the running median (`_running_median` is made for seven)
_SPIKE_LIMIT = 3.0  # robust standard deviations around it
_NOISE_QUANTILE = 0.8  # of the distances from it, from which the noise is read
_NOISE_FLOOR = 0.3  # the least noise of a window, in noise of the series
_ROUNDING = 1e-13  # the same as a share of the squares summed, for series without noise
_SMALLEST = 1e-12  # a central range or a noise this small beside the range is rounding
_RANGE_LIMIT = 5.0  # central ranges (5 % to 95 %) an outlier may widen the range to
_RANGE_POWER = 0.7
_SHARPEST = 1.5  # a step counts on the short scale at most this many times itself
_MOST_REACHED = 0.25  # the quantile of the new points above which they have reached the level
_NOISE_SIGMAS = 1.28155157  # the same quantile of a normal distribution
_EARLY = 5  # points up to which a new level is doubted much ...
_EARLY_POWER = 2.0
_RECENT_POWER = 0.15  # ... and a little until it has settled, where one of them fell back
_ALL = 1.05  # what a strength counts for where none did


def change_points(values: Sequence[float] | Floats, rule: Rule = RULE) -> list[int]:
    """The ascending indices of the first point of each new level in `values`, oldest first.

    Values that are not finite are passed over. A series that is too short or constant has no
    changes; nothing is raised for any numbers.
    """
    given = np.asarray(values, dtype=np.float64).ravel()
    kept = np.flatnonzero(np.isfinite(given))
    finite = given[kept]
    if _is_too_short(finite, rule) or finite.min() == finite.max():
        return []
    return [int(kept[i]) for i in _changes(_sums(finite, rule), rule)]


def change_points_of_each(
    many: Sequence[Sequence[float] | Floats], rule: Rule = RULE
) -> list[list[int]]:
    """`change_points` of each of many series, at a third of the price.

    Those of one length are looked at together first: of most, nothing is as strong as a change.
    """
    points: list[list[int]] = [[] for _ in many]
    sizes: dict[int, list[int]] = {}
    for index, values in enumerate(many):
        sizes.setdefault(len(values), []).append(index)
    for indices in sizes.values():
        for first in range(0, len(indices), _TOGETHER):
            these = indices[first : first + _TOGETHER]
            rows = np.array([many[index] for index in these], dtype=np.float64)
            for index in compress(these, _may_have_changed(rows, rule).tolist()):
                points[index] = change_points(many[index], rule)
    return points


def _may_have_changed(rows: Floats, rule: Rule) -> NDArray[np.bool_]:
    """Which of these series have a strong position, or need a look of their own."""
    if len(rows) == 1 or _is_too_short(rows, rule):
        return np.ones(len(rows), dtype=np.bool_)
    with np.errstate(all="ignore"):
        strongest = _strength(_sums(rows, rule), rule).max(axis=-1)
    # NaN is a series that is constant or has values that are not finite.
    looked_at: NDArray[np.bool_] = ~(strongest < rule.threshold / _ALL)
    return looked_at


def _is_too_short(series: Floats, rule: Rule) -> bool:
    size: int = series.shape[-1]
    return size < max(rule.before + rule.after, _SPIKE_WINDOW)


def _sums(finite: Floats, rule: Rule) -> "_Sums":
    return _Sums(_standardised(finite), max(rule.short, *rule.windows))


def _standardised(finite: Floats) -> Floats:
    """The values around their median in units of the central range."""
    largest = np.abs(finite).max(axis=-1, keepdims=True)
    scaled = np.ldexp(finite, -np.frexp(largest)[1])
    least, low, middle, high, most = _quantiles(scaled, 0.0, 0.05, 0.5, 0.95, 1.0)
    full, central = most - least, high - low
    unit = np.where(central > _SMALLEST * full, central, full)
    around: Floats = (scaled - middle) / unit
    return around


def _quantiles(values: Floats, *shares: float) -> list[Floats]:
    """What `numpy.quantile` gives, at a tenth of its price for a short array."""
    ordered = np.sort(values)
    places = [share * (values.shape[-1] - 1) for share in shares]
    return [
        ordered[..., low : low + 1]
        + (place - low) * (ordered[..., high : high + 1] - ordered[..., low : low + 1])
        for place in places
        for low, high in [(int(place), math.ceil(place))]
    ]


class _Sums:
    """A series without its spikes, its noise, and the means of any stretch in constant time.

    Or many, a row each, but for `step_between`. What is one number for a series has an axis of
    its own, of length one.
    """

    def __init__(self, series: Floats, reach: int) -> None:
        self.size = series.shape[-1]
        self.range = np.minimum(np.ptp(series, axis=-1, keepdims=True), _RANGE_LIMIT)
        self.values, noise = _without_spikes(series)
        self._reach = reach
        self._sum = _running_sum(self.values, reach)
        self._squares = _running_sum(self.values * self.values, reach)
        self._floor = (_NOISE_FLOOR * noise) ** 2 + _ROUNDING * self._squares[..., -1:]

    def step(self, width: int) -> tuple[Floats, Floats]:
        """(t statistic, difference of means) of up to `width` points after and before each."""
        _before, _after, freedom, inverse = _counts(self.size, width)
        (left, before), (right, after) = self._sides(width)
        step = after - before
        _, start, stop = self._places(width)
        spread = self._squares[..., stop] - self._squares[..., start]
        spread -= left * before
        spread -= right * after
        variance = np.maximum(spread, 0.0, out=spread)
        variance /= freedom
        variance += self._floor
        variance *= inverse
        return np.abs(step) / np.sqrt(variance, out=variance), step

    def difference(self, width: int) -> Floats:
        """The difference of means alone."""
        (_, before), (_, after) = self._sides(width)
        return after - before

    def _sides(self, width: int) -> tuple[tuple[Floats, Floats], tuple[Floats, Floats]]:
        """(sum, mean) of up to `width` points before each position, and after it."""
        here, start, stop = self._places(width)
        before, after, *_ = _counts(self.size, width)
        left = self._sum[..., here] - self._sum[..., start]
        right = self._sum[..., stop] - self._sum[..., here]
        return (left, left / before), (right, right / after)

    def _places(self, width: int) -> tuple[slice, slice, slice]:
        """Where the running sums of each position are, and those `width` before and after."""
        first, last = self._reach, self._reach + self.size
        return (
            slice(first, last),
            slice(first - width, last - width),
            slice(first + width, last + width),
        )

    def step_between(self, left: int, at: int, right: int, width: int) -> tuple[float, float]:
        """The same at one position, of points from `left` up to `right` only."""
        start, stop = max(left, at - width), min(right, at + width)
        sums = self._sum[[start + self._reach, at + self._reach, stop + self._reach]].tolist()
        before, after = sums[1] - sums[0], sums[2] - sums[1]
        squares = float(self._squares[stop + self._reach] - self._squares[start + self._reach])
        n, m = at - start, stop - at
        step = after / m - before / n
        spread = max(squares - before * before / n - after * after / m, 0.0)
        variance = spread / max(n + m - 2, 1) + float(self._floor[0])
        return abs(step) / math.sqrt(variance * (1 / n + 1 / m)), step


def _running_sum(values: Floats, reach: int) -> Floats:
    """The sum before each position, held for `reach` positions beyond both ends."""
    last = reach + values.shape[-1]
    sums = np.empty((*values.shape[:-1], last + reach + 1))
    sums[..., : reach + 1] = 0.0
    np.cumsum(values, axis=-1, out=sums[..., reach + 1 : last + 1])
    sums[..., last + 1 :] = sums[..., last : last + 1]
    return sums


@lru_cache(maxsize=4096)
def _counts(size: int, width: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Points before and after each position, degrees of freedom, and 1/before + 1/after."""
    at = np.arange(size, dtype=np.float64)
    before, after = np.clip(at, 1.0, width), np.minimum(size - at, width)
    return before, after, np.maximum(before + after - 2.0, 1.0), 1.0 / before + 1.0 / after


def _without_spikes(series: Floats) -> tuple[Floats, Floats]:
    """The series with excursions from its running median cut, and its noise (one sd). Spikes
    are told by the middle half, and hide in none of it; the noise by what most points keep to,
    so that a series whose middle half is still and whose rest is not is not taken for still."""
    half = _SPIKE_WINDOW // 2
    middle = _running_median(series)
    ends = [np.repeat(end, half, axis=-1) for end in (middle[..., :1], middle[..., -1:])]
    level = np.concatenate((ends[0], middle, ends[1]), axis=-1)
    rest = series - level
    near, far = _quantiles(np.abs(rest), 0.5, _NOISE_QUANTILE)
    limit = _SPIKE_LIMIT * _or_spread(MAD_TO_SIGMA * near, rest)
    noise = _or_spread(far / _NOISE_SIGMAS, rest)
    return level + np.minimum(np.maximum(rest, -limit), limit), noise


def _or_spread(sigma: Floats, rest: Floats) -> Floats:
    """One sd, of all distances where most are none: points are equal to their neighbours."""
    equal = sigma < _SMALLEST
    if not equal.any():
        return sigma
    spread: Floats = np.where(equal, np.std(rest, axis=-1, keepdims=True), sigma)
    return spread


def _running_median(series: Floats) -> Floats:
    """The median of each seven neighbours, by comparing shifted series: no window is sorted.

    The k-th least of two sorted runs is the greatest min(x[i], y[j]) with i + j = k - 1, and the
    least max(x[i], y[j]) from the other end; the two in the middle of six bound the seventh.
    """
    count = series.shape[-1] - _SPIKE_WINDOW + 1
    first, second, third = series[..., :-2], series[..., 1:-1], series[..., 2:]
    low, high = np.minimum(second, third), np.maximum(second, third)
    rest = np.maximum(first, low)
    threes = np.minimum(first, low), np.minimum(rest, high), np.maximum(rest, high)
    x, y = [part[..., :count] for part in threes], [part[..., 3 : 3 + count] for part in threes]
    below, above = np.minimum(x[1], y[1]), np.maximum(x[1], y[1])
    for left, right in ((x[0], y[2]), (x[2], y[0])):
        np.maximum(below, np.minimum(left, right), out=below)
        np.minimum(above, np.maximum(left, right), out=above)
    seventh = series[..., _SPIKE_WINDOW - 1 :]
    return np.maximum(below, np.minimum(seventh, above))


def _strength(sums: _Sums, rule: Rule) -> Floats:
    """How clear a step each position is; 0 where there are too few points on a side."""
    sharp = sums.difference(rule.short)
    strength = np.zeros_like(sums.values)
    for width in rule.windows:
        np.maximum(strength, _rated(*sums.step(width), sharp, sums.range), out=strength)
    strength[..., : rule.before] = 0.0
    strength[..., sums.size - rule.after + 1 :] = 0.0
    return strength


def _rated(t: Floats, step: Floats, sharp: Floats, span: Floats) -> Floats:
    """The strength of steps by their t statistic, size, size on the short scale and the range."""
    size = np.abs(step)
    near = np.minimum(np.maximum(sharp * np.sign(step), 0.0), _SHARPEST * size)
    visible: Floats = np.sqrt(size * near) / span
    return t * visible**_RANGE_POWER


def _independence(series: Floats) -> float:
    """By how much neighbours that resemble each other weaken a t statistic: 1 = not at all.

    Their correlation is read off the differences of neighbours against those three apart, which
    steps hardly touch, and taken for that of a first-order autoregression.
    """
    apart = np.abs(series[3:] - series[:-3])
    limit = _quantiles(apart, 0.8)[0]
    far = float((np.minimum(apart, limit) ** 2).mean())
    near = float((np.minimum(np.abs(series[1:] - series[:-1]), limit) ** 2).mean())
    rho = min(max(1.0 - near / far, 0.0), 0.6) if far > 0 else 0.0
    return math.sqrt((1.0 - rho) / (1.0 + rho))


def _changes(sums: _Sums, rule: Rule) -> list[int]:
    strength = _strength(sums, rule)
    if strength.max() < rule.threshold / _ALL:  # the usual night: nothing strengthens it by more
        return []
    recent = max(sums.size - rule.settled + 1, 0)
    independence = _independence(sums.values)
    strength[recent:] = _recent(sums, strength[recent:] * math.sqrt(independence), rule)
    strength[:recent] *= independence
    peaks = _without_shadows(sums, strength, _peaks(strength, rule), rule)
    old = [i for i in peaks if i < recent]
    if old and not _series_has_steps(strength[:recent], old, rule):
        old = []
    return old + [i for i in peaks if i >= recent]


def _recent(sums: _Sums, strength: Floats, rule: Rule) -> Floats:
    """The last strengths, held to the number of new points that have reached the level: all of
    them, or most, which are doubted longer."""
    new = np.arange(len(strength), 0, -1)
    old = sums.size - new
    by_age: Floats = strength * np.sqrt(np.minimum(old / rule.windows[0], 1.0))
    held = by_age * doubted(new)
    longer = np.power(new / rule.settled, _RECENT_POWER) / _ALL
    for k in np.flatnonzero(held >= rule.threshold).tolist():
        all_of, most = _shares_reached(sums.values, sums.size - len(strength) + k, rule)
        held[k] *= math.sqrt(max(all_of, most * float(longer[k]) ** 2))
    return held


def doubted(new: NDArray[np.int64]) -> Floats:
    """What is left of a strength where a level has had so few points, and all have reached it."""
    early: Floats = _ALL * np.power(np.minimum(new / _EARLY, 1.0), _EARLY_POWER)
    return early


def _shares_reached(series: Floats, at: int, rule: Rule) -> tuple[float, float]:
    """The part of the step that all points from `at` on have made, and at least three quarters."""
    before, after = series[max(at - rule.windows[-1], 0) : at], series[at:]
    step = float(after.mean() - before.mean())
    if step == 0.0:
        return 0.0, 0.0
    made = np.sort((after - np.median(before)) / step).clip(0.0, 1.0)
    return float(made[0]), float(made[int(_MOST_REACHED * len(made))])


def _peaks(strength: Floats, rule: Rule) -> list[int]:
    """The positions that reach the threshold and are the strongest within `spacing`."""
    peaks: list[int] = []
    for i in np.flatnonzero(strength >= rule.threshold).tolist():
        around = strength[max(i - rule.spacing, 0) : i + rule.spacing + 1]
        equal_before = bool(peaks) and i - peaks[-1] <= rule.spacing
        if strength[i] >= around.max() and not equal_before:
            peaks.append(i)
    return peaks


def _without_shadows(sums: _Sums, strength: Floats, peaks: list[int], rule: Rule) -> list[int]:
    """The peaks that are still steps when no window reaches beyond the peaks beside them.

    The windows of a position near a large step reach across that step, which lends it strength.
    """
    kept = list(peaks)
    for at in sorted(peaks, key=lambda i: float(strength[i])):
        k = kept.index(at)
        left = kept[k - 1] if k else 0
        right = kept[k + 1] if k + 1 < len(kept) else sums.size
        steps = np.array([sums.step_between(left, at, right, w) for w in rule.windows])
        sharp = np.array(sums.step_between(left, at, right, rule.short)[1])
        own = _rated(steps[:, 0], steps[:, 1], sharp, sums.range)
        if own.max() < rule.own * rule.threshold:
            kept.remove(at)
    return kept


def _series_has_steps(strength: Floats, peaks: list[int], rule: Rule) -> bool:
    """True when a peak is clear by itself, or all stand out from the rest of the series."""
    heights = strength[peaks]
    if heights.max() >= rule.clear:
        return True
    reach = rule.windows[-1]
    elsewhere = np.ones(len(strength), dtype=bool)
    for i in peaks:
        elsewhere[max(i - reach, 0) : i + reach + 1] = False
    if np.count_nonzero(elsewhere) < reach:
        return False  # too little to stand out from
    return bool(heights.min() >= rule.gap * strength[elsewhere].max())
