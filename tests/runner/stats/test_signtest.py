"""Counting runs against a limit: exact."""

from __future__ import annotations

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.distributions import binomial_tail
from iogate.stats.signtest import (
    LEVEL,
    level_of_looks,
    median_interval,
    ranks_around_median,
    runs_needed,
    runs_that_decide,
)


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


def test_no_number_of_runs_decides_without_an_error() -> None:
    with pytest.raises(ValueError, match="above 0"):
        runs_needed(0.0)


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


@pytest.mark.parametrize(("first", "last"), [(5, 5), (5, 12), (5, 30), (8, 20), (12, 13)])
def test_all_looks_together_err_as_seldom_as_one(first: int, last: int) -> None:
    """Fair coins, counted at each look: 20,000 runs."""
    own = level_of_looks(first, last)
    assert 0 < own <= LEVEL
    heads = np.random.default_rng(1).integers(0, 2, (20_000, last)).cumsum(axis=1)
    decided = np.zeros(len(heads), dtype=bool)
    for n in range(first, last + 1):
        needed = runs_that_decide(n, own)
        if needed is not None:
            decided |= heads[:, n - 1] >= needed
    assert decided.mean() <= LEVEL + 0.004
    assert level_of_looks(first, first) == pytest.approx(
        max(binomial_tail(k, first) for k in range(first + 1) if binomial_tail(k, first) <= LEVEL)
    )


def test_too_few_looks_decide_nothing() -> None:
    assert level_of_looks(2, 4) == 0.0


@pytest.mark.parametrize(
    ("count", "rank", "confidence"),
    [(2, 0, 0.5), (3, 0, 0.75), (5, 0, 0.9375), (6, 0, 0.96875), (9, 1, 0.9609375)],
)
def test_the_ranks_around_a_median(count: int, rank: int, confidence: float) -> None:
    assert ranks_around_median(count, 0.95) == (rank, confidence)
