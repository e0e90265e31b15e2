"""What published job files and command lines have, and neither documentation shows by example.

fio takes each of them; so does the engine, and does as much.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from native.test_agreement import both
from support.differential import differences
from support.engine_runs import run

FILE = "filename=f size=256k "

TAKEN = (
    # Another name of an ioengine.
    FILE + "ioengine=linuxaio rw=write iodepth=4",
    FILE + "ioengine=aio rw=randread iodepth=4",
    # A flag may have any number: it is on.
    FILE + "rw=write thread=32",
    FILE + "rw=write group_reporting=2 numjobs=2",
    FILE + "rw=randwrite norandommap=8 number_ios=16",
    # What is behind the point of a percentage is left out.
    FILE + "rw=rw rwmixread=100.0",
    FILE + "rw=rw rwmixwrite=0.9",
    # Without a map of what was visited a job goes on until size is moved, whatever files hold.
    "filename=a:b:c:d:e size=1m rw=randwrite norandommap",
    "nrfiles=3 size=100k rw=randread norandommap",
    FILE + "rw=randwrite norandommap size=1000000",
    FILE + "rw=randwrite size=1000000",
    # A depth that no ioengine holds is as deep as it goes.
    FILE + "ioengine=null rw=randwrite iodepth=1048576",
    # Batches that no depth holds are as large as the depth.
    FILE + "ioengine=libaio rw=randwrite iodepth=8 iodepth_batch_submit=1048576",
    FILE + "ioengine=libaio rw=randwrite iodepth=8 iodepth_batch_complete_max=1048576",
)


@pytest.mark.parametrize("options", TAKEN, ids=[" ".join(t.split()[-3:]) for t in TAKEN])
def test_it_is_taken(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    reference, ours = both(engine, fio, tmp_path, options)
    assert reference.has_worked
    assert list(differences(reference, ours)) == []


def test_reads_where_nothing_is_yet_move_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    """Of a job that makes its file as it writes; synchronous I/O fails there, in both."""
    job = "rw=randrw size=1m create_on_open=1 fallocate=none randseed=2 "
    for number, kind in enumerate(("libaio iodepth=4", "io_uring iodepth=4", "psync")):
        reference, ours = both(engine, fio, tmp_path / str(number), f"{job} ioengine={kind}")
        assert reference.has_worked == ours.has_worked == (kind != "psync")
        if ours.has_worked:
            assert sum(ios for ios, _ in ours.moved.values()) == 256
            assert sum(moved for _, moved in ours.moved.values()) < 1 << 20


def test_a_flag_of_no_number_is_an_error(engine: Path, tmp_path: Path) -> None:
    for value in ("-1", "2x", ""):
        ran = run(engine, ["--name=j", f"--thread={value}", "--size=4k"], tmp_path)
        assert (ran.status, "thread" in ran.err) == (2, True), value


def test_shares_above_a_hundred_are_cut_off(engine: Path, tmp_path: Path) -> None:
    """The sizes behind get what is left: 64k/100 behind 4k/25 and 8k/25 is a half."""
    asked = ["--name=j", "--ioengine=null", "--rw=randread", "--size=1g", "--norandommap"]
    asked += ["--bssplit=4k/25:8k/25:64k/100:128k/30", "--number_ios=4000", "--write_iolog=log"]
    assert run(engine, asked, tmp_path).status == 0
    rows = (line.split() for line in (tmp_path / "log").read_text().splitlines())
    sizes = Counter(row[-1] for row in rows if "read" in row)
    assert set(sizes) == {"4096", "8192", "65536"}, sizes
    assert sizes["65536"] == pytest.approx(2000, rel=0.1)


@pytest.mark.parametrize(
    "ranges",
    [
        "1k:4k",
        "4k:1k",
        "1k-4k,8k:32k",
        "1k:4k,8k:32k",
        "4k:4k,4k:4k",
        "1k-2k,",
        ",1k-2k",
        ",1k:2k,",
    ],
)
def test_ranges_have_a_dash_or_a_colon(engine: Path, fio: str, tmp_path: Path, ranges: str) -> None:
    asked = ["--name=j", "--ioengine=null", "--size=256k", "--rw=read", f"--bsrange={ranges}"]
    heads = []
    for program in (engine, fio):
        ran = run(program, asked, tmp_path)
        assert ran.status == 0, ran.err
        heads.append(ran.out.splitlines()[0])
    assert heads[0] == heads[1]


def test_a_slash_stands_between_directions_too(engine: Path, tmp_path: Path) -> None:
    """So the documentation says; fio takes the first range for all."""
    asked = ["--name=j", "--ioengine=null", "--size=256k", "--bsrange=1k-4k/8k-32k"]
    head = run(engine, asked, tmp_path).out.splitlines()[0]
    assert "bs=(R) 1024B-4096B, (W) 8192B-32.0KiB, (T) 8192B-32.0KiB" in head


@pytest.mark.parametrize("delay", ["10ms:20ms", "0:1ms"])
def test_delays_have_a_colon_too(engine: Path, fio: str, tmp_path: Path, delay: str) -> None:
    asked = ["--name=j", "--ioengine=null", "--size=4k", f"--startdelay={delay}"]
    for program in (engine, fio):
        assert run(program, asked, tmp_path).status == 0


def test_files_of_drawn_sizes_have_a_colon_too(engine: Path, tmp_path: Path) -> None:
    asked = ["--name=j", "--rw=read", "--filesize=4k:16k", "--nrfiles=4", "--create_only=1"]
    assert run(engine, asked, tmp_path).status == 0
    sizes = {path.stat().st_size for path in tmp_path.iterdir()}
    assert 4096 <= min(sizes) <= max(sizes) <= 16384
