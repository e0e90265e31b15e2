"""Tails against known values and against plain numerical integration."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.distributions import (
    binomial_tail,
    normal_quantile,
    normal_tail,
    t_quantile,
    t_tail,
)


@pytest.mark.parametrize(
    ("df", "tail", "quantile"),
    [(1, 0.025, 12.7062047), (2, 0.05, 2.91998558), (5, 0.005, 4.03214298),
     (10, 0.001, 4.14370049), (30, 0.025, 2.04227246), (54, 1e-5, 4.6774)],
)  # fmt: skip
def test_quantiles_of_students_t(df: int, tail: float, quantile: float) -> None:
    assert t_quantile(tail, df) == pytest.approx(quantile, rel=2e-3 if tail < 1e-4 else 1e-7)
    assert t_tail(quantile, df) == pytest.approx(tail, rel=1e-2 if tail < 1e-4 else 1e-6)


@given(st.floats(-30, 30), st.integers(1, 60))
def test_the_tail_of_t_is_a_tail(t: float, df: int) -> None:
    assert 0 <= t_tail(t, df) <= 1
    assert t_tail(t, df) + t_tail(-t, df) == pytest.approx(1)
    assert t_tail(t, df) >= t_tail(t + 0.5, df) - 1e-15


@pytest.mark.parametrize("df", [1, 3, 4, 9, 26])
def test_the_tail_of_t_is_the_integral_of_its_density(df: int) -> None:
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)
    step = 1e-3
    inside = sum(
        scale * (1 + x * x / df) ** (-(df + 1) / 2) * step
        for x in (step * (k + 0.5) for k in range(2500))
    )
    assert t_tail(2.5, df) == pytest.approx(0.5 - inside, abs=1e-6)


def test_infinite_t() -> None:
    assert t_tail(math.inf, 5) == 0
    assert t_tail(-math.inf, 5) == 1


def test_normal() -> None:
    assert normal_tail(1.959964) == pytest.approx(0.025, rel=1e-6)
    assert normal_tail(6) == pytest.approx(9.8659e-10, rel=1e-4)
    assert normal_quantile(normal_tail(4.2)) == pytest.approx(4.2)


@pytest.mark.parametrize(
    ("k", "n", "tail"), [(5, 5, 1 / 32), (7, 8, 9 / 256), (0, 4, 1), (5, 4, 0), (-1, 3, 1)]
)
def test_coins(k: int, n: int, tail: float) -> None:
    assert binomial_tail(k, n) == pytest.approx(tail)
