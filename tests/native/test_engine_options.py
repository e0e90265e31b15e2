"""Options that an ioengine has for itself: fio's, of those that are here and of others."""

from __future__ import annotations

import errno
import os
import re
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from support.engine_runs import run

# Those of ioengines that are not here, by fio's documentation; its help lists them with others.
OF_OTHERS = {"io_uring": {"cmd_type"}}


def _names(program: Path | str, ioengine: str, folder: Path) -> set[str]:
    told = run(program, [f"--enghelp={ioengine}"], folder).out
    return set(re.findall(r"^\s*(\w+)\s*(?::|  )", told, re.MULTILINE))


@pytest.mark.parametrize(
    "ioengine", ["libaio", "io_uring", "mmap", "cpuio", "pvsync2", "exec", "e4defrag"]
)
def test_each_option_of_fios_is_there(
    engine: Path, fio: str, tmp_path: Path, ioengine: str
) -> None:
    theirs = _names(fio, ioengine, tmp_path) - OF_OTHERS.get(ioengine, set())
    assert theirs
    assert theirs - _names(engine, ioengine, tmp_path) == set()


def _written(path: Path) -> None:
    """A file that is on the device: nothing of it has to wait."""
    with path.open("wb") as stream:
        stream.write(bytes(1 << 18))
        os.fsync(stream.fileno())


def _job(program: Path | str, folder: Path, options: str) -> dict[str, Any]:
    words = ["--output-format=json", "--name=j", *(f"--{word}" for word in options.split())]
    job: dict[str, Any] = run(program, words, folder).document(notes=True)["jobs"][0]
    return job


@pytest.mark.parametrize(
    "options",
    [
        "ioengine=io_uring nonvectored=1 force_async=3",
        "ioengine=io_uring nowait=1 direct=1 force_async=2",
        "ioengine=libaio nowait=1 direct=1 userspace_reap",
        "ioengine=mmap thp=1",
        "ioengine=pvsync2 nowait=1 direct=1 hipri hipri_percentage=50",
    ],
)
def test_io_is_as_without_them(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    _written(tmp_path / "f")
    if "nowait" in options:
        _needs_nowait(tmp_path / "f")
    for program in (engine, fio):
        job = _job(program, tmp_path, f"filename=f rw=randread iodepth=4 {options}")
        assert job["read"]["total_ios"] == 64


@pytest.mark.parametrize("ioengine", ["io_uring", "libaio direct=1", "pvsync2"])
def test_what_would_wait_fails(engine: Path, fio: str, tmp_path: Path, ioengine: str) -> None:
    """A write behind the end of a file waits for its blocks, on whatever filesystem."""
    words = f"filename=g size=64k rw=write nowait=1 fallocate=none ioengine={ioengine}".split()
    call = ["--name=j", "--output-format=json", *(f"--{word}" for word in words)]
    for program in (engine, fio):
        assert run(program, call, tmp_path / Path(program).name).status != 0
    again = run(engine, [*call, "--ignore_error=,EAGAIN:EOPNOTSUPP"], tmp_path / "again")
    assert again.document()["jobs"][0]["write"]["io_bytes"] == 0


def test_what_is_uncached_is_not_kept(engine: Path, tmp_path: Path) -> None:
    _written(tmp_path / "f")
    for value, kept in (("1", 0), ("0", 1 << 18)):
        words = ["--name=j", "--filename=f", "--rw=read", "--bs=64k", "--ioengine=io_uring"]
        ran = run(engine, [*words, f"--uncached={value}"], tmp_path)
        if f"error {errno.EOPNOTSUPP}" in ran.out or "not supported" in ran.out + ran.err:
            pytest.skip("this kernel or filesystem keeps what is read")
        assert ran.status == 0, ran.err
        cached = ["fincore", "--bytes", "--noheadings", "--output=RES", str(tmp_path / "f")]
        assert int(subprocess.run(cached, capture_output=True, check=True).stdout) == kept


def _needs_nowait(path: Path) -> None:
    """Reads that do not wait, which an overlay does not have: there the kernel's threads do all."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.preadv(handle, [bytearray(4096)], 0, os.RWF_NOWAIT)
    except OSError as error:
        if error.errno == errno.EOPNOTSUPP:
            pytest.skip("this filesystem has no reads that do not wait")
    finally:
        os.close(handle)


def _has_kernel_workers(pid: int) -> bool:
    """Of the process in which the jobs are."""
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        threads = Path(f"/proc/{child}/task").glob("*/comm")
        if any(each.read_text().startswith("iou-wrk") for each in threads):
            return True
    return False


@pytest.mark.parametrize(("every", "seen"), [("2", True), ("0", False)])
def test_an_io_of_some_goes_to_the_kernels_threads(
    engine: Path, tmp_path: Path, every: str, seen: bool
) -> None:
    (tmp_path / "f").write_bytes(bytes(1 << 18))
    _needs_nowait(tmp_path / "f")
    words = ["--name=j", "--thread", "--filename=f", "--rw=randread", "--ioengine=io_uring"]
    more = ["--invalidate=0", "--time_based", "--runtime=10", f"--force_async={every}"]
    ended = 10 if seen else 0.5
    with subprocess.Popen([engine, *words, *more], cwd=tmp_path, stdout=subprocess.DEVNULL) as job:
        try:
            until = time.monotonic() + ended
            found = False
            while not found and time.monotonic() < until:
                found = _has_kernel_workers(job.pid)
            assert found is seen
        finally:
            job.kill()


def test_a_job_of_cpuio_is_told_like_others(engine: Path, tmp_path: Path) -> None:
    text = "[c]\nioengine=cpuio\ncpuload=30\nruntime=100ms\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.out.startswith("c: (g=0): rw=read, bs=(R) 4096B-4096B, ")
    assert "ioengine=cpuio, iodepth=1\n" in ran.out


def test_cpuio_ends_with_those_beside_it(engine: Path, fio: str, tmp_path: Path) -> None:
    busy = "--name=busy --ioengine=cpuio --cpuload=20 --cpuchunks=5000 --exit_on_io_done=1"
    other = "--name=j --ioengine=null --size=1m --rate_iops=100 --number_ios=20 --runtime=60"
    for program in (engine, fio):
        call = [*busy.split(), *other.split(), "--output-format=json"]
        jobs = run(program, call, tmp_path, timeout_s=30).document(notes=True)["jobs"]
        assert jobs[1]["read"]["total_ios"] == 20
        assert jobs[0]["read"]["total_ios"] > 0


RBD = "[j]\nioengine=rbd\npool=x\nrw=write\n"


def test_a_job_of_an_engine_that_is_not_here_can_be_looked_at(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    for program in (engine, fio):
        assert run(program, ["--parse-only", "-"], tmp_path, RBD).status == 0
        words = ["--parse-only", "--name=j", "--ioengine=net", "--hostname=h", "--port", "80"]
        assert run(program, words, tmp_path).status == 0
    said = run(engine, ["--parse-only", "-"], tmp_path, RBD).err.splitlines()
    assert [line.partition("warning: ")[2] for line in said] == [
        "job 'j': ioengine=rbd: fio has it, iogate-engine does not have it yet",
        "job 'j': pool is not looked at: it is of ioengine=rbd",
    ]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (RBD, "stdin:2:10: ioengine: there is no engine 'rbd'"),
        (RBD, "stdin:3:1: pool: fio has it, iogate-engine does not have it yet"),
    ],
)
def test_it_does_not_run(engine: Path, tmp_path: Path, text: str, says: str) -> None:
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 2
    assert says in ran.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[j]\nioengine=psync\npool=x\n", "stdin:3:1: option 'pool' is not one of ioengine psync"),
        ("[j]\nioengine=rbd\npol=x\n", "stdin:3:1: unknown option 'pol'"),
        ("[j]\nioengine=rbd\nbs=x\n", "stdin:3:4: bs: cannot read 'x'"),
    ],
)
def test_a_mistake_beside_it_is_one(engine: Path, tmp_path: Path, text: str, says: str) -> None:
    ran = run(engine, ["--parse-only", "-"], tmp_path, text)
    assert ran.status == 2
    assert says in ran.err
