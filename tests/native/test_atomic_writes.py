"""atomic=1: a block that was written is there as a whole or not at all, says the kernel."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import loop_device, mounted, needs_root
from support.engine_runs import Ran, run
from support.system_calls import calls_of

ENGINES = pytest.mark.parametrize("ioengine", ["libaio", "io_uring"])
FLAG = "aio_rw_flags=0x40"


@pytest.fixture
def xfs(tmp_path: Path) -> Iterator[Path]:
    """A filesystem that writes a block as a whole on any device, from Linux 6.16 on."""
    with (
        loop_device(tmp_path, 320) as device,
        mounted(device, tmp_path / "point", "xfs") as point,
    ):
        yield point


def _run(engine: Path, folder: Path, ioengine: str, options: str) -> Ran:
    words = f"filename=f size=64k iodepth=4 ioengine={ioengine} {options}".split()
    text = "\n".join(["[j]", *words, ""])
    return run(engine, ["--output-format=json", "-"], folder, text)


def _error(ran: Ran) -> int:
    error = json.loads(ran.out)["jobs"][0]["error"]
    assert isinstance(error, int)
    return error


def _can(point: Path) -> bool:
    release = Path("/proc/sys/kernel/osrelease").read_text().split(".")
    return (int(release[0]), int(release[1].partition("-")[0])) >= (6, 16) and point.is_dir()


@needs_root
@ENGINES
def test_writes_are_whole_where_the_filesystem_can(engine: Path, xfs: Path, ioengine: str) -> None:
    if not _can(xfs):
        pytest.skip("this kernel's xfs cannot on this device")
    options = "rw=randrw verify=crc32c fsync=5 atomic=1"
    ran = _run(engine, xfs, ioengine, options)
    job = json.loads(ran.out)["jobs"][0]
    assert (ran.status, _error(ran)) == (0, 0), ran.err
    assert job["read"]["total_ios"] > job["write"]["total_ios"] > 0
    assert job["sync"]["total_ios"] > 0


@needs_root
@ENGINES
def test_a_block_that_is_too_small_fails(engine: Path, xfs: Path, ioengine: str) -> None:
    """With the filesystem's own blocks: so it was the flag that failed."""
    if not _can(xfs):
        pytest.skip("this kernel's xfs cannot on this device")
    assert _run(engine, xfs, ioengine, "rw=write bs=512 direct=1").status == 0
    ran = _run(engine, xfs, ioengine, "rw=write bs=512 atomic=1")
    assert (ran.status, _error(ran)) == (1, errno.EINVAL)


@ENGINES
def test_what_cannot_be_whole_fails(engine: Path, tmp_path: Path, ioengine: str) -> None:
    assert _run(engine, tmp_path, ioengine, "rw=write").status == 0
    assert _run(engine, tmp_path, ioengine, "rw=read atomic=1").status == 0
    assert _run(engine, tmp_path, ioengine, "rw=write iodepth=1 atomic=0").status == 0
    ran = _run(engine, tmp_path, ioengine, "rw=write atomic=1")
    if ran.status == 0:
        pytest.skip("the filesystem of temporary files can")
    assert _error(ran) in (errno.EOPNOTSUPP, errno.EINVAL)


def test_each_write_says_so_and_nothing_else(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(bytes(65536))
    job = ["--name=j", "--filename=f", "--size=64k", "--ioengine=libaio", "--atomic=1"]
    reads = calls_of(engine, "io_submit", [*job, "--rw=read"], tmp_path)
    assert "IOCB_CMD_PREAD" in reads
    assert FLAG not in reads
    text = "\n".join([*(word[2:] for word in job[1:]), "rw=write", "continue_on_error=all", ""])
    (tmp_path / "j.fio").write_text(f"[j]\n{text}ignore_error=,EOPNOTSUPP:EINVAL\n")
    writes = calls_of(engine, "io_submit", ["j.fio"], tmp_path)
    lines = [line for line in writes.splitlines() if "IOCB_CMD_PWRITE" in line]
    assert lines
    assert all(FLAG in line for line in lines)


def test_a_trim_has_one_range(engine: Path, tmp_path: Path) -> None:
    text = "[j]\nfilename=f\nsize=64k\nnum_range="
    assert run(engine, ["-"], tmp_path, f"{text}1\n").status == 0
    ran = run(engine, ["-"], tmp_path, f"{text}8\n")
    assert ran.status == 2
    assert "4:11: num_range: 8 is too large, at most 1 is possible" in ran.err


@pytest.mark.parametrize("ioengine", ["psync", "mmap", "null"])
def test_any_engine_may_be_told_that_it_is_not_meant(
    engine: Path, fio: str, tmp_path: Path, ioengine: str
) -> None:
    for program in (engine, fio):
        ran = _run(Path(program), tmp_path, ioengine, "rw=write iodepth=1 atomic=0")
        assert (ran.status, _error(ran)) == (0, 0), ran.err
    ran = _run(engine, tmp_path, ioengine, "rw=write atomic=1")
    assert ran.status == 2
    assert f"option 'atomic' is not one of ioengine {ioengine}" in ran.err
