"""Options of jobs that change what a job leaves behind, or where it runs."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

from support.engine_runs import run
from support.system_calls import calls_of

SMALL = ["--name=j", "--size=256k", "--filename=f"]


def test_a_job_stays_on_its_cpus(engine: Path, tmp_path: Path) -> None:
    cpu = max(os.sched_getaffinity(0))
    options = [*SMALL, "--numjobs=2", f"--cpus_allowed={cpu}"]
    calls = calls_of(engine, "sched_setaffinity", options, tmp_path)
    assert calls.count(f"sched_setaffinity(0, 128, [{cpu}]") == 2


def test_posixaio_asks_for_no_signals(engine: Path, tmp_path: Path) -> None:
    calls = calls_of(engine, "rt_sigqueueinfo", [*SMALL, "--ioengine=posixaio"], tmp_path)
    assert "rt_sigqueueinfo" not in calls


def test_a_cpu_that_is_not_there_is_told_before_the_run(engine: Path, tmp_path: Path) -> None:
    ran = run(engine, [*SMALL, "--cpus_allowed=0,1023"], tmp_path)
    assert ran.status == 1
    assert "there is no CPU 1023, this machine has 0 to" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_unlink_deletes_the_jobs_files_and_nothing_else(engine: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.write_text("stays")
    job = ["--name=j", "--size=64k", "--nrfiles=2", "--numjobs=2", "--unlink=1"]
    later = ["--name=k", "--stonewall", "--size=64k", "--filename=j.0.0", "--rw=read"]
    ran = run(engine, [*job, *later], tmp_path)
    assert ran.status == 0, ran.err
    assert list(tmp_path.iterdir()) == [other]


def test_unlink_is_refused_with_readonly(engine: Path, tmp_path: Path) -> None:
    kept = tmp_path / "f"
    kept.write_bytes(bytes(256 << 10))
    ran = run(engine, [*SMALL, "--rw=read", "--unlink=1", "--readonly"], tmp_path)
    assert ran.status == 1
    assert "deletes its files, and --readonly forbids it" in ran.err
    assert kept.exists()


def test_zero_buffers_write_and_lay_out_zeros(engine: Path, tmp_path: Path) -> None:
    run(engine, [*SMALL, "--rw=randrw", "--zero_buffers"], tmp_path)
    assert (tmp_path / "f").read_bytes() == bytes(256 << 10)


def test_zero_buffers_write_zeros_where_others_were(engine: Path, tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"x" * (256 << 10))
    run(engine, [*SMALL, "--rw=write", "--zero_buffers"], tmp_path)
    assert path.read_bytes() == bytes(256 << 10)


def test_refilled_buffers_do_not_compress(engine: Path, tmp_path: Path) -> None:
    sizes = {}
    for option in ("--refill_buffers=0", "--refill_buffers=1"):
        assert run(engine, [*SMALL, "--rw=write", option], tmp_path).status == 0
        sizes[option[-1]] = len(gzip.compress((tmp_path / "f").read_bytes(), 1))
    assert sizes["0"] < 64 << 10 < 256 << 10 <= sizes["1"]


def test_a_file_to_overwrite_is_filled_before(engine: Path, tmp_path: Path) -> None:
    run(engine, [*SMALL, "--rw=write", "--number_ios=1", "--overwrite=1"], tmp_path)
    data = (tmp_path / "f").read_bytes()
    assert len(data) == 256 << 10
    assert all(any(data[at : at + 4096]) for at in range(0, len(data), 4096))


def test_a_mapped_file_is_as_large_as_it_must_be(engine: Path, tmp_path: Path) -> None:
    mapped = ["--ioengine=mmap", "--rw=randwrite", "--fallocate=none"]
    assert run(engine, [*SMALL, *mapped], tmp_path).status == 0
    assert (tmp_path / "f").stat().st_size == 256 << 10


def test_exitall_ends_its_group_and_no_later_one(engine: Path, tmp_path: Path) -> None:
    text = """
[global]
ioengine=null
size=1m
[first]
exitall
[long]
time_based
runtime=100
[later]
stonewall
"""
    document = run(engine, ["-", "--output-format=json"], tmp_path, text).document()
    first, long, later = document["jobs"]
    assert first["read"]["io_bytes"] == later["read"]["io_bytes"] == 1 << 20
    assert long["read"]["runtime"] < 50_000
    assert document["iogate"]["interrupted"] is False


@pytest.mark.parametrize(("value", "flag"), [("1", "O_SYNC"), ("dsync", "O_DSYNC")])
def test_synchronous_writes_open_so(engine: Path, tmp_path: Path, value: str, flag: str) -> None:
    calls = calls_of(engine, "openat", [*SMALL, "--rw=write", f"--sync={value}"], tmp_path)
    assert f"|{flag}|" in calls
