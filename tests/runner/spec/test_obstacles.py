"""A limit that can never have a value is an error: it would never fail."""

from __future__ import annotations

import pytest

from support.specs import cases, place, problem, workloads

WORKLOAD = "  w:\n    fio: {{ size: 1m, {} }}\n    thresholds: {{ {}: '{}' }}\n"
LONG = "time_based: true, runtime: 60s"


def limited(options: str, metric: str, limit: str = "< 10ms") -> str:
    return WORKLOAD.format(options, metric, limit)


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ("rw: randread", "read.intended_lat.p99"),
        ("rw: randread, rate_iops: 0", "all.intended_lat.p99"),
        ("rw: randrw, rate_iops: ',300'", "read.intended_lat.mean"),
        ("rw: randrw, rate: '1m,0'", "jobs.w.write.intended_lat.p50"),
    ],
)
def test_without_a_rate_no_io_is_due(options: str, metric: str) -> None:
    error = problem(workloads(limited(options, metric)))
    assert error.what.startswith(f"{metric} cannot exist: no job has a rate for ")
    assert "rate_iops" in error.remedy
    assert place(error)[0] == 6


@pytest.mark.parametrize(
    ("options", "metric"),
    [
        ("rw: randread, rate_iops: 700", "read.intended_lat.p99"),
        ("rw: randrw, rate_iops: ',300'", "write.intended_lat.p99"),
        ("rw: randrw, rate: '1m,0'", "all.intended_lat.p99"),
        ("rw: randtrim, rate: '0,1m'", "trim.intended_lat.p99"),
    ],
)
def test_with_a_rate_for_its_direction_it_may_have_one(options: str, metric: str) -> None:
    (case,) = cases(limited(options, metric))
    assert [limit.metric for limit in case.thresholds] == [metric]


def test_cases_with_a_rate_are_judged_among_others_without() -> None:
    text = limited("rw: randread", "read.intended_lat.p99")
    matrix = "    strategy: { matrix: { rate_iops: [0, 700] } }\n"
    assert [len(case.thresholds) for case in cases(text + matrix)] == [0, 1]


def test_stalls_are_not_seen_in_a_long_run() -> None:
    error = problem(workloads(limited(LONG, "read.stalls", "< 1%")))
    assert error.what.startswith("read.stalls cannot exist: in a run of more than 40s")
    assert "runtime" in error.remedy
    assert place(error)[0] == 6


@pytest.mark.parametrize(
    "options",
    [
        "time_based: true, runtime: 40s",
        "runtime: 60s",
        f"{LONG}, number_ios: 100",
        "rw: read",
        f"{LONG}, steadystate: 'iops:5%', ss_dur: 3s",
        f"{LONG}, latency_target: 1ms",
    ],
)
def test_stalls_are_seen_in_a_run_that_is_short_or_may_be(options: str) -> None:
    (case,) = cases(limited(options, "read.stalls", "< 1%"))
    assert len(case.thresholds) == 1
