"""Counting runs against a limit: exact."""

from __future__ import annotations

from itertools import product
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.signtest import median_interval, runs_needed, runs_that_decide


@pytest.mark.parametrize(
    ("n", "needed"), [(1, None), (4, None), (5, 5), (6, 6), (8, 7), (10, 9), (12, 10), (20, 15)]
)
def test_how_many_must_agree(n: int, needed: int | None) -> None:
    assert runs_that_decide(n) == needed


@given(st.integers(1, 60), st.sampled_from([0.1, 0.05, 0.01, 0.001]))
def test_chance_is_excluded_and_no_more_is_asked(n: int, level: float) -> None:
    needed = runs_that_decide(n, level)
    tails = [sum(comb(n, k) for k in range(least, n + 1)) / 2**n for least in range(n + 1)]
    if needed is None:
        assert tails[n] > level
        assert runs_needed(level) > n
    else:
        assert tails[needed] <= level
        assert needed == 0 or tails[needed - 1] > level
        assert 2 * needed > n


@pytest.mark.parametrize("n", [3, 6, 9])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95])
def test_the_interval_covers_as_often_as_it_says(n: int, confidence: float) -> None:
    """Each value is below the true median, 0, with probability one half."""
    sizes = range(1, n + 1)
    missed, patterns = 0, list(product((-1, 1), repeat=n))
    for pattern in patterns:
        low, high, achieved = median_interval(
            [sign * size for sign, size in zip(pattern, sizes, strict=True)], confidence
        )
        missed += low > 0 or high < 0
    assert missed / len(patterns) == pytest.approx(1 - achieved)
    assert achieved >= min(confidence, 1 - 2 * 0.5**n)
