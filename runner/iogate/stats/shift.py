"""By how much one sample lies above another: the Hodges–Lehmann shift and its interval.

The shift is the median of all differences between a value after and a value before; the interval
is the one that the Mann–Whitney test does not reject, by its normal approximation with continuity
correction (Hollander and Wolfe 1999, 4.3). For five values and more on either side its coverage
is within a percent or two of what it says; where so few values cannot give the confidence at
all, the interval is the whole range of differences.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.robust import median

_LARGEST = 700.0  # its exponential is the last that is a number
MOST = 60  # values of a sample that are used: those nearest to the change


@dataclass(frozen=True, slots=True)
class Shift:
    """After less before, and its interval."""

    estimate: float
    low: float
    high: float


def shift(
    before: Sequence[float], after: Sequence[float], *, confidence: float = USUAL_CONFIDENCE
) -> Shift:
    """The shift between two samples of at least one finite value each, oldest first."""
    old, new = before[-MOST:], after[:MOST]
    differences = sorted(b - a for a in old for b in new)
    pairs = len(differences)
    z = NormalDist().inv_cdf(0.5 + confidence / 2)
    spread = math.sqrt(pairs * (len(old) + len(new) + 1) / 12)
    rank = max(math.floor(pairs / 2 - z * spread - 0.5), 0)
    return Shift(median(differences), differences[rank], differences[pairs - 1 - rank])


def relative_shift(
    before: Sequence[float], after: Sequence[float], *, confidence: float = USUAL_CONFIDENCE
) -> Shift | None:
    """The same as a fraction of the level before (0.1 = +10 %). None where a fraction means
    nothing: a value at or below zero."""
    if min(*before, *after) <= 0:
        return None
    logs = shift(
        [math.log(value) for value in before],
        [math.log(value) for value in after],
        confidence=confidence,
    )
    return Shift(*(_change(value) for value in (logs.estimate, logs.low, logs.high)))


def _change(log: float) -> float:
    return math.expm1(min(log, _LARGEST))
