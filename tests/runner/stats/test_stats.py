"""Statistics: exact where they can be, and properties that must always hold."""

from __future__ import annotations

import math
import statistics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.stats.bootstrap import ratio_interval
from iogate.stats.compare import relative_change
from iogate.stats.robust import mad, median

POSITIVE = st.lists(st.floats(0.1, 1e9), min_size=1, max_size=8)
RUNS = st.lists(POSITIVE, min_size=1, max_size=5)
FEW = 300


@given(st.lists(st.floats(-1e300, 1e300), min_size=1))
def test_median_is_the_middle(values: list[float]) -> None:
    found = median(values)
    assert found == pytest.approx(statistics.median(values), rel=1e-12, abs=1e-300)
    assert sum(value <= found for value in values) * 2 >= len(values)
    assert sum(value >= found for value in values) * 2 >= len(values)


@pytest.mark.parametrize("values", [[], [1.0, math.nan]])
def test_median_of_nothing_or_nan_is_refused(values: list[float]) -> None:
    with pytest.raises(ValueError, match="at least one number"):
        median(values)


def test_numbers_at_the_end_of_the_range_do_not_overflow() -> None:
    assert median([1.7e308, 1.7e308]) == 1.7e308
    assert median([1.6e308, 1.7e308]) == pytest.approx(1.65e308)


def test_mad_ignores_an_outlier() -> None:
    assert mad([1, 2, 3, 4, 5]) == 1
    assert mad([1, 2, 3, 4, 5e9]) == 1
    assert mad([7]) == 0
    assert mad([7, 7, 7, 1]) == 0


@settings(deadline=None, max_examples=60)
@given(POSITIVE, RUNS, st.floats(0.01, 100))
def test_interval_of_a_ratio_scales_with_the_candidate(
    candidate: list[float], runs: list[list[float]], scale: float
) -> None:
    plain = ratio_interval(candidate, runs, confidence=0.9, resamples=FEW)
    scaled = ratio_interval([v * scale for v in candidate], runs, confidence=0.9, resamples=FEW)
    assert scaled == pytest.approx([end * scale for end in plain], rel=1e-9)
    flat = [value for run in runs for value in run]
    assert plain[0] >= min(candidate) / max(flat) * (1 - 1e-12)
    assert plain[1] <= max(candidate) / min(flat) * (1 + 1e-12)


@settings(deadline=None, max_examples=40)
@given(POSITIVE, RUNS)
def test_more_confidence_is_a_wider_interval(
    candidate: list[float], runs: list[list[float]]
) -> None:
    narrow = ratio_interval(candidate, runs, confidence=0.5, resamples=FEW)
    wide = ratio_interval(candidate, runs, confidence=0.99, resamples=FEW)
    assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_the_same_seed_is_the_same_interval() -> None:
    arguments = [1.0, 2.0, 4.0, 9.0, 3.0], [[1.0, 2.0, 2.5, 7.0], [3.0, 4.0]]
    first = ratio_interval(*arguments, confidence=0.8, seed=3, resamples=FEW)
    assert ratio_interval(*arguments, confidence=0.8, seed=3, resamples=FEW) == first


def test_equal_values_have_no_spread() -> None:
    assert ratio_interval([3, 3, 3], [[2, 2], [2]], confidence=0.95) == (1.5, 1.5)


def test_runs_that_differ_widen_the_interval_more_than_repetitions_that_do() -> None:
    values = [float(value) for value in range(90, 110)]
    by_run = [values[:5], values[5:10], values[10:15], values[15:]]
    mixed = [values[start::4] for start in range(4)]
    apart = ratio_interval([100.0] * 3, by_run, confidence=0.95)
    alike = ratio_interval([100.0] * 3, mixed, confidence=0.95)
    assert apart[1] - apart[0] > alike[1] - alike[0]


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 2.0])
def test_a_confidence_lies_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        ratio_interval([1.0, 2.0], [[1.0]], confidence=confidence, resamples=10)


def test_the_interval_covers_the_truth_about_as_often_as_it_says() -> None:
    generator = np.random.default_rng(7)
    covered = 0
    for _ in range(200):
        candidate = generator.normal(110, 3, 15).tolist()
        runs = [generator.normal(100, 3, 5).tolist() for _ in range(4)]
        low, high = ratio_interval(candidate, runs, confidence=0.9, resamples=FEW)
        covered += low <= 1.1 <= high
    assert 160 <= covered <= 200


@pytest.mark.parametrize(
    ("candidate", "runs", "estimate"),
    [
        ([110.0, 110.0], [[100.0], [100.0]], 0.1),
        ([0.0, 0.0], [[0.0, 0.0]], 0.0),
        ([1.0, 1.0], [[0.0, 0.0]], math.inf),
        ([0.0, 0.0], [[2.0, 2.0]], -1.0),
    ],
)
def test_change(candidate: list[float], runs: list[list[float]], estimate: float) -> None:
    change = relative_change(candidate, runs, confidence=0.95)
    assert change.estimate == pytest.approx(estimate)
    assert (change.low, change.high) == pytest.approx((estimate, estimate))


def test_a_change_that_cannot_be_says_why() -> None:
    assert "negative" in relative_change([-1.0, 1.0], [[1.0, 1.0]], confidence=0.95).why
    assert "one repetition" in relative_change([1.0], [[1.0, 1.0]], confidence=0.95).why
