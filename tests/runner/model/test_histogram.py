"""Histograms: buckets that tile the line, quantiles that stay inside them."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from iogate.model.histogram import Histogram, bucket_bounds_ns

VALUE = st.integers(0, 2**50)
BINS = st.dictionaries(VALUE, st.integers(1, 10**6), min_size=1, max_size=20).map(
    lambda bins: Histogram(dict(sorted(bins.items())))
)


@given(VALUE)
def test_buckets_tile_the_line_and_are_narrow(value: int) -> None:
    low, high = bucket_bounds_ns(value)
    assert low <= value < high
    assert bucket_bounds_ns(low) == bucket_bounds_ns(high - 1) == (low, high)
    assert bucket_bounds_ns(high)[0] == high
    assert high - low == 1 or (high - low) * 64 <= low


@given(BINS, st.floats(0, 1), st.floats(0, 1))
def test_quantiles_rise_and_stay_in_a_bucket(histogram: Histogram, a: float, b: float) -> None:
    low, high = (histogram.quantile_ns(q) for q in sorted((a, b)))
    assert low <= high or bucket_bounds_ns(int(low)) == bucket_bounds_ns(int(high))
    assert histogram.quantile_ns(0) >= bucket_bounds_ns(min(histogram.bins))[0]
    assert histogram.quantile_ns(1) <= bucket_bounds_ns(max(histogram.bins))[1]


@given(st.lists(BINS, max_size=4))
def test_merging_loses_no_count(parts: list[Histogram]) -> None:
    whole = Histogram.merged(parts)
    assert whole.count == sum(part.count for part in parts)
    assert list(whole.bins) == sorted(whole.bins)
    assert Histogram.merged(reversed(parts)) == whole


def test_an_empty_histogram_has_no_quantile() -> None:
    assert math.isnan(Histogram().quantile_ns(0.5))
