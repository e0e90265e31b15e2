"""Two groups of repetitions: Welch's t of their logs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iogate.stats.two_groups import apart, chance_past, ends

# Wikipedia, "Welch's t-test", example 1: t = -2.46 with 25.0 degrees of freedom, P = 0.021.
FIRST = (
    27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4,
)  # fmt: skip
SECOND = (
    27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 20.5, 24.4,
)  # fmt: skip


def test_a_published_example() -> None:
    test = apart([math.exp(x) for x in FIRST], [math.exp(x) for x in SECOND])
    assert test
    assert test.log / test.error == pytest.approx(-2.46, abs=0.005)
    assert test.df in (24, 25)
    assert 2 * chance_past(test, 0.0, -1.0) == pytest.approx(0.021, abs=0.001)


def test_the_interval_is_of_the_relative_change() -> None:
    test = apart([110.0, 111.0, 109.0], [100.0, 101.0, 99.0])
    assert test
    low, high = ends(test, 0.95)
    assert low < 0.1 < high
    assert (1 + low) * (1 + high) == pytest.approx(1.1**2, rel=1e-3)
    narrow = ends(test, 0.5)
    assert low < narrow[0] < narrow[1] < high


def test_groups_that_do_not_vary_are_apart() -> None:
    test = apart([90.0] * 5, [100.0] * 5)
    assert test
    assert chance_past(test, math.log(0.95), -1.0) < 1e-9
    assert chance_past(test, math.log(0.85), -1.0) > 0.999


@pytest.mark.parametrize(
    ("values", "reference"), [([1.0], [1.0, 2.0]), ([1.0, 0.0], [1.0, 2.0]), ([1, 2], [-1, 2])]
)
def test_what_has_no_ratio_or_no_spread_is_not_compared(
    values: list[float], reference: list[float]
) -> None:
    assert apart(values, reference) is None


def test_at_the_limit_it_errs_as_often_as_it_says() -> None:
    """Groups that vary by different amounts, and are of different sizes."""
    rng = np.random.default_rng(1)
    found = 0
    for _ in range(3000):
        values = np.exp(rng.normal(math.log(0.95), 0.05, 5)).tolist()
        test = apart(values, np.exp(rng.normal(0, 0.02, 8)).tolist())
        assert test
        found += chance_past(test, math.log(0.95), -1.0) <= 0.05
    assert 0.03 < found / 3000 < 0.065
