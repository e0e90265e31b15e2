"""What could never run, or never be met, is told before anything runs."""

from __future__ import annotations

import pytest

from iogate.errors import RefusedError, SpecError
from iogate.spec import check_doable, needs_trust, require_trust
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


@pytest.mark.parametrize(
    ("options", "says", "at"),
    [
        ("size: 1m, rw: randtrim", "rw=randtrim, and its target 'd' is no block device", "rw: "),
        ("size: 1m, readwrite: trimwrite", "rw=trimwrite, and its target", "readwrite: "),
    ],
)
def test_a_trim_needs_a_device_where_it_is_to_run(options: str, says: str, at: str) -> None:
    text = fio(options)
    with pytest.raises(SpecError, match=says) as caught:
        check_doable(plan_of(text))
    assert caught.value.where is not None
    assert text.splitlines()[3][caught.value.where.column - 1 :].startswith(at)


def test_a_file_of_falloc_can_be_trimmed() -> None:
    check_doable(plan_of(fio("size: 1m, rw: randtrim, ioengine: falloc")))


@pytest.mark.parametrize("ioengine", ["filecreate", "dircreate"])
def test_what_is_made_goes_after_each_repetition(ioengine: str) -> None:
    """Else the second one is another measurement: of what is there already."""
    options = f"rw: write, filesize: 4k, nrfiles: 9, ioengine: {ioengine}"
    with pytest.raises(SpecError, match="a repetition before it has left there") as caught:
        check_doable(plan_of(fio(options)))
    assert "unlink: true" in (caught.value.remedy or "")
    check_doable(plan_of(fio(f"{options}, unlink: true")))
    check_doable(plan_of(fio(options).replace("{ fio:", "{ repetitions: 1, fio:")))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("create_only: 1", "create_only=1, and does no I/O that could be measured"),
        ("file_service_type: fifo", "file_service_type=fifo is none that fio has"),
        ("file_service_type: 'zipf:x'", "file_service_type=zipf:x is none that fio has"),
        ("sync_file_range: 4", "sync_file_range=4 is none that fio has"),
        ("sync_file_range: 'write,all:4'", "sync_file_range=write,all:4 is none that fio has"),
    ],
)
def test_what_does_nothing_or_is_none_is_told_where_it_is_to_run(options: str, says: str) -> None:
    text = fio(f"size: 1m, {options}")
    with pytest.raises(SpecError, match=says) as caught:
        check_doable(plan_of(text))
    assert caught.value.where is not None
    assert text.splitlines()[3][caught.value.where.column - 1 :].startswith(options[:6])


@pytest.mark.parametrize(
    "options",
    [
        "create_only: 0",
        *("file_service_type: random", "file_service_type: 'roundrobin:8'"),
        *("file_service_type: 'zipf:1.2:0.5'", "file_service_type: 'gauss:5'"),
        *("sync_file_range: 'wait_before,write:8'", "sync_file_range: write"),
    ],
)
def test_words_with_numbers_behind_them_are_taken(options: str) -> None:
    check_doable(plan_of(fio(f"size: 1m, {options}")))


@pytest.mark.parametrize(
    ("options", "keys"),
    [
        ("fill_device: 1", ("workloads.w.fio.fill_device",)),
        ("fill_fs: on", ("workloads.w.fio.fill_device",)),
        ("fill_device: 1, size: 1m", ()),
        ("fill_device: 0, size: 1m", ()),
    ],
)
def test_leaving_no_space_for_others_needs_trust(options: str, keys: tuple[str, ...]) -> None:
    plan = plan_of(fio(options))
    assert needs_trust(plan) == keys
    require_trust(plan, trusted=True)
    if keys:
        with pytest.raises(RefusedError) as caught:
            require_trust(plan, trusted=False)
        assert caught.value.where is not None


def test_a_trim_of_no_storage_needs_no_device() -> None:
    check_doable(plan_of(fio("size: 1m, rw: trim, ioengine: 'null'")))


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
