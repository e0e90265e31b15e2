"""The estimate and its interval, against every sign pattern there is."""

from __future__ import annotations

from itertools import product
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.hodges_lehmann import (
    estimate_with_interval,
    interval_cut,
    signed_rank_counts,
)

rows = st.lists(st.floats(-1, 1), min_size=1, max_size=12)


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_rank_sums_are_those_of_all_sign_patterns(n: int) -> None:
    counts = [0] * (n * (n + 1) // 2 + 1)
    for pattern in product((0, 1), repeat=n):
        counts[sum(rank for rank, sign in enumerate(pattern, start=1) if sign)] += 1
    assert list(signed_rank_counts(n)) == counts


@given(rows)
def test_the_estimate_is_the_median_of_all_pair_means(values: list[float]) -> None:
    pairs = [(a + b) / 2 for i, a in enumerate(values) for b in values[i:]]
    centre, *_ = estimate_with_interval(np.array([values]), 0.95)
    assert centre[0] == pytest.approx(median(pairs), abs=1e-12)


@given(rows, st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_the_interval_surrounds_the_estimate(values: list[float], confidence: float) -> None:
    centre, low, high, _ = estimate_with_interval(np.array([values]), confidence)
    assert low[0] <= centre[0] <= high[0]
    assert min(values) <= low[0]
    assert high[0] <= max(values)


@given(rows, st.floats(-2, 2))
def test_a_shift_shifts_and_a_flip_flips(values: list[float], shift: float) -> None:
    data = np.array([values, [v + shift for v in values], [-v for v in values]])
    centre, low, high, _ = estimate_with_interval(data, 0.9)
    assert centre[1] == pytest.approx(centre[0] + shift, abs=1e-9)
    assert centre[2] == pytest.approx(-centre[0], abs=1e-9)
    assert (low[2], high[2]) == pytest.approx((-high[0], -low[0]), abs=1e-9)


@pytest.mark.parametrize("n", [4, 6, 8, 10])
def test_the_interval_misses_as_often_as_it_says(n: int) -> None:
    """Over all 2ⁿ equally likely sign patterns of fixed sizes, the true shift is 0."""
    sizes = np.sqrt(np.arange(1.0, n + 1) + 0.1)
    patterns = np.array(list(product((-1, 1), repeat=n))) * sizes
    for confidence in (0.8, 0.9, 0.95):
        _, low, high, achieved = estimate_with_interval(patterns, confidence)
        missed = float(((low > 0) | (high < 0)).mean())
        assert missed == pytest.approx(1 - achieved)
        assert achieved >= confidence or interval_cut(n, confidence)[0] == 0


def test_five_blocks_cannot_have_95_percent() -> None:
    assert interval_cut(5, 0.95) == (0, 0.9375)
    assert interval_cut(6, 0.95) == (0, 0.96875)
    assert interval_cut(10, 0.95)[0] == 8
