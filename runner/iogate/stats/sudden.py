"""A step so large that two nights tell it: no spike ever reached there, and no noise does.

What looks at longer stretches takes a new level of one to three nights for a spike, as it must:
most are. This looks at the last two and three nights only.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_LEAST_BEFORE = 20  # points, to know from what the series does
_NIGHTS = ((2, 10.0), (3, 7.0))  # so many new points, each so many sd past all before
# One sd, in the median and in the 0.8 quantile of what neighbours differ by.
_NEAR, _FAR = 1 / (0.67448975 * math.sqrt(2)), 1 / (1.28155157 * math.sqrt(2))
_SMALLEST = 1e-12  # a noise this small beside the step is rounding


def sudden_change(values: Sequence[float] | Floats) -> int | None:
    """The index of the first point of a sudden new level among the last three; None for none.

    Each point from it on is past everything before it, on one side, by ten standard deviations
    (three points: seven). These are read off the differences of neighbours, which neither a few
    spikes nor hops between levels make larger (where most are 0, off more of them). Values are
    finite, in any unit; the answer is the same for x and a * x + b, a != 0.
    """
    series = np.asarray(values, dtype=np.float64)
    for nights, least in _NIGHTS:
        at = len(series) - nights
        if at >= _LEAST_BEFORE and _is_past(series[:at], series[at:], least):
            return at
    return None


def is_sudden(before: Sequence[float] | Floats, new: Sequence[float] | Floats) -> bool:
    """Whether two or more new points are so far past all of those before."""
    old, now = np.asarray(before, dtype=np.float64), np.asarray(new, dtype=np.float64)
    least = [sigmas for nights, sigmas in _NIGHTS if len(now) >= nights]
    return len(old) >= _LEAST_BEFORE and bool(least) and _is_past(old, now, least[-1])


def may_be_sudden(values: Sequence[float] | Floats) -> bool:
    """Whether the end of a series is past all before it, or has to be looked at: a tenth of the
    price of `sudden_change`, for the many series of which it is not."""
    if len(values) < _LEAST_BEFORE or not math.isfinite(sum(values)):
        return True
    before, new = values[: -_NIGHTS[-1][0]], values[-_NIGHTS[0][0] :]
    return bool(min(new) > max(before) or max(new) < min(before))


def _is_past(before: Floats, new: Floats, least: float) -> bool:
    up, down = float(new.min() - before.max()), float(before.min() - new.max())
    past = max(up, down)
    if past <= 0:  # as on most nights: the noise need not be known
        return False
    smallest = _SMALLEST * float(np.ptp(new) + past)
    return past > least * max(_noise(np.diff(before), smallest), smallest)


def _noise(steps: Floats, smallest: float) -> float:
    """One sd by the differences of neighbours: by the middle one, unless that is none, as where
    values are counts and most equal the one before; then by more of them, and by all."""
    near, far = np.quantile(np.abs(steps), (0.5, 0.8)).tolist()
    if near * _NEAR > smallest:
        return float(near * _NEAR)
    if far * _FAR > smallest:
        return float(far * _FAR)
    return float(np.sqrt((steps * steps).mean() / 2))
