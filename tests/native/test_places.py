"""Where a job's I/O goes: offset_increment, offset_align, percentage_random, random_generator."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from support.engine_runs import run

MIB = 1 << 20
CLONES = (1, 2, 3)
LOG = "write_lat_log=l\nlog_offset=1\n"


def _offsets(program: str | Path, folder: Path, text: str, clone: int = 1) -> list[int]:
    """Where the I/Os of a clone went, in their order."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "f").open("wb") as stream:
        stream.truncate(MIB)
    ran = run(program, ["-"], folder, f"[j]\nfilename=f\nsize=64k\nrw=read\n{LOG}{text}")
    assert ran.status == 0, ran.err
    rows = (folder / f"l_lat.{clone}.log").read_text().splitlines()
    return [int(row.split(", ")[4]) for row in rows]


@pytest.mark.parametrize(
    "text",
    [
        "offset_increment=64k",
        "offset=8k\noffset_increment=128k",
        "offset_increment=10%",
        "offset=10%\noffset_increment=10%\noffset_align=64k",
        "offset=100000\noffset_align=64k\nbs=512",
    ],
)
def test_clones_begin_where_those_of_fio_do(
    engine: Path, fio: str, tmp_path: Path, text: str
) -> None:
    more = f"numjobs=3\n{text}\n"
    starts = [
        sorted(_offsets(program, tmp_path / f"{name}-{clone}", more, clone)[0] for clone in CLONES)
        for name, program in (("fio", fio), ("ours", engine))
    ]
    assert starts[1] == starts[0]


def _following(offsets: list[int]) -> float:
    """The share of I/Os that begin where the one before them ended."""
    return sum(b == a + 4096 for a, b in pairwise(offsets)) / len(offsets)


RANDOM = "ioengine=null\nrw=randread\nsize=64m\nnumber_ios=4000\n"


@pytest.mark.parametrize("percent", [25, 50, 90])
def test_a_part_of_random_io_follows_on(
    engine: Path, fio: str, tmp_path: Path, percent: int
) -> None:
    text = f"{RANDOM}percentage_random={percent}\n"
    expected = _following(_offsets(fio, tmp_path / "fio", text))
    got = _following(_offsets(engine, tmp_path / "ours", text))
    assert got == pytest.approx(1 - percent / 100, abs=0.04)
    assert got == pytest.approx(expected, abs=0.05)


def test_no_random_part_is_sequential(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "rw=randread\npercentage_random=0\n"
    got = _offsets(engine, tmp_path / "ours", text)
    assert got == _offsets(fio, tmp_path / "fio", text) == [n * 4096 for n in range(16)]


def test_directions_have_percentages_of_their_own(engine: Path, tmp_path: Path) -> None:
    text = "[j]\nioengine=null\nrw=randrw\nsize=64m\nnumber_ios=2000\npercentage_random=0,100\n"
    ran = run(engine, ["-"], tmp_path, text + LOG)
    assert ran.status == 0, ran.err
    rows = [line.split(", ") for line in (tmp_path / "l_lat.1.log").read_text().splitlines()]
    reads, writes = ([int(row[4]) for row in rows if row[2] == way] for way in "01")
    assert _following(reads) > 0.99
    assert _following(writes) < 0.05


@pytest.mark.parametrize("generator", ["tausworthe", "lfsr", "tausworthe64"])
def test_each_generator_covers_all(engine: Path, fio: str, tmp_path: Path, generator: str) -> None:
    text = f"rw=randread\nrandom_generator={generator}\n"
    got = _offsets(engine, tmp_path / "ours", text)
    assert sorted(got) == sorted(_offsets(fio, tmp_path / "fio", text))
    assert got != sorted(got)


def test_lfsr_covers_all_without_a_map(engine: Path, fio: str, tmp_path: Path) -> None:
    text = "rw=randread\nrandom_generator=lfsr\nnorandommap\n"
    expected = sorted(_offsets(fio, tmp_path / "fio", text))
    assert sorted(_offsets(engine, tmp_path / "ours", text)) == expected
    assert len(set(expected)) == 16


@pytest.mark.parametrize("blocks", ["blockalign=8k", "bs=4k,8k", "bs=4k\nbsrange=2k-4k,1k-8k"])
def test_lfsr_moves_all_with_blocks_of_any_kind(engine: Path, tmp_path: Path, blocks: str) -> None:
    text = f"[j]\nsize=1m\nrw=randread\nrandom_generator=lfsr\n{blocks}\n"
    row = run(engine, ["--output-format=json", "-"], tmp_path, text).document()["jobs"][0]
    assert 1 << 20 <= row["read"]["io_bytes"] < (1 << 20) + 8192


@pytest.mark.parametrize(("option", "says"), [
    ("percentage_random=101", "101 is too large, at most 100"),
    ("random_generator=dice", "'dice' is not one of"),
    ("offset_increment=far", "cannot read 'far'"),
])  # fmt: skip
def test_a_wrong_value_is_told(engine: Path, tmp_path: Path, option: str, says: str) -> None:
    ran = run(engine, ["-"], tmp_path, f"[j]\nrw=randread\nsize=1m\n{option}\n")
    assert ran.status == 2
    assert f"stdin:4:{len(option.partition('=')[0]) + 2}: " in ran.err
    assert says in ran.err
