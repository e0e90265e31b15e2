"""A step that two nights tell."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.stats.sudden import may_be_sudden, sudden_change


def series(*last: float, spikes: float = 0.0) -> list[float]:
    """A hundred nights around 100 with a standard deviation of 1, and then the last."""
    values = 100 + np.random.default_rng(7).standard_normal(100)
    values[60] += spikes
    return [*values.tolist(), *last]


@pytest.mark.parametrize("last", [(85.0, 86.0), (115.0, 130.0), (88.0, 87.0, 88.5)])
def test_a_large_step_is_told_after_two_nights_and_a_smaller_after_three(
    last: tuple[float, ...],
) -> None:
    assert sudden_change(series(*last)) == 100


@pytest.mark.parametrize(
    "last",
    [(85.0,), (85.0, 100.0), (100.0, 85.0), (85.0, 115.0), (95.0, 95.0), (92.0, 92.0)],
    ids=["one night", "and back", "one new", "two sides", "five sd", "eight sd, two nights"],
)
def test_what_may_be_a_spike_is_none(last: tuple[float, ...]) -> None:
    assert sudden_change(series(*last)) is None


def test_what_went_as_far_before_is_no_news() -> None:
    assert sudden_change(series(115.0, 115.0, spikes=14)) is None
    assert sudden_change(series(85.0, 85.0, spikes=14)) == 100


def test_a_short_series_tells_nothing() -> None:
    assert sudden_change([100.0] * 10 + [50.0, 50.0]) is None
    assert sudden_change([]) is None


def test_a_series_without_noise() -> None:
    assert sudden_change([100.0] * 30) is None
    assert sudden_change([100.0] * 30 + [101.0] * 2) == 30


@pytest.mark.parametrize("new", [14, 11])
def test_counts_that_mostly_stay_are_not_without_noise(new: int) -> None:
    """Most neighbours are equal there, and a step by one more is no ten of anything."""
    counts = [12] * 9 + [13] + [12] * 7 + [13] + [12] * 12
    assert sudden_change([*counts, new, new]) is None
    assert sudden_change([*counts, new + 20, new + 20]) == len(counts)


@settings(max_examples=200, deadline=None)
@given(
    last=st.lists(st.floats(-1e3, 1e3), min_size=0, max_size=4),
    scale=st.sampled_from([-2.0, 1e-6, 1e9]),
)
def test_the_unit_does_not_matter_and_the_quick_look_misses_none(
    last: list[float], scale: float
) -> None:
    values = series(*last)
    found = sudden_change(values)
    assert sudden_change([value * scale for value in values]) == found
    assert found is None or may_be_sudden(values)
