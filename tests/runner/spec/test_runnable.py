"""What could never run, or never be met, is told before anything runs."""

from __future__ import annotations

import pytest

from support.specs import fio, plan_of, problem, workloads


@pytest.mark.parametrize(
    ("options", "says", "at"),
    [
        ("size: 1m, numjobs: 0", "numjobs is at least 1, not 0", "0"),
        ("size: 1m, iodepth: 0", "iodepth is at least 1, not 0", "0"),
        ("size: 1m, bs: '4k,0'", "bs is at least 1, not 4k,0", "'4k"),
        ("size: 1m, rwmixread: 101", "rwmixread is at most 100, not 101", "101"),
        ("size: 1m, time_based: 1, runtime: 0", "time_based, and its runtime is 0", "runtime"),
        ("size: 1m, time_based: 1, runtime: 0ms", "time_based, and its runtime is 0", "runtime"),
        ("size: 1m, time_based: 1", "is time_based, and it has no runtime", "time_based"),
        ("rw: read", "has no size", "{ rw"),
        ("rw: read, size: 0k, fill_device: 0", "has no size", "{ rw"),
    ],
)
def test_a_job_that_cannot_run(options: str, says: str, at: str) -> None:
    text = fio(options)
    error = problem(text)
    assert says in error.what
    assert error.remedy or "at most" in error.what
    assert error.where is not None
    if at != "{ rw":
        assert text.splitlines()[3][error.where.column - 1 :].startswith(at)


def test_a_runtime_of_the_matrix_is_one() -> None:
    of_matrix = "    strategy: { matrix: { runtime: [%s] } }\n"
    text = "  w:\n    fio: { size: 1m, time_based: 1 }\n" + of_matrix
    assert len(plan_of(workloads(text % "1s, 2s")).cases) == 2
    assert "its runtime is 0" in problem(workloads(text % "1s, 0")).what
    (case,) = plan_of(fio("size: 1m, time_based: 1, runtime: 0"), overrides=["runtime=1s"]).cases
    assert case.jobs[0].options["runtime"] == "1s"


@pytest.mark.parametrize("limit", ["errors: '< 0'", "cpu.usr: '< 0%'", "read.lat.p99: '< 0ms'"])
def test_a_limit_that_nothing_can_keep(limit: str) -> None:
    text = "  w:\n    fio: {{ size: 1m }}\n    thresholds: {{ {} }}\n"
    error = problem(workloads(text.format(limit)))
    assert "can never be kept" in error.what
    assert error.remedy.startswith('write "<= 0')
    (case,) = plan_of(workloads(text.format(limit.replace("<", "<=")))).cases
    assert len(case.thresholds) == 1


def test_a_metric_of_the_specs_own_may_be_negative() -> None:
    own = "metrics: { d: { value: read.iops - write.iops, unit: 1/s, better: low } }\n"
    text = workloads("  w:\n    fio: { rw: rw, size: 1m }\n    thresholds: { d: '< 0' }\n") + own
    assert plan_of(text).cases[0].thresholds[0].limit.value == 0


def test_a_load_below_nothing() -> None:
    error = problem(fio("size: 1m") + "environment: { require: { max_loadavg: -1 } }\n")
    assert error.what == "max_loadavg is a number of at least 0, not -1"
