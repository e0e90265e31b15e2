"""Tails and quantiles of the few distributions that the verdict needs. Exact, scalar, small.

Student's t is needed for whole degrees of freedom only, where its tail is a finite sum
(Abramowitz and Stegun 1964, 26.7.3 and 26.7.4); that sum loses digits to cancellation below
a probability of about 1e-12, far past any boundary in use.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist

_NORMAL = NormalDist()

# Quantiles of the standard normal distribution, rounded as tables have them (NIST/SEMATECH
# e-Handbook of Statistical Methods, 1.3.6.7.1). What was decided rests on these digits.
POWER_80_Z = 0.84
"""An effect is found in four of five samples where it lies this far beyond the demand."""
ONE_SIDED_95_Z = 1.645
"""A one-sided bound at 95 %."""
TWO_SIDED_95_Z = 1.96
"""An interval at 95 % reaches so many standard errors to either side."""


def normal_tail(z: float) -> float:
    """P(Z > z) of the standard normal; exact far out too."""
    return 0.5 * math.erfc(z / math.sqrt(2))


def normal_quantile(tail: float) -> float:
    """The z with P(Z > z) = ``tail``, 0 < tail < 1."""
    return -_NORMAL.inv_cdf(tail)


def t_tail(t: float, df: int) -> float:
    """P(T > t) of Student's t with ``df`` ≥ 1 degrees of freedom."""
    if math.isinf(t):
        return 0.0 if t > 0 else 1.0
    angle = math.atan2(abs(t), math.sqrt(df))
    cosine_squared = math.cos(angle) ** 2
    inside = (
        _even_sum(angle, cosine_squared, df) if df % 2 == 0 else _odd_sum(angle, cosine_squared, df)
    )
    tail = max(0.5 * (1 - inside), 0.0)
    return tail if t >= 0 else 1 - tail


@lru_cache(maxsize=4096)
def t_quantile(tail: float, df: int) -> float:
    """The t with P(T > t) = ``tail``, 0 < tail ≤ 0.5."""
    low, high = 0.0, 1.0
    while t_tail(high, df) > tail and high < 1e12:
        low, high = high, high * 2
    for _ in range(100):
        middle = (low + high) / 2
        if t_tail(middle, df) > tail:
            low = middle
        else:
            high = middle
    return high


def binomial_tail(successes: int, n: int) -> float:
    """P(X ≥ ``successes``) of ``n`` fair coins."""
    ways = sum(math.comb(n, k) for k in range(max(successes, 0), n + 1))
    return float(ways / 2**n)


def _even_sum(angle: float, cosine_squared: float, df: int) -> float:
    term, total = 1.0, 1.0
    for k in range(2, df, 2):
        term *= cosine_squared * (k - 1) / k
        total += term
    return math.sin(angle) * total


def _odd_sum(angle: float, cosine_squared: float, df: int) -> float:
    if df == 1:
        return 2 * angle / math.pi
    term, total = 1.0, 1.0
    for k in range(3, df, 2):
        term *= cosine_squared * (k - 1) / k
        total += term
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * total)
