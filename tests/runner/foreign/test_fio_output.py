"""What fio prints for people, of versions 1 and 3, as results."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import EngineError
from iogate.foreign import Origin, as_run, read_fio
from iogate.foreign.fio_numbers import count, size
from iogate.metrics import kept_values, metric
from iogate.model.measurement import JobMeasurement
from iogate.model.run import Host, Run
from support.fio_outputs import LOOKS, MIXED, VERSION_1, VERSION_3, document

ORIGIN = Origin("old.txt", Host("old", "m-old"), ended_ns=10**18)


def runs(text: str) -> list[Run]:
    return [as_run(found, ORIGIN) for found in read_fio(text)]


def job(run: Run, name: str) -> JobMeasurement:
    return next(row for row in run.measurements[0].jobs if row.name == name)


def value(run: Run, path: str) -> float | None:
    return metric(path).extract(run.measurements[0])


def test_version_1_is_read_with_exact_numbers_where_it_has_them() -> None:
    run, _ = runs(VERSION_1)
    reader = job(run, "reader").directions["read"]
    assert (reader.total_ios, reader.io_bytes, reader.runtime_ns) == (16384, 64 << 20, 60 * 10**9)
    assert reader.iops == pytest.approx(16384 / 60)  # printed as 273
    assert reader.bw == 1092 * 1024
    assert reader.clat is not None
    assert (reader.clat.min_ns, reader.clat.max_ns) == (120_000, 98_000_000)
    assert (reader.clat.mean_ns, reader.clat.stddev_ns) == (3_650_250, 1_200_500)
    writer = job(run, "writer").directions["write"]
    assert writer.slat is not None
    assert writer.slat.max_ns == 42_510_000
    assert writer.clat is not None
    assert writer.clat.mean_ns == 12_500_000
    assert job(run, "reader").sys_cpu_percent == 1.25
    assert job(run, "reader").context_switches == 16500
    assert run.measurements[0].disks[0].util_percent == 97.5


def test_a_text_may_hold_several_runs_and_parts_of_them() -> None:
    whole, cut = runs(VERSION_1)
    assert [row.name for row in whole.measurements[0].jobs] == ["reader", "writer"]
    assert value(cut, "read.iops") == 546
    assert job(cut, "reader").directions["read"].total_ios == 546 * 30
    assert cut.measurements[0].warnings == (
        "reader: the number of reads is worked out from its rate",
    )
    assert whole.measurements[0].warnings == ()
    assert "cpu.usr" not in kept_values(cut.measurements[0])  # nothing is made up
    assert "cpu.usr" in kept_values(whole.measurements[0])
    assert whole.id != cut.id


def test_options_come_from_the_set_up_line() -> None:
    run, _ = runs(VERSION_1)
    writer = run.plan.cases[0].jobs[1].options
    assert writer["rw"] == "randwrite"
    assert (writer["bs"], writer["ioengine"], writer["iodepth"]) == ("8k", "libaio", "16")
    assert run.plan.spec_name == "reader+writer"


def test_version_3_with_the_command_above_it() -> None:
    (run,) = runs(VERSION_3)
    (spec,) = run.plan.cases[0].jobs
    assert spec.options == {
        "ioengine": "libaio", "iodepth": "8", "rw": "randrw", "bs": "16k", "direct": "1",
        "size": "1g", "numjobs": "4", "runtime": "100", "group_reporting": "1", "time_based": "1",
    }  # fmt: skip
    assert (run.plan.cases[0].target.kind, run.plan.cases[0].target.path) == ("device", "/dev/sdz")
    assert run.finished_ns == 1_558_971_490 * 10**9
    assert run.started_ns == run.finished_ns - 100 * 10**9
    assert run.measurements[0].engine.version == "3.12"
    row = job(run, "oltp")
    assert row.jobs == 4
    assert row.iodepth_levels["8"] == 99.9
    read = row.directions["read"]
    assert read.iops == 12300.0
    assert read.io_bytes == 1230000 * 16384  # 18.8 GiB is what that was rounded to
    assert read.clat is not None
    assert read.clat.max_ns == 2_646_400_000
    assert [disk.name for disk in run.measurements[0].disks] == ["dm-0", "sdz"]


def test_percentiles_and_syncs_of_version_3_are_metrics() -> None:
    (run,) = runs(VERSION_3)
    assert value(run, "read.clat.p99") == 72_000
    assert value(run, "read.clat.p99.99") == 1_300_235_000
    assert value(run, "write.clat.p20") == 39_000
    assert value(run, "read.clat.p42") is None
    assert value(run, "read.lat.mean") == 592_880
    assert value(run, "sync.lat.mean") == 7_500_000
    assert value(run, "sync.lat.p99") == 9_000_000


def test_of_the_looks_at_one_run_the_last_counts() -> None:
    (run,) = runs(LOOKS)
    (row,) = run.measurements[0].jobs
    assert (row.directions["read"].total_ios, run.measurements[0].duration_ns) == (1000, 2 * 10**9)
    assert run.measurements[0].disks[0].util_percent == 60
    assert run.plan.cases[0].jobs[0].options["rw"] == "randread"
    another = LOOKS.replace("pid=77", "pid=79")
    assert [one.measurements[0].jobs[0].directions["read"].total_ios for one in runs(
        LOOKS + another
    )] == [1000, 1000]  # fmt: skip


def test_the_sum_of_all_directions_is_none_of_them() -> None:
    (run,) = runs(MIXED)
    row = job(run, "u")
    assert set(row.directions) == {"read", "write"}
    write = row.directions["write"]
    assert write.clat is not None
    assert (write.clat.mean_ns, write.clat.percentiles["99"]) == (3052.5, 8896)
    alone = "\n".join(
        line for line in MIXED.splitlines() if not line.startswith(("  read:", "  write:"))
    )
    (run,) = runs(alone.replace("rw=randrw", "rw=randread").replace("=500,520", "=1020,0"))
    assert job(run, "u").directions["read"].total_ios == 1020
    several = f"{alone}\n{VERSION_3}"
    found = read_fio(several)
    assert as_run(next(found), ORIGIN).plan.spec_name == "oltp"
    with pytest.raises(EngineError, match="u: its reads and writes are one sum"):
        next(found)


def test_syncs_without_a_count_are_left_out_and_that_is_said() -> None:
    (run,) = runs(VERSION_3.replace("1230000,501200,0,100", "1230000,501200,0,0"))
    assert "sync" not in job(run, "oltp").directions
    assert run.measurements[0].warnings == (
        "oltp: its syncs are left out, as it does not say how many there were",
    )
    cut = "a: (groupid=0, jobs=1): err= 0: pid=7\n  fsync/fdatasync/sync_file_range:"
    assert runs(cut) == []


def test_what_is_there_as_json_is_not_read_again_and_the_rest_is() -> None:
    as_json = json.dumps(document(name="oltp", rw="read"), indent=1)
    both = f"{as_json}\n{VERSION_3}"
    assert [found.form for found in read_fio(both)] == ["fio json"]
    several = f"{VERSION_1}\n{both}"
    assert [found.form for found in read_fio(several)] == ["fio json", *["fio output"] * 2]
    cut = read_fio(f"{as_json[:-9]}\n{VERSION_3}")
    assert next(cut).form == "fio output"
    with pytest.raises(EngineError, match="cut off"):
        next(cut)


def test_output_of_our_own_engine_is_of_it() -> None:
    (run,) = runs(VERSION_3.replace("fio-3.12", "iogate-engine-0.1.0"))
    engine = run.measurements[0].engine
    assert (engine.name, engine.version) == ("iogate-engine", "0.1.0")


def test_where_it_came_from_is_marked() -> None:
    (run,) = runs(VERSION_3)
    assert run.environment == {
        "engine.name": "fio",
        "engine.version": "3.12",
        "origin.file": "old.txt",
        "origin.form": "fio output",
    }
    assert run.host == ORIGIN.host


def test_the_same_text_is_the_same_run_and_another_host_is_not() -> None:
    (one,) = runs(VERSION_3)
    (again,) = runs(f"some words before\n{VERSION_3}\nand after")
    other = as_run(next(read_fio(VERSION_3)), Origin("f", Host("b", "m-b"), 1))
    assert again.id == one.id != other.id
    assert other.plan.cases[0].id == one.plan.cases[0].id


def test_a_job_that_failed_makes_a_failed_run() -> None:
    text = VERSION_3.replace("err= 0: pid", "err= 5 (file:io_u.c:1, error=EIO): pid")
    (run,) = runs(text)
    assert run.status == "failed"
    assert "error 5" in run.failures[0].reason
    assert run.measurements == ()


def test_jobs_of_which_little_is_known_are_told_apart_by_name() -> None:
    head = ": (groupid=0, jobs=1): err= 0: pid=1"
    did = "  read : io=4KiB, bw=4KiB/s, iops=1, runt=9000msec"
    ids = {runs(f"{name}{head}\n{did}\n")[0].plan.cases[0].id for name in ("a", "b")}
    assert len(ids) == 2


def test_text_without_a_result_gives_none() -> None:
    assert list(read_fio("")) == []
    assert list(read_fio("Run status group 0 (all jobs):\n   READ: bw=1MiB/s\n")) == []
    assert list(read_fio("a: (groupid=0, jobs=1): err= 0: pid=1\n  cpu : usr=1%\n")) == []


@pytest.mark.parametrize(
    ("text", "number"),
    [("12.8k", 12800), ("2646.4M", 2646400000), ("1,826", 1826), ("147K", 147000), ("9", 9)],
)
def test_counts(text: str, number: float) -> None:
    assert count(text) == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7,480KiB/s", 7480 * 1024),
        ("797MiB/s", 797 << 20),
        ("836MB/s", 836_000_000),
        ("235GiB", 235 << 30),
        ("4096B", 4096),
    ],
)
def test_sizes(text: str, number: float) -> None:
    assert size(text) == number
    assert size("63317KB/s", always_binary=True) == 63317 * 1024


LINES = st.lists(
    st.sampled_from([*VERSION_1.splitlines(), *VERSION_3.splitlines()])
    | st.text(max_size=60)
    | st.from_regex(r"[a-z]{1,5}: \(groupid=\d+, jobs=\d+\): err=\s*-?\d+: pid=\d+.{0,20}"),
    max_size=40,
)


@given(LINES, st.integers(0, 300))
def test_any_lines_in_any_order_are_results_or_none(lines: list[str], cut: int) -> None:
    for run in runs("\n".join(line[: cut or None] for line in lines)):
        for measurement in run.measurements:
            assert measurement.jobs


@given(st.text(max_size=400))
def test_any_text_is_read_without_complaint(text: str) -> None:
    runs(text)
