"""ioengine=vsync and splice: the calls that they make, and that what they move is right."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root, tmpfs
from support.engine_runs import run
from support.system_calls import calls_of

COMMON = ["--name=j", "--filename=f", "--bs=4k", "--thread", "--output-format=json"]


def calls(program: Path, folder: Path, options: str) -> list[int]:
    """How many buffers each readv and writev has."""
    folder.mkdir()
    words = [*COMMON, "--ioengine=vsync", "--output=out", *options.split()]
    told = calls_of(program, "readv,writev", words, folder)
    return [line.count("iov_len=") for line in told.splitlines() if "iov_len" in line]


@pytest.mark.parametrize(
    ("options", "moved"),
    [
        ("--rw=write --iodepth=8 --iodepth_batch=4", [4, 4, 4, 4]),
        ("--rw=read --iodepth=8 --iodepth_batch=8", [8, 8]),
        ("--rw=write --iodepth=8", [1] * 16),
        ("--rw=write", [1] * 16),
        ("--rw=write:4k --iodepth=4 --iodepth_batch=4", [1] * 16),
    ],
)
def test_what_is_committed_together_and_side_by_side_is_one_call(
    engine: Path, fio: str, tmp_path: Path, options: str, moved: list[int]
) -> None:
    for program, name in ((Path(fio), "fio"), (engine, "ours")):
        assert calls(program, tmp_path / name, f"--size=64k {options}") == moved, name


@pytest.mark.parametrize("rw", ["read", "write", "randrw"])
def test_all_that_was_queued_is_counted(engine: Path, fio: str, tmp_path: Path, rw: str) -> None:
    words = f"--ioengine=vsync --size=512k --iodepth=4 --rw={rw} --output={{}}.json"
    done = []
    for program, name in ((fio, "fio"), (engine, "ours")):
        run(program, [*COMMON, *words.format(name).split()], tmp_path)
        text = (tmp_path / f"{name}.json").read_text()
        row = json.loads(text[text.index("{") :])["jobs"][0]
        done.append((row["read"]["io_bytes"] + row["write"]["io_bytes"]) >> 12)
    assert done == [125, 128]


def test_more_buffers_than_one_call_takes_are_several_calls(engine: Path, tmp_path: Path) -> None:
    options = "--rw=write --size=16m --iodepth=4096 --iodepth_batch=4096 --ioengine=vsync"
    ran = run(engine, [*COMMON, *options.split(), "--verify=crc32c"], tmp_path)
    row = ran.document()["jobs"][0]
    assert [row[way]["total_ios"] for way in ("read", "write")] == [4096, 4096]


@pytest.mark.parametrize("ioengine", ["vsync", "splice"])
@pytest.mark.parametrize(
    "options",
    [
        "--rw=randwrite --bs=2m --size=8m",  # more than a pipe holds
        "--rw=randrw --bs=5k --size=1m --iodepth=3 --iodepth_batch=2 --nrfiles=4 --openfiles=2",
        "--rw=write --bs=4k --size=256k --fsync=3 --iodepth=4 --iodepth_batch=4",
        "--rw=write --bsrange=512-9k --bs_unaligned --size=512k --loops=2 --iomem_align=512",
    ],
)
def test_what_is_written_is_read_again(
    engine: Path, tmp_path: Path, ioengine: str, options: str
) -> None:
    words = ["--name=j", f"--ioengine={ioengine}", "--verify=crc32c", *options.split()]
    ran = run(engine, [*words, "--output-format=json"], tmp_path)
    row = ran.document()["jobs"][0]
    assert (row["error"], row["write"]["short_ios"], row["read"]["short_ios"]) == (0, 0, 0)
    assert row["read"]["io_bytes"] >= row["write"]["io_bytes"] > 0


@needs_root
@pytest.mark.parametrize("ioengine", ["psync", "splice"])
def test_what_was_moved_before_an_error_counts(engine: Path, tmp_path: Path, ioengine: str) -> None:
    with tmpfs(tmp_path / "small", "40k") as small:
        (small / "f").touch()
        os.truncate(small / "f", 64 << 10)
        words = [*COMMON, "--bs=64k", "--size=64k", f"--ioengine={ioengine}", "--rw=write"]
        ran = run(engine, words, small)
    row = json.loads(ran.out)["jobs"][0]
    assert (row["write"]["io_bytes"], row["error"]) == (40 << 10, errno.ENOSPC)


@needs_root
@pytest.mark.parametrize("ioengine", ["psync", "vsync", "splice"])
def test_an_error_is_of_the_io_that_has_it(engine: Path, tmp_path: Path, ioengine: str) -> None:
    """There is space for ten of sixteen blocks: the eleventh, in the middle of a call, ends it."""
    words = f"--ioengine={ioengine} --rw=write --iodepth=8 --iodepth_batch=8"
    with tmpfs(tmp_path / "small", "40k") as small:
        (small / "f").touch()
        os.truncate(small / "f", 64 << 10)
        ran = run(engine, [*COMMON, *words.split()], small)
    row = json.loads(ran.out)["jobs"][0]
    assert (row["write"]["io_bytes"], row["error"]) == (40 << 10, errno.ENOSPC)


@needs_root
def test_a_call_that_fails_is_made_again_for_each(engine: Path, tmp_path: Path) -> None:
    """A disk of which the second half cannot be read, from eight blocks before it on."""
    with loop_device(tmp_path, 4) as device:
        os.truncate(image_of(device), 2 << 20)
        options = [*COMMON[2:], f"--filename={device}", "--offset=2016k", "--direct=1"]
        words = "--ioengine=vsync --rw=read --size=64k --iodepth=16 --iodepth_batch=16"
        job = ["--name=j", *options, *words.split(), "--continue_on_error=all"]
        row = json.loads(run(engine, job, tmp_path).out)["jobs"][0]
    assert (row["total_err"], row["first_error"]) == (8, errno.EIO)
    assert row["read"]["io_bytes"] >= 32 << 10
