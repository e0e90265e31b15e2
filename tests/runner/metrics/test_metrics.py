"""Metrics: the grammar of their paths, and what each takes from a measurement."""

from __future__ import annotations

import statistics
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import UsageError
from iogate.metrics import TABLE, canonical_paths, default_metrics, metric
from iogate.metrics.reference import markdown
from iogate.model.histogram import Histogram, bucket_bounds_ns
from iogate.model.measurement import JobMeasurement, Latency
from iogate.model.units import Better, Unit
from support import samples as s


def value(path: str, *jobs: JobMeasurement) -> float | None:
    return metric(path).extract(s.measurement(*jobs))


@pytest.mark.parametrize("path", canonical_paths())
def test_every_path_of_the_table_is_a_metric(path: str) -> None:
    found = metric(path)
    assert found.path == path
    assert found.help
    everything = s.direction(clat=s.latency([1, 2]), lat=s.latency([2, 3]))
    job = s.job(read=everything, write=everything, trim=everything, sync=everything)
    extracted = found.extract(s.measurement(job))
    assert extracted is None or extracted >= 0


@pytest.mark.parametrize(
    ("path", "unit", "better"),
    [
        ("write.clat.p99", Unit.NANOSECONDS, Better.LOW),
        ("read.bw", Unit.BYTES_PER_SECOND, Better.HIGH),
        ("all.iops", Unit.PER_SECOND, Better.HIGH),
        ("all.iops.stdev", Unit.PER_SECOND, Better.LOW),
        ("cpu.sys", Unit.PERCENT, Better.LOW),
        ("errors", Unit.COUNT, Better.LOW),
        ("sync.lat.p99.999", Unit.NANOSECONDS, Better.LOW),
        ("jobs.bg.writer.write.iops", Unit.PER_SECOND, Better.HIGH),
    ],
)
def test_unit_and_direction(path: str, unit: Unit, better: Better) -> None:
    assert (metric(path).unit, metric(path).better) == (unit, better)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("write.clat.p999", "write.clat.p99.9"),
        ("write.latency.p99", "write.lat.p99"),
        ("intended_lat.p99", "read.intended_lat.p99"),
        ("read.intended.p99", "read.intended_lat.p99"),
        ("iops", "read.iops"),
        ("write.clta.p99", "write.clat.p99"),
        ("read.bandwidth", "read.bw"),
        ("Read.IOPS", "read.iops"),
        ("sync.clat.p99", "sync.lat.p99"),
        ("cpu.user", "cpu.usr"),
        ("jobs.log.write.iop", "jobs.log.write.iops"),
        ("jobs.read.iops", "jobs.read.read.iops"),
        ("zzz", "DIR.NAME[.STAT]"),
    ],
)
def test_an_unknown_path_gets_a_suggestion(wrong: str, right: str) -> None:
    with pytest.raises(UsageError, match="no metric is named") as refused:
        metric(wrong)
    assert right in refused.value.remedy


@pytest.mark.parametrize(
    "wrong",
    ["", ".", "write", "write.", "write.clat.", "write.clat.p", "write.clat.p100.1",
     "write.clat.p101", "write.clat.p9.", "write.clat.p٩٩", "cpu", "cpu.usr.mean", "sync.bw",
     "errors.mean", "jobs.", "jobs.x", "jobs..write.iops", "write.iops ", "write.iops\n"],
)  # fmt: skip
def test_what_is_not_in_the_grammar_is_refused(wrong: str) -> None:
    with pytest.raises(UsageError):
        metric(wrong)


@given(st.text() | st.lists(st.sampled_from(["jobs", "write", "clat", "p99", "9", ""])).map(
    ".".join
))  # fmt: skip
def test_any_text_is_a_metric_or_a_usage_error(path: str) -> None:
    try:
        assert metric(path).path == path
    except UsageError as error:
        assert error.remedy  # noqa: PT017


def test_a_job_is_picked_by_its_name() -> None:
    jobs = [
        s.job("log", write=s.direction(ios=10)),
        s.job("data", write=s.direction(ios=30)),
        s.job("a.b", write=s.direction(ios=5)),
        s.job("data", write=s.direction(ios=2)),
    ]
    assert value("write.iops", *jobs) == 47
    assert value("jobs.log.write.iops", *jobs) == 10
    assert value("jobs.data.write.iops", *jobs) == 32
    assert value("jobs.a.b.write.iops", *jobs) == 5
    assert value("jobs.nobody.write.iops", *jobs) is None
    assert value("jobs.nobody.errors", *jobs) is None


def test_all_is_read_write_and_trim_but_no_sync() -> None:
    job = s.job(
        read=s.direction(ios=1, lat=s.latency([10])),
        write=s.direction(ios=2, lat=s.latency([20])),
        trim=s.direction(ios=4, lat=s.latency([60])),
        sync=s.direction(ios=8, block=0, lat=s.latency([9000])),
    )
    assert value("all.iops", job) == 7
    assert value("all.bw", job) == 7 * 4096
    assert value("all.lat.max", job) == 60
    assert value("all.lat", job) == 30
    assert value("sync.lat.max", job) == 9000
    assert value("sync.iops", job) == 8


def test_a_direction_without_io_has_no_value() -> None:
    idle = s.job(read=s.direction(ios=0, clat=Latency(0, 0, 0, 0, 0)), write=s.direction())
    for path in ("read.iops", "read.bw", "read.clat.p99", "trim.iops", "write.clat.mean"):
        assert value(path, idle) is None


def test_latency_from_the_intended_start_is_of_jobs_with_a_rate() -> None:
    """A stall that clat knows from one I/O of 100 is in a tenth of what was due."""
    clat = s.latency([100] * 99 + [10_000])
    late = s.latency([100] * 90 + [1_000 * n for n in range(1, 11)])
    paced = s.job("paced", read=s.direction(clat=clat, intended_lat=late))
    free = s.job("free", read=s.direction(clat=clat))
    assert value("read.intended_lat.p50", paced) == pytest.approx(100, abs=1)
    assert value("read.intended_lat.p95", paced) == pytest.approx(5_000, rel=1 / 64)
    assert value("read.intended_lat", paced) == late.mean_ns
    assert value("jobs.paced.read.intended_lat.max", paced, free) == 10_000
    assert value("jobs.free.read.intended_lat.p99", paced, free) is None
    shown = default_metrics([s.measurement(paced)])
    assert "read.intended_lat.p99" in shown
    assert not any("intended" in path for path in default_metrics([s.measurement(free)]))


def test_percentiles_need_a_histogram_from_every_job() -> None:
    with_bins, without = s.latency([100, 200]), s.latency([100, 200], histogram=False)
    assert value("write.clat.p99", s.job(write=s.direction(clat=without))) is None
    assert value("write.clat.mean", s.job(write=s.direction(clat=without))) == 150
    both = s.job(write=s.direction(clat=with_bins)), s.job(write=s.direction(clat=without))
    assert value("write.clat.p99", *both) is None
    assert value("write.clat.max", *both) == 200


def test_a_job_without_a_sample_says_nothing_of_the_others() -> None:
    lat = s.latency([200, 300, 400])
    none = Latency(0, 0, 0, 0.0, 0.0, lat.histogram)
    jobs = [s.job(read=s.direction(clat=part)) for part in (lat, lat, none)]
    assert value("read.clat.min", *jobs) == 200
    assert value("read.clat.mean", *jobs) == 300
    assert value("read.clat.mean", jobs[2]) is None


def test_a_percentile_stays_within_what_was_seen() -> None:
    wide = Latency(2, 1_000_003, 1_000_005, 1_000_004, 1.4, Histogram({1_000_004: 2}))
    job = s.job(read=s.direction(clat=wide))
    low, high = bucket_bounds_ns(1_000_004)
    assert low < 1_000_003
    assert high > 1_000_005
    for percentile in ("p0", "p1", "p50", "p99.999", "p100"):
        found = value(f"read.clat.{percentile}", job)
        assert found is not None
        assert 1_000_003 <= found <= 1_000_005


SMALL_NS = st.lists(st.integers(0, 120), min_size=1, max_size=30)


@given(st.lists(SMALL_NS, min_size=1, max_size=4))
def test_jobs_merged_are_as_one_job_with_all_samples(parts: list[list[int]]) -> None:
    jobs = [s.job(write=s.direction(clat=s.latency(part))) for part in parts]
    whole = [value for part in parts for value in part]
    one = s.job(write=s.direction(clat=s.latency(whole)))
    for stat in ("mean", "min", "max", "stdev"):
        assert value(f"write.clat.{stat}", *jobs) == pytest.approx(
            value(f"write.clat.{stat}", one), abs=1e-6
        )
    for percentile in ("p1", "p50", "p90", "p99.9"):
        path = f"write.clat.{percentile}"
        assert value(path, *jobs) == value(path, one)


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=200))
def test_percentiles_are_within_a_bucket_of_the_exact_ones(values: list[int]) -> None:
    middles = [sum(bucket_bounds_ns(v)) // 2 for v in values]
    bins = {middle: middles.count(middle) for middle in sorted(set(middles))}
    clat = Latency(len(values), min(values), max(values), 1.0, 0.0, Histogram(bins))
    job = s.job(read=s.direction(clat=clat))
    for percent in (10, 50, 99):
        found = value(f"read.clat.p{percent}", job)
        exact = sorted(values)[max(-(-percent * len(values) // 100) - 1, 0)]
        assert found is not None
        assert abs(found - exact) <= exact / 64 + 1


@pytest.mark.parametrize("interval_ms", [0, -1])
def test_a_series_of_intervals_without_length_has_no_rates(interval_ms: int) -> None:
    """An engine may be anybody's, and so may a kept run."""
    series = replace(s.series([10, 20]), interval_ms=interval_ms)
    job = s.job(series=series, read=s.direction(ios=30))
    assert value("read.iops.max", job) is None


def test_statistics_of_rates_are_over_the_time_series() -> None:
    job = s.job(series=s.series([10, 20, 60]), read=s.direction(ios=90))
    assert value("read.iops", job) == 90
    assert value("read.iops.min", job) == 10
    assert value("read.iops.max", job) == 60
    assert value("read.iops.p50", job) == 20
    assert value("read.iops.p25", job) == 15
    assert value("read.iops.p100", job) == 60
    assert value("read.iops.stdev", job) == pytest.approx(statistics.stdev([10, 20, 60]))
    assert value("read.bw.min", job) == 10 * 4096
    other = s.job(series=s.series([1, 1, 1]), read=s.direction(ios=3))
    assert value("read.iops.max", job, other) == 61
    assert value("read.iops.max", job, s.job(read=s.direction())) is None
    assert value("read.iops.max", job, s.job(write=s.direction())) == 60


@pytest.mark.parametrize("stat", ["min", "max", "stdev", "p50", "p99"])
def test_syncs_that_no_series_counts_have_no_rate_of_0(stat: str) -> None:
    job = s.job(
        write=s.direction(),
        sync=s.direction(lat=s.latency([9000])),
        series=s.series([3, 4], name="write"),
    )
    assert value(f"sync.iops.{stat}", job) is None
    assert value(f"write.iops.{stat}", job) is not None


def test_a_short_last_interval_says_nothing() -> None:
    whole = s.series([10, 10])
    intervals = (*whole.intervals, type(whole.intervals[0])(2100, {"read": 9}, {"read": 9}))
    job = s.job(series=type(whole)(1000, intervals), read=s.direction())
    assert value("read.iops.max", job) == 10


def test_what_the_io_cost() -> None:
    jobs = [
        s.job(usr=10, sys=30, read=s.direction(ios=1000)),
        s.job(usr=40, sys=0, runtime_ns=3 * s.SECOND_NS, write=s.direction(ios=600)),
    ]
    assert value("cpu.usr", *jobs) == pytest.approx((10 + 3 * 40) / 4)
    assert value("cpu.sys", *jobs) == pytest.approx(30 / 4)
    assert value("cpu_per_io", *jobs) == pytest.approx((0.4e9 + 1.2e9) / 1600)
    assert value("ctx_per_io", *jobs) == pytest.approx(1000 / 1600)
    idle = s.job(runtime_ns=0)
    for path in ("cpu.usr", "cpu_per_io", "ctx_per_io", "runtime"):
        assert value(path, idle) is None


def test_errors_are_counted() -> None:
    assert value("errors", s.job()) == 0
    assert value("errors", s.job(error=5)) == 1
    assert value("errors", s.job(error=5, errors={"EIO": 3, "ENOSPC": 1}), s.job(error=28)) == 5


def test_runtime_is_that_of_the_longest_job() -> None:
    assert value("runtime", s.job(read=s.direction())) == s.SECOND_NS
    assert value("runtime", s.job(runtime_ns=7)) == 7


def test_defaults_follow_what_was_measured() -> None:
    clat = s.latency([100, 200])
    one = s.measurement(s.job(write=s.direction(clat=clat)))
    found = default_metrics([one])
    assert "write.clat.p99" in found
    assert not any(path.startswith(("read", "jobs", "sync")) for path in found)
    two = s.measurement(
        s.job("log", sync=s.direction(lat=clat), write=s.direction()),
        s.job("data", read=s.direction(clat=clat)),
    )
    found = default_metrics([two])
    assert {"sync.lat.p99", "jobs.log.write.iops", "jobs.data.read.clat.p99"} <= set(found)
    assert "jobs.log.read.iops" not in found
    assert len(set(found)) == len(found)
    assert default_metrics([]) == ()


def test_the_reference_names_every_row() -> None:
    page = markdown()
    assert all(f"{row.name}" in page and row.help in page for row in TABLE)
    assert len({row.name for row in TABLE}) == len(TABLE)
