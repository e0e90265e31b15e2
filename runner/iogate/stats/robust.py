"""Location and spread that one bad repetition does not move."""

from __future__ import annotations

import math
from collections.abc import Sequence

# 1 / Φ⁻¹(3/4): makes the MAD of normal data estimate their standard deviation.
MAD_TO_SIGMA = 1.482602218505602


def median(values: Sequence[float]) -> float:
    """The middle, or the mean of the two middle ones. ValueError when empty or NaN."""
    if not values or any(map(math.isnan, values)):
        raise ValueError("a median needs at least one number, and no NaN")
    return middle(sorted(values))


def middle(ordered: Sequence[float]) -> float:
    """The median of finite values that are sorted already, at least one."""
    low, high = ordered[(len(ordered) - 1) // 2], ordered[len(ordered) // 2]
    return float(low if low == high else low / 2 + high / 2)  # no overflow on the way


def mad(values: Sequence[float]) -> float:
    """Median absolute deviation from the median, unscaled (Hampel 1974).

    It is 0 for one value, and whenever more than half of the values are equal; half of the
    values may be arbitrarily wrong before it breaks.
    """
    centre = median(values)
    return median([abs(value - centre) for value in values])
