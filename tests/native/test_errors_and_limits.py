"""Errors that a job goes on after, and limits that end it: as fio's."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root, sh, tmpfs
from support.differential import Outcome, differences, outcome_of
from support.engine_runs import run

NULL = "[j]\nioengine=null\nsize=1m\n"


def _text(options: str) -> str:
    return "[j]\n" + "\n".join(options.split()) + "\n"


@pytest.fixture
def half_broken(tmp_path: Path) -> Iterator[str]:
    """A device of 4 MiB of which the second half cannot be read."""
    with loop_device(tmp_path, 4) as device:
        os.truncate(image_of(device), 2 << 20)
        yield device


@contextmanager
def _small(folder: Path) -> Iterator[None]:
    """A filesystem that has room for 1 MiB."""
    folder.mkdir()
    sh("mount", "-t", "tmpfs", "-o", "size=1m", "none", str(folder))
    try:
        yield
    finally:
        sh("umount", str(folder))


@needs_root
def test_a_filesystem_without_room_for_another_file_is_told(engine: Path, tmp_path: Path) -> None:
    with tmpfs(tmp_path / "few", "1m,nr_inodes=8") as few:
        text = _text(f"directory={few} nrfiles=20 filesize=4k rw=read")
        ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 1
    assert "the filesystem has none for another file (df -i" in ran.err
    assert "MiB left" not in ran.err


def _errors(outcome: Outcome) -> tuple[int, int, int | None]:
    """The job's error, whether the run failed, and how many errors there were."""
    job = outcome.jobs[0]
    return job["error"], int(outcome.ran.status != 0), job.get("total_err")


PASSED = (
    "continue_on_error=all",
    "continue_on_error=read",
    "continue_on_error=io",
    "continue_on_error=1",
    "ignore_error=EIO",
    "ignore_error=5",
    "ignore_error=EINVAL:EIO,ENOSPC",
    "continue_on_error=all ioengine=libaio iodepth=4",
    "continue_on_error=all ioengine=io_uring",
    "ignore_error=EIO rate_iops=100k",
)
FATAL = (
    "continue_on_error=write",
    "continue_on_error=verify",
    "continue_on_error=none",
    "continue_on_error=0",
    "ignore_error=EINVAL continue_on_error=read",
    "ignore_error=EINVAL,EIO",
    "error_dump=1",
)


@needs_root
@pytest.mark.parametrize("options", PASSED)
def test_a_job_goes_on_after_errors_that_it_passes(
    engine: Path, fio: str, tmp_path: Path, half_broken: str, options: str
) -> None:
    text = _text(f"filename={half_broken} direct=1 rw=read bs=64k {options}")
    reference = outcome_of(fio, text, tmp_path / "fio")
    os.truncate(image_of(half_broken), 2 << 20)
    ours = outcome_of(engine, text, tmp_path / "ours")
    assert _errors(ours) == _errors(reference) == (errno.EIO, 0, 32)
    assert ours.jobs[0]["first_error"] == reference.jobs[0]["first_error"] == errno.EIO
    assert ours.moved["read"] == (32, 2 << 20)
    assert ours.ran.err == ""


@needs_root
@pytest.mark.parametrize("options", FATAL)
def test_other_errors_end_it(
    engine: Path, fio: str, tmp_path: Path, half_broken: str, options: str
) -> None:
    text = _text(f"filename={half_broken} direct=1 rw=read bs=64k {options}")
    for program in (fio, engine):
        os.truncate(image_of(half_broken), 2 << 20)
        outcome = outcome_of(program, text, tmp_path)
        assert outcome.errors == (errno.EIO,)
        assert outcome.ran.status != 0
        assert outcome.moved["read"][1] == 2 << 20


@needs_root
@pytest.mark.parametrize(
    ("options", "passed"),
    [
        ("ignore_error=,ENOSPC", True),
        ("ignore_error=ENOSPC", False),
        ("continue_on_error=1", False),
    ],
)
def test_writes_that_find_no_room_are_passed(
    engine: Path, fio: str, tmp_path: Path, options: str, passed: bool
) -> None:
    """A device on a filesystem that is full after 1 MiB: how many blocks, only that knows."""
    for program in (fio, engine):
        folder = tmp_path / Path(program).name
        with _small(folder), loop_device(folder, 2) as device:
            text = _text(f"filename={device} direct=1 rw=write bs=64k {options}")
            outcome = outcome_of(program, text, tmp_path)
            assert outcome.errors == (errno.ENOSPC,)
            assert (outcome.ran.status == 0) == passed
            assert (outcome.jobs[0]["total_err"] > 10) == passed


@pytest.mark.parametrize("options", ["ignore_error=EBOGUS", "ignore_error=0",
                                     "ignore_error=1,2,3,4", "continue_on_error=most"])  # fmt: skip
def test_what_is_no_error_is_refused(engine: Path, tmp_path: Path, options: str) -> None:
    outcome = outcome_of(engine, NULL + options + "\n", tmp_path)
    assert outcome.ran.status == 2
    assert f"stdin:4:{options.index('=') + 2}: " in outcome.ran.err


def test_damage_is_passed(engine: Path, tmp_path: Path) -> None:
    write = _text("filename=f rw=write bs=64k size=2m verify=crc32c do_verify=0")
    assert outcome_of(engine, write, tmp_path).has_worked
    with (tmp_path / "f").open("r+b") as stream:
        for block in (5, 9):
            stream.seek(block * 65536 + 100)
            stream.write(b"damage")
    read = "filename=f rw=read bs=64k size=2m verify=crc32c"
    for more, status, total in (("", 1, 2), ("continue_on_error=verify", 0, 2)):
        outcome = outcome_of(engine, _text(f"{read} {more}"), tmp_path)
        assert (outcome.ran.status, outcome.jobs[0]["total_err"]) == (status, total)
        assert outcome.errors == (errno.EILSEQ,)
        assert "j: verify: block 5 at offset 327680 " in outcome.ran.err


@pytest.mark.parametrize("more", ["", "continue_on_error=verify", "continue_on_error=all"])
def test_fatal_damage_ends_a_job_that_would_go_on(
    engine: Path, fio: str, tmp_path: Path, more: str
) -> None:
    write = _text("filename=f rw=write bs=64k size=2m verify=crc32c do_verify=0")
    assert outcome_of(fio, write, tmp_path).has_worked
    with (tmp_path / "f").open("r+b") as stream:
        stream.seek(5 * 65536 + 100)
        stream.write(b"damage")
    read = _text(f"filename=f rw=read bs=64k size=2m verify=crc32c verify_fatal=1 {more}")
    reference, ours = (outcome_of(program, read, tmp_path) for program in (fio, engine))
    assert ours.errors == reference.errors == (errno.EILSEQ,)
    assert ours.moved["read"] == reference.moved["read"] == (6, 6 * 65536)
    assert bool(ours.ran.status) == bool(reference.ran.status) == (not more)


ORDER = """[a]
ioengine=null
size=1m
rate_iops=20
time_based
runtime=30
[b]
ioengine=null
size=1m
number_ios=1
exitall
{more}
[c]
stonewall
ioengine=null
size=1m
"""


@pytest.mark.parametrize(("what", "last"), [("group", 256), ("stonewall", 256), ("all", 0)])
def test_whom_exitall_ends(engine: Path, fio: str, tmp_path: Path, what: str, last: int) -> None:
    for program in (fio, engine):
        outcome = outcome_of(program, ORDER.format(more=f"exit_what={what}"), tmp_path)
        assert [job["read"]["total_ios"] for job in outcome.jobs][1:] == [1, last]
        assert outcome.jobs[0]["read"]["total_ios"] < 500


@pytest.mark.parametrize("fails", [True, False])
def test_an_error_ends_all(engine: Path, tmp_path: Path, fails: bool) -> None:
    text = ORDER.format(more="max_latency=1ns" if fails else "")
    text = text.replace("exitall", "exitall_on_error").replace("runtime=30", "runtime=3")
    first, _, last = outcome_of(engine, text, tmp_path).jobs
    assert (first["read"]["runtime"] < 2900) == fails
    assert last["read"]["total_ios"] == 256


@pytest.mark.parametrize(
    ("limit", "ends"),
    [("1ns", True), ("1ns,1s", True), ("1s,1ns", False), ("1s", False), (",1ns", False)],
)
def test_an_io_that_takes_too_long_ends_the_job(
    engine: Path, fio: str, tmp_path: Path, limit: str, ends: bool
) -> None:
    text = _text(f"filename=f rw=read size=1m max_latency={limit}")
    for program in (fio, engine):
        outcome = outcome_of(program, text, tmp_path)
        assert outcome.errors == (errno.ETIMEDOUT if ends else 0,)
        assert (outcome.moved["read"][0] < 256) == ends


@pytest.mark.parametrize(
    ("options", "ends"),
    [
        ("rate_min=100m", True),
        ("rate_iops_min=1000 rate_cycle=300", True),
        ("rate_iops_min=20", False),
        ("rate_iops_min=150 rate_cycle=900", True),
        ("rate_min=,100m", False),
    ],
)
def test_a_rate_that_is_not_met_ends_the_job(
    engine: Path, fio: str, tmp_path: Path, options: str, ends: bool
) -> None:
    text = _text(f"ioengine=null size=1g thinktime=10ms time_based runtime=3500ms {options}")
    for program in (fio, engine):
        outcome = outcome_of(program, text, tmp_path)
        assert outcome.errors == (errno.EIO if ends else 0,)
    assert not ends or "is not met" in outcome.ran.err


def test_a_minimum_above_the_rate_is_refused(engine: Path, fio: str, tmp_path: Path) -> None:
    for options in ("rate=1m\nrate_min=2m\n", "rate_iops=10\nrate_iops_min=20\n"):
        for program in (fio, engine):
            assert not outcome_of(program, NULL + options, tmp_path).is_accepted


@pytest.mark.parametrize("options", ["rate=1m\nrate_iops=9\n", "rate_min=1\nrate_iops_min=1\n",
                                     "rw=rw\nrate=1m,0\nrate_iops=0,9\n"])  # fmt: skip
def test_rates_of_two_kinds_are_refused(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    for program in (fio, engine):
        assert not outcome_of(program, NULL + "size=64k\n" + options, tmp_path).is_accepted


def test_what_a_pause_left_behind_is_not_caught_up(engine: Path, fio: str, tmp_path: Path) -> None:
    """200 I/Os a second, and a pause as long as 20 of them after each 20: 400 or 200, and on a busy
    machine fewer of either."""
    job = "ioengine=null size=1g thinktime=100ms thinktime_blocks=20 rate_iops=200"
    text = _text(f"{job} time_based runtime=2")
    for program in (fio, engine):
        assert outcome_of(program, text, tmp_path).moved["read"][0] > 280
        ignoring = outcome_of(program, text + "rate_ignore_thinktime=1\n", tmp_path)
        assert 100 < ignoring.moved["read"][0] < 250


@pytest.mark.parametrize("rw", ["randwrite", "write", "randread"])
def test_overlapping_ios_wait_for_each_other(
    engine: Path, fio: str, tmp_path: Path, rw: str
) -> None:
    """As much is done; on 2 blocks no more than 2 writes are in flight, but many reads."""
    job = f"filename=f ioengine=libaio iodepth=16 bs=4k size=8k io_size=1m rw={rw} norandommap"
    text = _text(f"{job} serialize_overlap=1 iodepth_batch=16")
    reference = outcome_of(fio, text, tmp_path / "fio")
    ours = outcome_of(engine, text, tmp_path / "ours")
    assert list(differences(reference, ours)) == []
    deep = sum(ours.jobs[0]["iodepth_level"][level] for level in ("4", "8", "16"))
    assert (deep > 0) == (rw == "randread")


def test_a_job_without_stats_is_not_reported(engine: Path, fio: str, tmp_path: Path) -> None:
    """It runs, and fio leaves an empty job behind where it is the only one."""
    text = "[a]\nrw=write\nsize=64k\nfilename=f\nstats=0\n[b]\nioengine=null\nsize=64k\n"
    for program in (fio, engine):
        outcome = outcome_of(program, text, tmp_path / Path(program).name)
        assert [job["jobname"] for job in outcome.jobs if "jobname" in job] == ["b"]
        assert outcome.left == {"f": 65536}


def test_offloading_is_not_needed(engine: Path, tmp_path: Path) -> None:
    """Not beside fio's: with a synchronous engine and several in flight that may hang."""
    job = "filename=f rw=randread size=1m iodepth=8"
    plain, offloaded = (
        outcome_of(engine, _text(f"{job} {more}"), tmp_path)
        for more in ("", "io_submit_mode=offload")
    )
    assert list(differences(plain, offloaded)) == []


def test_a_cycle_of_nothing_is_none(engine: Path, tmp_path: Path) -> None:
    text = _text("ioengine=null size=40k thinktime=10ms rate_min=100m rate_cycle=0")
    assert outcome_of(engine, text, tmp_path).has_worked


def test_words_for_fios_insides_do_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    words = (
        "error_dump=1 block_error_percentiles=1 log_entries=4096 log_compression=64k "
        "log_compression_cpus=0 write_lat_log=l"
    )
    text = _text(f"ioengine=null size=1m {words}")
    for program in (fio, engine):
        outcome = outcome_of(program, text, tmp_path)
        assert outcome.has_worked
        assert outcome.left["l_lat.1.log"]
    small = _text("ioengine=null size=1m log_entries=4")
    assert [outcome_of(p, small, tmp_path).has_worked for p in (fio, engine)] == [False, True]


LOGS = "size=1m rate_iops=200 runtime=300ms time_based write_lat_log=l write_bw_log=l log_offset=1"


def _rows(program: str | Path, folder: Path, options: str) -> dict[str, list[list[str]]]:
    """The rows of each log."""
    assert outcome_of(program, _text(f"ioengine=libaio {LOGS} {options}"), folder).has_worked
    return {
        path.name: [line.split(", ") for line in path.read_text().splitlines()]
        for path in folder.glob("l_*.log")
    }


@pytest.mark.parametrize(
    "options",
    ["log_prio=1", "log_prio=0", "log_avg_msec=100 log_max_value=1", "log_avg_msec=100 log_prio=1"],
)
def test_rows_have_fios_columns(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    reference = _rows(fio, tmp_path / "fio", options)
    ours = _rows(engine, tmp_path / "ours", options)
    assert ours.keys() == reference.keys()
    for name, rows in ours.items():
        assert {(len(row), row[-1]) for row in rows} == {
            (len(row), row[-1]) for row in reference[name]
        }


def test_a_window_tells_its_longest(engine: Path, tmp_path: Path) -> None:
    both = _rows(engine, tmp_path / "both", "log_avg_msec=100 log_window_value=both")
    for name, rows in both.items():
        assert {len(row) for row in rows} == {7 if "bw" not in name else 6}
    windows = [(int(row[1]), int(row[2])) for row in both["l_lat.1.log"]]
    assert all(mean <= longest for mean, longest in windows)
    assert any(mean < longest for mean, longest in windows)  # but for those of one I/O
    each = _rows(engine, tmp_path / "each", "")
    assert len(each["l_lat.1.log"]) > 50


def test_rows_tell_when_an_io_was_issued(engine: Path, tmp_path: Path) -> None:
    for name, rows in _rows(engine, tmp_path, "log_issue_time=1").items():
        for row in rows:
            assert int(row[-1]) // 1000000 <= int(row[0]), name
    text = NULL + "log_issue_time=1\nwrite_lat_log=l\n"
    assert "needs write_lat_log and log_offset" in outcome_of(engine, text, tmp_path).ran.err


def test_times_are_of_the_clock_that_is_asked_for(engine: Path, fio: str, tmp_path: Path) -> None:
    for average in ("", "log_avg_msec=100"):
        begin_ms = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000000
        options = f"log_unix_epoch=1 log_alternate_epoch_clock_id={time.CLOCK_MONOTONIC} {average}"
        for program in (fio, engine):
            for row in _rows(program, tmp_path, options)["l_lat.1.log"]:
                assert begin_ms <= int(row[0]) < begin_ms + 60000
    text = NULL + "log_alternate_epoch_clock_id=99\n"
    assert "no such clock" in outcome_of(engine, text, tmp_path).ran.err
