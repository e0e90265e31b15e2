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
