"""What writes and laid-out files hold, beside fio's."""

from __future__ import annotations

import zlib
from pathlib import Path

import pytest

from support.engine_runs import run

JOB = ["--name=j", "--filename=f", "--size=1m", "--bs=64k"]


def content(program: str | Path, options: list[str], folder: Path) -> bytes:
    ran = run(program, [*JOB, *options], folder)
    assert ran.status == 0, ran.err
    return (folder / "f").read_bytes()


def blocks(data: bytes) -> int:
    """How many blocks differ from all others."""
    return len({data[at : at + (64 << 10)] for at in range(0, len(data), 64 << 10)})


@pytest.mark.parametrize("rw", ["write", "read"])
@pytest.mark.parametrize(
    "pattern",
    [
        "0xdeadbeef",
        '"abcd"',
        '"abcd"-12"x"',
        "12",
        "4660",
        "-1",
        "0x1",
        "0xabc",
        "0",
        '0xff"a"7',
        "12 13",
    ],
)
def test_a_pattern_is_fios(engine: Path, fio: str, tmp_path: Path, pattern: str, rw: str) -> None:
    options = [f"--buffer_pattern={pattern}", f"--rw={rw}"]
    expected = content(fio, options, tmp_path / "fio")
    assert content(engine, options, tmp_path / "ours") == expected


@pytest.mark.parametrize("block", ["3k", "2m"])
def test_each_block_of_a_file_begins_the_pattern(
    engine: Path, fio: str, tmp_path: Path, block: str
) -> None:
    options = ['--buffer_pattern="abc"12"x"', "--rw=read", f"--bs={block}", "--size=6m"]
    expected = content(fio, options, tmp_path / "fio")
    assert content(engine, options, tmp_path / "ours") == expected


@pytest.mark.parametrize("length", [1, 5, 512, 70_000])
def test_a_file_begins_a_pattern(engine: Path, fio: str, tmp_path: Path, length: int) -> None:
    (tmp_path / "pattern").write_bytes(b"some words " * 7000)
    with (tmp_path / "pattern").open("r+b") as file:
        file.truncate(length)
    options = [f"--buffer_pattern=0xff'{tmp_path}/pattern'", "--rw=write"]
    expected = content(fio, options, tmp_path / "fio")
    assert content(engine, options, tmp_path / "ours") == expected


@pytest.mark.parametrize(
    "pattern",
    ["abc", "", "0x", '"abc', "%o", "'nowhere'", "'/dev/zero'", "'.'", "'", "-", "0x" + "f" * 1026],
)
def test_what_is_no_pattern_is_told(engine: Path, tmp_path: Path, pattern: str) -> None:
    ran = run(engine, ["--parse-only", *JOB, f"--buffer_pattern={pattern}"], tmp_path)
    assert ran.status == 2
    assert "buffer_pattern: " in ran.err


@pytest.mark.parametrize(
    "options",
    [
        "--buffer_compress_percentage=25",
        "--buffer_compress_percentage=50",
        "--buffer_compress_percentage=80 --buffer_compress_chunk=4k",
        "--buffer_compress_percentage=50 --buffer_compress_chunk=0",
        "--buffer_compress_percentage=100",
        "--buffer_compress_percentage=50 --buffer_pattern=0xdeadbeef",
    ],
)
def test_data_compresses_as_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    asked = ["--rw=write", *options.split()]
    expected = len(zlib.compress(content(fio, asked, tmp_path / "fio"), 1))
    found = len(zlib.compress(content(engine, asked, tmp_path / "ours"), 1))
    assert abs(found - expected) < 60_000


@pytest.mark.parametrize("percent", [0, 30, 100])
def test_writes_repeat_the_last_one(engine: Path, fio: str, tmp_path: Path, percent: int) -> None:
    asked = ["--rw=write", "--size=16m", f"--dedupe_percentage={percent}"]
    expected = blocks(content(fio, asked, tmp_path / "fio"))
    found = blocks(content(engine, asked, tmp_path / "ours"))
    assert abs(found - expected) <= (40 if 0 < percent < 100 else 0)


def test_what_is_not_scrambled_is_written_again(engine: Path, fio: str, tmp_path: Path) -> None:
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        assert blocks(content(program, ["--rw=write", "--scramble_buffers=0"], folder)) == 1
        assert blocks(content(program, ["--rw=write"], folder)) == 16


@pytest.mark.parametrize(
    "options", ["--rw=write", "--rw=randwrite --bs=4k", "--rw=write --bs=1k", "--rw=read"]
)
def test_no_sector_is_written_twice(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    for program in (engine, fio):
        data = content(program, ["--ioengine=psync", *options.split()], tmp_path)
        assert len({data[at : at + 512] for at in range(0, len(data), 512)}) == len(data) // 512


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ("", 1),
        ("--refill_buffers", 1),
        ("--buffer_pattern=0x12", 1),
        ("--buffer_compress_percentage=50", 16),
        ("--buffer_compress_percentage=100", 1),
    ],
)
def test_zeros_yield_to_what_says_more(
    engine: Path, fio: str, tmp_path: Path, options: str, count: int
) -> None:
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        data = content(program, ["--zero_buffers", "--rw=write", *options.split()], folder)
        assert blocks(data) == count
        laid_out = content(program, ["--zero_buffers", "--rw=read", *options.split()], folder)
        assert (data == bytes(len(data))) == (count == 1 and "pattern" not in options)
        assert blocks(laid_out) == count


SET = ["--rw=write", "--dedupe_mode=working_set", "--dedupe_percentage=60"]


@pytest.mark.parametrize("options", ["", "--dedupe_working_set_percentage=20"])
def test_writes_repeat_those_of_a_set(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    asked = [*SET, "--size=64m", *options.split()]
    expected = blocks(content(fio, asked, tmp_path / "fio"))
    found = blocks(content(engine, asked, tmp_path / "ours"))
    assert abs(found - expected) < 120


@pytest.mark.parametrize(("shared", "most"), [("0", 0), ("1", 64)])
def test_jobs_may_share_a_set(engine: Path, tmp_path: Path, shared: str, most: int) -> None:
    asked = [*SET, "--size=16m", f"--dedupe_global={shared}", "--numjobs=2"]
    ran = run(engine, ["--name=j", "--bs=64k", *asked], tmp_path)
    assert ran.status == 0, ran.err
    data = [(tmp_path / f"j.{clone}.0").read_bytes() for clone in (0, 1)]
    apart = blocks(data[0]) + blocks(data[1])
    common = apart - blocks(b"".join(data))
    assert (0 < common <= most) if most else common == 0


@pytest.mark.parametrize(
    ("options", "wrong"),
    [
        ("--dedupe_percentage=96", "dedupe_percentage"),
        ("--size=10%", "size"),
        ("--dedupe_mode=both", "dedupe_mode"),
    ],
)
def test_a_set_that_cannot_be_is_told(
    engine: Path, tmp_path: Path, options: str, wrong: str
) -> None:
    ran = run(engine, ["--parse-only", *JOB, *SET, *options.split()], tmp_path)
    assert ran.status == 2
    assert wrong in ran.err


def pages(*files: Path) -> list[bytes]:
    data = b"".join(each.read_bytes() for each in files)
    return [data[at : at + 4096] for at in range(0, len(data), 4096)]


@pytest.mark.parametrize("options", ["--rw=randread --numjobs=4", "--rw=write --numjobs=4 --bs=4k"])
def test_no_two_files_have_a_page_in_common(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    """What deduplicates would have to read one of them alone, or nothing to write."""
    for program in (engine, fio):
        folder = tmp_path / Path(program).name
        words = ["--name=j", "--size=256k", *options.split()]
        assert run(program, words, folder).status == 0
        found = pages(*folder.glob("j.*"))
        assert len(set(found)) == len(found) == 256


@pytest.mark.parametrize("options", ["--rw=write", "--rw=randwrite --bs=4k", "--rw=read"])
def test_each_run_has_other_data(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    for program in (engine, fio) if "write" in options else (engine,):  # fio lays out the same
        folder = tmp_path / Path(program).name
        for name in ("a", "b"):
            words = ["--name=j", "--size=256k", f"--filename={name}", *options.split()]
            assert run(program, words, folder).status == 0
        found = pages(folder / "a", folder / "b")
        assert len(set(found)) == len(found) == 128


def test_a_pattern_that_cannot_be_deduplicated_in_part_is_told(
    engine: Path, tmp_path: Path
) -> None:
    words = [*JOB, "--rw=write", "--dedupe_percentage=50", "--output-format=json"]
    ran = run(engine, [*words, "--buffer_pattern=0x12"], tmp_path)
    (warning,) = ran.document()["iogate"]["warnings"]
    assert "dedupe_percentage does nothing with buffer_pattern" in warning
    assert set((tmp_path / "f").read_bytes()) == {0x12}
    for more in ("--buffer_compress_percentage=50", "--zero_buffers"):
        found = run(engine, [*words, more], tmp_path).document()["iogate"]
        assert "warnings" not in found
