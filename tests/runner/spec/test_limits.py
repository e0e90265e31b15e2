from __future__ import annotations

import math
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.jobs.job_file import render
from iogate.metrics import canonical_paths, metric
from iogate.model.spec import Comparison, Level, Limit
from iogate.spec.limits import parse_limit, relative_example
from iogate.spec.options.values import BadValueError
from support.specs import cases, place, problem, workloads


def limit(text: str, path: str = "write.clat.p99") -> Limit:
    return parse_limit(text, metric(path))


@pytest.mark.parametrize(
    ("path", "text", "value"),
    [
        ("write.clat.p99", "< 2ms", 2e6),
        ("write.clat.p99", "<2 ms", 2e6),
        ("write.clat.p99", "<= 1.5us", 1.5e3),
        ("write.clat.p99", "< 300ns", 300),
        ("write.clat.p99", "< 1s", 1e9),
        ("read.iops", ">= 180k", 180_000),
        ("read.iops", "> 1.2M", 1.2e6),
        ("read.iops", "> 500", 500),
        ("read.iops", "> 1e6", 1e6),
        ("write.clat.p99", "< 1.5E3us", 1.5e6),
        ("read.bw", "> 1MB/s", 1e6),
        ("read.bw", "> 1MiB/s", 2**20),
        ("read.bw", "> 2GiB/s", 2 * 2**30),
        ("read.bw", "> 2GB/s", 2e9),
        ("read.bw", "> 10B/s", 10),
        ("cpu.sys", "< 50%", 50),
        ("errors", "< 1", 1),
        ("ctx_per_io", "< 1.5", 1.5),
    ],
)
def test_an_absolute_limit_is_in_the_base_unit(path: str, text: str, value: float) -> None:
    found = limit(text, path)
    assert not found.relative
    assert math.isclose(found.value, value)


@pytest.mark.parametrize(
    ("path", "text", "comparison", "value"),
    [
        ("write.clat.p99", "vs baseline < +10%", Comparison.LESS, 0.10),
        ("write.clat.p99", "vs  baseline <= +2.5 %", Comparison.LESS_EQUAL, 0.025),
        ("write.iops", "vs baseline > -3%", Comparison.GREATER, -0.03),
        ("write.iops", "vs baseline > -99.9%", Comparison.GREATER, -0.999),
        ("write.clat.p99", "vs baseline < +150%", Comparison.LESS, 1.5),
    ],
)
def test_a_relative_limit_is_a_fraction(
    path: str, text: str, comparison: Comparison, value: float
) -> None:
    found = limit(text, path)
    assert found.relative
    assert found.comparison is comparison
    assert math.isclose(found.value, value)


@pytest.mark.parametrize(
    ("path", "text", "what", "remedy"),
    [
        ("write.clat.p99", "< 2", "unit is missing", "ns, us, ms or s"),
        ("write.clat.p99", "< 2MB/s", "does not fit", "ns, us, ms or s"),
        ("write.clat.p99", "< 2Ms", "does not fit", "ns, us, ms or s"),
        ("read.bw", "> 500", "unit is missing", "MiB/s"),
        ("read.bw", "> 500k", "does not fit", "MiB/s"),
        ("read.bw", "> 500Mb/s", "does not fit", "MiB/s"),
        ("read.iops", "> 180K", "does not fit", "thousands"),
        ("cpu.sys", "< 50", "unit is missing", "%"),
        ("read.iops", "> 1,000", "1,000 is no number", "write 1000"),
        ("read.iops", "> 1.000.000", "1.000.000 is no number", "write 1000000"),
        ("write.clat.p99", "< 1,5ms", "1,5 is no number", "write 1.5ms"),
        ("write.iops", "vs baseline > -2,5%", "2,5 is no number", "write -2.5%"),
        ("read.iops", "> 1e", "does not fit", "thousands"),
        ("read.iops.stdev", "180k", "not a limit", 'write "< 180k"'),
        ("write.clat.p99", "2ms", "not a limit", "< 2ms"),
        ("write.clat.p99", "< -2ms", "not a limit", "< 2ms"),
        ("write.clat.p99", "= 2ms", "not a limit", "< 2ms"),
        ("write.clat.p99", "> 2ms", "for being good", "< 2ms"),
        ("write.iops", "< 2k", "for being good", ">= 180k"),
        ("write.clat.p99", "vs baseline < -10%", "beats its baseline", "+10%"),
        ("write.iops", "vs baseline > +5%", "beats its baseline", "-5%"),
        ("write.clat.p99", "vs baseline > +10%", "for being good", "+10%"),
        ("write.clat.p99", "vs baseline < +0%", "noise", "+10%"),
        ("write.clat.p99", "vs baseline < 10%", "no sign", "+10%"),
        ("write.iops", "vs baseline > -100%", "can never be broken", "-5%"),
        ("write.iops", "vs baseline >= -150%", "can never be broken", "-5%"),
        ("write.clat.p99", "vs baseline < +2ms", "in %", "+10%"),
        ("errors", "vs baseline < +10%", "usually 0", "< 1"),
    ],
)
def test_what_makes_no_sense_is_said_with_what_would(
    path: str, text: str, what: str, remedy: str
) -> None:
    with pytest.raises(BadValueError) as caught:
        limit(text, path)
    assert what in caught.value.what
    assert remedy in caught.value.remedy


@pytest.mark.parametrize("path", canonical_paths())
def test_every_metric_has_limits_that_hold_for_good_values(path: str) -> None:
    measured = metric(path)
    if path not in ("errors", "kernel_errors"):  # usually 0, of which nothing is a percentage
        found = parse_limit(relative_example(measured), measured)
        assert found.comparison.better is measured.better


@given(st.sampled_from(canonical_paths()), st.text(max_size=40))
def test_any_text_is_a_limit_or_a_plain_error(path: str, text: str) -> None:
    found = None
    with suppress(BadValueError):
        found = limit(text, path)
    assert found is None or math.isfinite(found.value)


WORKLOAD = (
    "  w:\n"
    "    fio: {{ rw: {rw}, size: 1m }}\n"
    "    strategy: {{ matrix: {{ bs: [4k, 8k] }} }}\n"
    "    thresholds: {{ {thresholds} }}\n"
)


def judged(thresholds: str, rw: str = "randrw") -> list[list[str]]:
    """The limits of each of the two cases, bs=4k and bs=8k."""
    found = cases(WORKLOAD.format(rw=rw, thresholds=thresholds))
    return [[threshold.limit.text for threshold in case.thresholds] for case in found]


def wrong(thresholds: str, rw: str = "randrw") -> tuple[tuple[int, int], str, str]:
    error = problem(workloads(WORKLOAD.format(rw=rw, thresholds=thresholds)))
    return place(error), error.what, error.remedy


def test_a_threshold_is_a_text_a_list_or_a_mapping() -> None:
    text = "read.iops: '> 1', write.iops: ['> 2', {limit: '> 3', level: warn, confidence: 0.9}]"
    case = cases(WORKLOAD.format(rw="randrw", thresholds=text))[0]
    assert [threshold.limit.text for threshold in case.thresholds] == ["> 1", "> 2", "> 3"]
    assert case.thresholds[2].level is Level.WARN
    assert case.thresholds[2].confidence == 0.9
    assert case.thresholds[1].where is not None
    assert case.thresholds[1].where.line == 7


@pytest.mark.parametrize("value", ["4k", "4096", "4K", "4KiB"])
def test_when_selects_cases_by_what_values_mean(value: str) -> None:
    text = f"read.iops: ['> 1', {{limit: '> 2', when: {{bs: {value}}}}}]"
    assert judged(text) == [["> 1", "> 2"], ["> 1"]]


def test_when_may_name_a_fixed_option_by_an_alias() -> None:
    assert judged("read.iops: {limit: '> 2', when: {readwrite: randrw, blocksize: 8k}}") == [
        [],
        ["> 2"],
    ]


def test_when_that_selects_nothing_is_an_error() -> None:
    where, what, _ = wrong("read.iops: {limit: '> 2', when: {bs: 16k}}")
    assert where == (7, 38)
    assert "no case has bs: 16k" in what


@pytest.mark.parametrize(
    ("rw", "thresholds", "says"),
    [
        ("read", "write.clat.p99: '< 2ms'", "there is no write"),
        ("randwrite", "read.iops: '> 1'", "there is no read"),
        ("randrw", "trim.iops: '> 1'", "there is no trim"),
        ("write", "sync.lat.p99: '< 1s'", "there is no sync"),
        ("read", "jobs.w.write.iops: '> 1'", "there is no write"),
        ("read", "jobs.x.read.iops: '> 1'", "no job 'x'"),
        ("read", "read.slat.p99: '< 1ms'", "submission"),
        ("read", "read.clat.p100000: '< 1ms'", "no metric"),
        ("read", "read.clat.avg: '< 1ms'", "no metric"),
    ],
)
def test_a_threshold_on_what_cannot_exist_is_an_error(rw: str, thresholds: str, says: str) -> None:
    (line, _), what, remedy = wrong(thresholds, rw)
    assert line == 7
    assert says in what
    assert remedy


def test_a_threshold_holds_for_the_cases_that_have_its_metric() -> None:
    text = (
        "  w:\n    fio: { size: 1m }\n    strategy: { matrix: { rw: [read, write, randrw] } }\n"
        "    thresholds: { read.iops: '> 1', write.iops: '> 2' }\n"
    )
    limits = [[threshold.metric for threshold in case.thresholds] for case in cases(text)]
    assert limits == [["read.iops"], ["write.iops"], ["read.iops", "write.iops"]]


def test_reads_are_never_synced() -> None:
    text = "  w: { fio: { rw: read, size: 1m, fsync: 1 }, thresholds: { sync.iops: '> 1' } }\n"
    assert "there is no sync" in problem(workloads(text)).what


def test_a_sync_can_be_judged_where_there_are_syncs() -> None:
    text = "  w: { fio: { rw: write, size: 1m, fsync: 1 }, thresholds: { sync.lat.p99: '< 1s' } }\n"
    assert len(cases(text)[0].thresholds) == 1


def test_syncs_have_no_time_series_to_take_a_statistic_of() -> None:
    text = "  w: { fio: { rw: write, size: 1m, fsync: 2 }, thresholds: { sync.iops.p99: '> 1' } }\n"
    assert "no engine keeps a time series of syncs" in problem(workloads(text)).what


@pytest.mark.parametrize(
    ("path", "option"),
    [
        ("write.lat.p99", "lat_percentiles"),
        ("all.lat.p50", "lat_percentiles"),
        ("jobs.w.write.lat.p99.9", "lat_percentiles"),
        ("write.slat.p99", "slat_percentiles"),
    ],
)
def test_a_limit_on_a_percentile_asks_the_engine_for_its_histogram(path: str, option: str) -> None:
    """The case is the one that it was without the limit: its history goes on."""
    fio = "fio: { rw: write, size: 1m, ioengine: libaio }"
    (plain,) = cases(f"  w: {{ {fio} }}\n")
    (asked,) = cases(f"  w: {{ {fio}, thresholds: {{ {path}: '< 1s' }} }}\n")
    assert f"\n{option}=1\n" in render(asked)
    assert option not in render(plain)
    assert asked.id == plain.id


def test_moments_and_syncs_need_no_histogram_that_is_asked_for() -> None:
    text = (
        "  w: { fio: { rw: write, size: 1m, fsync: 1 },\n"
        "       thresholds: { sync.lat.p99: '< 1s', write.lat.mean: '< 1s' } }\n"
    )
    assert "lat_percentiles" not in render(cases(text)[0])


@pytest.mark.parametrize(
    ("path", "level"), [("write.lat.p99", "1s"), ("all.lat.p99", "1s"), ("mine", "9")]
)
def test_a_limit_on_a_percentile_that_the_spec_switched_off_is_an_error(
    path: str, level: str
) -> None:
    text = (
        "  w: { fio: { rw: write, size: 1m, lat_percentiles: 0 },\n"
        f"       thresholds: {{ {path}: '< {level}' }} }}\n"
        "metrics: { mine: { value: write.lat.p99 / write.clat.p99, unit: ratio, better: low } }\n"
    )
    found = problem(workloads(text))
    assert "with lat_percentiles=0 the engine keeps no histogram of it" in found.what


def test_switched_off_in_a_job_that_does_not_write_it_hurts_no_limit_on_writes() -> None:
    text = (
        "  w:\n    jobs: { a: { rw: write, size: 1m }, "
        "b: { rw: read, size: 1m, lat_percentiles: 0 } }\n"
        "    thresholds: { write.lat.p99: '< 1s' }\n"
    )
    assert render(cases(text)[0]).count("\nlat_percentiles=1\n") == 1
