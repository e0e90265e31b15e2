"""Enough I/Os for a quantile, or too thin."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from iogate.metrics.thin_quantiles import allowed_error, sampling_error, too_thin
from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import Latency, Measurement
from iogate.model.spec import Comparison, DefinedMetric, Limit
from iogate.model.units import Better, Unit
from support import samples as s


def limit(change: float) -> Limit:
    return Limit(Comparison.LESS, change, relative=True, text=f"vs baseline < {change:+.1%}")


def spread(ios: int) -> Latency:
    """From 50 to 150 µs, as many everywhere."""
    return replace(s.latency([100_000]), n=ios, histogram=histogram(range(50_000, 150_000, 10)))


def histogram(values: Iterable[int]) -> Histogram:
    """As the engine has it."""
    bins = Counter(sum(bucket_bounds_ns(value)) // 2 for value in values)
    return Histogram(dict(sorted(bins.items())))


def with_ios(read: int, write: int = 1) -> Measurement:
    return s.measurement(
        s.job("a", read=s.direction(clat=spread(read), intended_lat=spread(read // 2))),
        s.job("b", write=s.direction(clat=spread(write))),
    )


@pytest.mark.parametrize("q", [0.5, 0.9, 0.99])
def test_the_error_is_that_of_quantiles_drawn_again_and_again(q: float) -> None:
    rng = np.random.default_rng(1)
    drawn = np.exp(rng.normal(math.log(1e5), 0.4, (400, 4000)))
    quantiles = np.quantile(drawn, q, axis=1)
    seen = [
        replace(s.latency([1]), n=4000, histogram=histogram(run))
        for run in drawn[:40].astype(int).tolist()
    ]
    told = float(np.median([sampling_error(each, q) for each in seen]))
    assert told == pytest.approx(quantiles.std() / quantiles.mean(), rel=0.25)


def test_a_quarter_of_the_limit_is_allowed() -> None:
    assert allowed_error(limit(0.1)) == pytest.approx(0.025)
    runs = [with_ios(400)]  # the median of 400: 0.5 / 20 of the width of 100 µs
    assert too_thin("read.clat.p50", runs, limit(0.09)) == pytest.approx(0.025, rel=0.05)
    assert too_thin("read.clat.p50", runs, limit(0.11)) is None
    assert too_thin("read.clat.p50", runs, limit(-0.11)) is None


def test_the_median_of_45_ios_may_decide_what_is_far_away() -> None:
    assert too_thin("read.clat.p50", [with_ios(45)], limit(1.0)) is None
    assert too_thin("read.clat.p50", [with_ios(45)], limit(0.05)) is not None


def test_many_ios_do_not_decide_what_is_very_near() -> None:
    assert too_thin("read.clat.p99", [with_ios(100_000)], limit(0.0005)) is not None
    assert too_thin("read.clat.p99", [with_ios(100_000)], limit(0.01)) is None


def test_a_quantile_past_the_last_io_is_not_known_at_all() -> None:
    assert too_thin("read.clat.p99.9", [with_ios(100)], limit(5.0)) == math.inf


def test_the_median_run_counts_and_one_that_stalled_does_not() -> None:
    runs = with_ios(20_000), with_ios(40), with_ios(30_000)
    assert too_thin("read.clat.p50", runs, limit(0.1)) is None
    assert too_thin("read.clat.p50", [*runs, with_ios(50), with_ios(60)], limit(0.1)) is not None


@pytest.mark.parametrize("path", ["read.iops", "read.clat.mean", "read.iops.p99"])
def test_what_is_no_quantile_is_never_thin(path: str) -> None:
    assert too_thin(path, [with_ios(2)], limit(0.01)) is None


def test_nothing_measured_is_not_thin() -> None:
    assert too_thin("read.clat.p99", (), limit(0.01)) is None


@pytest.mark.parametrize(
    "path", ["jobs.b.write.clat.p50", "read.tail", "jobs.a.read.tail", "all.tail", "mine"]
)
def test_a_metric_is_as_thin_as_its_thinnest_part(path: str) -> None:
    expression = "read.clat.p50 / write.clat.p50"
    own = (DefinedMetric("mine", expression, Unit.RATIO, Better.LOW),)
    assert too_thin(path, [with_ios(60, 10)], limit(0.1), own) is not None
    assert too_thin(path, [with_ios(60_000, 60_000)], limit(0.1), own) is None


@pytest.mark.parametrize(("ios", "is_thin"), [(99_000, True), (100_001, False)])
def test_without_a_histogram_a_thousand_ios_beyond_it_are_needed(ios: int, is_thin: bool) -> None:
    bare = replace(s.latency([100, 200], histogram=False), n=ios)
    run = s.measurement(s.job("a", read=s.direction(clat=bare)))
    assert (too_thin("read.clat.p99", [run], limit(0.1)) is not None) == is_thin
