"""Metrics made of others."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from iogate.metrics import is_always_kept, kept_metrics, metric
from iogate.model.measurement import Interval, JobMeasurement, Series
from support import samples as s


def value(path: str, *jobs: JobMeasurement) -> float | None:
    return metric(path).extract(s.measurement(*jobs))


def reading(ios: Sequence[int], interval_ms: int = 100, name: str = "job") -> JobMeasurement:
    return s.job(name, series=s.series(ios, interval_ms=interval_ms), read=s.direction())


def test_iops_per_core_is_what_one_busy_core_does() -> None:
    half_a_core = s.job(usr=20.0, sys=30.0, write=s.direction(ios=1000))  # in one second
    assert value("iops_per_core", half_a_core) == pytest.approx(2000)
    assert value("iops_per_core", s.job(usr=0, sys=0, write=s.direction())) is None
    assert value("iops_per_core", s.job()) is None


def test_tail_is_the_99th_percentile_to_the_median() -> None:
    latency = s.latency([100] * 98 + [1000] * 2)
    job = s.job(write=s.direction(clat=latency))
    p99, p50 = value("write.clat.p99", job), value("write.clat.p50", job)
    assert p99 is not None
    assert p50 is not None
    assert value("write.tail", job) == pytest.approx(p99 / p50)
    assert value("all.tail", job) == value("write.tail", job)
    assert value("read.tail", job) is None
    without = s.job(write=s.direction(clat=s.latency([100, 200], histogram=False)))
    assert value("write.tail", without) is None


def test_stalls_are_the_share_of_100_ms_without_a_completion() -> None:
    assert value("read.stalls", reading([5, 0, 5, 0, 0, 5, 5, 5, 5, 5])) == pytest.approx(30)
    assert value("read.stalls", reading([5, 5])) == 0
    assert value("write.stalls", reading([5, 0])) is None


def test_finer_intervals_are_seen_as_100_ms() -> None:
    assert value("read.stalls", reading([0, 5, 0, 0, 5, 5, 0, 5], 50)) == pytest.approx(25)


def test_coarser_intervals_say_nothing_of_stalls() -> None:
    assert value("read.stalls", reading([5, 0, 5], 200)) is None
    assert value("read.stalls", s.job(read=s.direction())) is None
    assert value("read.stalls", reading([5, 0]), reading([5, 0], 1000)) is None


def test_one_job_that_goes_on_is_no_stall() -> None:
    one, other = reading([0, 5, 0, 0], name="a"), reading([5, 0, 0, 5], name="b")
    assert value("read.stalls", one, other) == pytest.approx(25)
    assert value("jobs.a.read.stalls", one, other) == pytest.approx(75)


def test_an_interval_that_was_sampled_late_hides_no_stall_and_makes_none() -> None:
    ends = [101, 199, 300, 520, 601]
    ios = [5, 0, 5, 5, 5]
    intervals = (Interval(e, {"read": n}, {"read": n}) for e, n in zip(ends, ios, strict=True))
    job = s.job(series=Series(100, tuple(intervals)), read=s.direction())
    assert value("read.stalls", job) == pytest.approx(20)


@pytest.mark.parametrize(
    "ios", [[100, 110, 120, 130, 140, 150, 160], [160, 150, 140, 130, 120, 110, 100]]
)
def test_slope_is_in_percent_of_the_mean_a_minute_either_way(ios: list[int]) -> None:
    # 10 a second of 130 a second on average: 7.7 % a second
    assert value("read.slope", reading(ios, 1000)) == pytest.approx(100 * 10 / 130 * 60)
    assert value("read.slope", reading([n // 10 for n in ios], 100)) == pytest.approx(
        100 * 10 / 130 * 60 * 10
    )


def test_slope_of_a_level_is_zero_and_of_too_little_none() -> None:
    assert value("read.slope", reading([7] * 10, 1000)) == pytest.approx(0)
    assert value("read.slope", reading([7] * 4, 1000)) is None
    assert value("read.slope", reading([0] * 10, 1000)) is None
    assert value("read.slope", s.job(read=s.direction())) is None


def test_they_are_kept_as_numbers_where_they_have_a_value() -> None:
    job = s.job(
        series=s.series([5] * 10, interval_ms=100), read=s.direction(clat=s.latency([100, 200]))
    )
    kept = kept_metrics([s.measurement(job)])
    assert {"read.tail", "read.stalls", "read.slope", "iops_per_core"} <= set(kept)
    assert all(is_always_kept(path) for path in kept)
    assert len(kept) == len(set(kept))
    assert not is_always_kept("read.clat.p99.99")
    assert not is_always_kept("jobs.a.read.iops")
