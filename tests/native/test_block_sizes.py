"""Sizes and places of blocks, drawn from ranges and aligned, beside fio's."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from support.engine_runs import run

NULL = ["--name=j", "--ioengine=null", "--size=4m", "--write_iolog=log"]

RANGES = {
    "plain": "--rw=write --bsrange=1k-4k",
    "turned round": "--rw=write --bsrange=4k-1k",
    "no multiple": "--rw=write --bsrange=3k-10k",
    "uneven size": "--rw=read --bsrange=4k-64k --size=1000k",
    "by direction": "--rw=write --bsrange=1k-4k,2k-8k",
    "the rest follow": "--rw=write --bsrange=2k-8k",
    "one size": "--rw=write --bsrange=8k-8k",
    "goes before bs": "--rw=write --bsrange=1k-2k --bs=4k",
    "several files": "--rw=read --bsrange=1k-4k --nrfiles=4",
    "random, uniform": "--rw=randwrite --bsrange=1k-4k --norandommap",
    "by order, sequential": "--rw=write --bs=4k,8k --bs_is_seq_rand=1",
    "by order, random": "--rw=randread --bs=4k,8k --bs_is_seq_rand=1 --norandommap",
}


def ios(program: str | Path, options: list[str], folder: Path) -> list[tuple[int, int]]:
    """Offset and length of each I/O that a job does."""
    ran = run(program, [*NULL, *options], folder)
    assert ran.status == 0, ran.err
    lines = [line.split() for line in (folder / "log").read_text().splitlines()]
    return [(int(row[-2]), int(row[-1])) for row in lines if {"read", "write"} & set(row)]


def lengths(done: list[tuple[int, int]]) -> Counter[int]:
    return Counter(length for _, length in done)


@pytest.mark.parametrize("options", RANGES.values(), ids=RANGES.keys())
def test_sizes_of_a_range_are_fios(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    expected = ios(fio, options.split(), tmp_path / "fio")
    found = ios(engine, options.split(), tmp_path / "ours")

    volume = sum(length for _, length in expected)
    assert abs(sum(length for _, length in found) - volume) <= 16 << 10
    assert abs(len(found) - len(expected)) <= 5 + len(expected) / 8
    if len(lengths(expected)) > 6:  # too few of each to compare
        return
    for size in lengths(expected):
        share = lengths(expected)[size] / len(expected)
        assert abs(lengths(found)[size] / len(found) - share) < 0.1


COVERED = {
    "range": "--bsrange=4k-16k",
    "split": "--bssplit=4k/50:16k/50",
    "uneven size": "--bsrange=4k-16k --size=1001k",
    "another generator": "--bsrange=4k-16k --random_generator=tausworthe64",
    "aligned to the smallest": "--bsrange=4k-16k --ba=4k",
    "one size, aligned to it": "--bs=4k --ba=4k",
    "loops": "--bsrange=4k-16k --loops=3",
    "more than size": "--bsrange=4k-16k --size=1m --io_size=4m",
    "several files": "--bsrange=4k-16k --nrfiles=3 --size=3m",
    "softly": "--bssplit=4k/50:8k/50 --softrandommap=1",
}


@pytest.mark.parametrize("kind", ["randwrite", "randread", "randrw"])
@pytest.mark.parametrize("options", COVERED.values(), ids=COVERED.keys())
def test_a_map_has_each_of_the_smallest_blocks_once(
    engine: Path, fio: str, tmp_path: Path, options: str, kind: str
) -> None:
    arguments = [f"--rw={kind}", *options.split()]
    expected = ios(fio, arguments, tmp_path / "fio")
    found = ios(engine, arguments, tmp_path / "ours")
    assert units(found) == units(expected)
    assert abs(len(found) - len(expected)) <= 20 + len(expected) / 8


def test_a_loop_goes_on_past_the_end_of_the_pass_before(engine: Path, tmp_path: Path) -> None:
    """The file holds about 40 blocks, and each of three loops does 20."""
    for kind in ("randwrite", "write"):
        options = [f"--rw={kind}", "--bsrange=1k-4k", "--size=100k", "--number_ios=20", "--loops=3"]
        assert len(ios(engine, options, tmp_path / kind)) == 60


def units(done: list[tuple[int, int]]) -> Counter[int]:
    """How often each 4 KiB of the job's files came, all of them together."""
    return Counter(at for offset, length in done for at in range(offset, offset + length, 4096))


def test_without_a_map_some_come_again(engine: Path, fio: str, tmp_path: Path) -> None:
    for options in ("--norandommap", "--random_generator=lfsr", "--blockalign=8k"):
        for program in (fio, engine):
            job = ["--rw=randwrite", "--bsrange=4k-16k", options]
            again = units(ios(program, job, tmp_path / options[2:6] / Path(program).name))
            assert max(again.values()) > 1


def test_sizes_of_a_split_are_as_given(engine: Path, tmp_path: Path) -> None:
    for kind in ("write", "randwrite"):
        done = ios(engine, [f"--rw={kind}", "--bssplit=4k/50:6k/50"], tmp_path / kind)
        assert lengths(done)[6144] > 100


def test_a_range_ends_with_what_is_left(engine: Path, tmp_path: Path) -> None:
    done = ios(engine, ["--rw=write", "--bsrange=4k-64k", "--size=1000k"], tmp_path)
    ends = [offset + length for offset, length in done]
    assert ends[-1] == 1000 << 10
    assert [offset for offset, _ in done] == [0, *ends[:-1]]


def test_unaligned_sizes_are_any(engine: Path, tmp_path: Path) -> None:
    done = ios(engine, ["--rw=write", "--bsrange=1000-4000", "--bs_unaligned"], tmp_path)
    sizes = lengths(done[:-1])
    assert min(sizes) >= 1000
    assert max(sizes) <= 4000
    assert len(sizes) > 500
    assert max(sizes.values()) < 20


@pytest.mark.parametrize("options", ["--bs=4k --ba=16k", "--bs=16k --blockalign=4k"])
def test_random_blocks_begin_at_multiples(
    engine: Path, fio: str, tmp_path: Path, options: str
) -> None:
    align = int(options[-3:-1].strip("=")) << 10
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        done = ios(program, ["--rw=randread", *options.split()], folder)
        assert sum(length for _, length in done) == 4 << 20
        assert {offset % align for offset, _ in done} == {0}
        assert len({offset // align for offset, _ in done}) > 100
        assert max(offset + length for offset, length in done) <= 4 << 20


def test_sequential_blocks_are_not_moved(engine: Path, fio: str, tmp_path: Path) -> None:
    options = ["--rw=write", "--ba=16k"]
    assert ios(engine, options, tmp_path / "ours") == ios(fio, options, tmp_path / "fio")


@pytest.mark.parametrize("value", ["4k", "1k-", "-4k", "a-b", "1k-4k,2k-4k,3k-4k,4k-5k", "0-4k"])
def test_what_is_no_range_is_told(engine: Path, tmp_path: Path, value: str) -> None:
    ran = run(engine, ["--parse-only", *NULL, f"--bsrange={value}"], tmp_path)
    assert ran.status == 2
    assert "bsrange: " in ran.err


@pytest.mark.parametrize("options", ["--bsrange=4k-16k", "--bssplit=4k/30:12k/40:32k"])
@pytest.mark.parametrize("kind", ["randwrite", "randrw"])
def test_what_a_map_covers_is_verified_by_both(
    engine: Path, fio: str, tmp_path: Path, options: str, kind: str
) -> None:
    job = ["--name=j", "--filename=f", "--size=1m", "--verify=crc32c", options]
    for writer, reader in ((fio, engine), (engine, fio)):
        folder = tmp_path / Path(writer).name
        written = run(writer, ["--output-format=json", *job, f"--rw={kind}"], folder)
        assert written.status == 0, written.err
        row = written.document()["jobs"][0]
        assert row["read"]["io_bytes"] == 1 << 20
        assert run(reader, ["--name=j", "--filename=f", "--rw=read", "--bs=4k"], folder).status == 0


@pytest.mark.parametrize(
    "options",
    [["--bsrange=4k-10k"], ["--bsrange=4k-8k", "--bs_unaligned"], ["--bssplit=4k/50:6k/50"]],
    ids=["no multiple", "unaligned", "split"],
)
def test_blocks_of_any_sizes_are_verified(engine: Path, tmp_path: Path, options: list[str]) -> None:
    job = ["--name=j", "--rw=randwrite", "--size=1m", "--norandommap", "--verify=crc32c"]
    document = run(engine, ["--output-format=json", *job, *options], tmp_path).document()
    row = document["jobs"][0]
    assert 0 < row["read"]["total_ios"] < row["write"]["total_ios"]


def test_a_range_is_verified(engine: Path, tmp_path: Path) -> None:
    job = ["--name=j", "--rw=randwrite", "--size=1m", "--bsrange=4k-16k", "--verify=crc32c"]
    document = run(engine, ["--output-format=json", *job], tmp_path).document()
    row = document["jobs"][0]
    assert row["write"]["io_bytes"] == 1 << 20
    assert row["read"]["io_bytes"] == 1 << 20


TOO_LARGE = {
    "range": "--bsrange=4k-128k",
    "split": "--bssplit=4k/50:16k/40:128k/10",
    "split, the largest first": "--bssplit=128k/90:4k/10",
    "several files": "--bsrange=4k-128k --nrfiles=2",
    "sizes of files": "--bsrange=4k-128k --filesize=32k --nrfiles=2",
    "unaligned": "--bsrange=4k-128k --bs_unaligned",
    "loops": "--bsrange=4k-128k --loops=3",
    "aligned": "--bssplit=4k/50:128k/50 --ba=4k",
    "uniform": "--bssplit=4k/90:128k/10 --norandommap",
}


@pytest.mark.parametrize("rw", ["write", "randwrite", "randread"])
@pytest.mark.parametrize("options", TOO_LARGE.values(), ids=TOO_LARGE.keys())
def test_blocks_that_fit_are_done(
    engine: Path, fio: str, tmp_path: Path, options: str, rw: str
) -> None:
    """Of sizes that are drawn; what is larger than the file is not."""
    job = ["--name=j", "--size=64k", f"--rw={rw}", "--output-format=json", *options.split()]
    moved = []
    for program in (engine, fio):
        row = run(program, job, tmp_path).document(notes=True)["jobs"][0]
        moved.append(row["read" if rw == "randread" else "write"]["io_bytes"])
    assert abs(moved[0] - moved[1]) <= (16384 if "unaligned" in options else 0)


def test_each_file_has_the_blocks_that_fit_it(engine: Path, tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    for name, size in (("small", 4 << 10), ("large", 1 << 20)):
        (tmp_path / "d" / name).write_bytes(bytes(size))
    job = ["--name=j", "--rw=read", "--opendir=d", "--bssplit=4k/50:64k/50", "--output-format=json"]
    read = run(engine, job, tmp_path).document()["jobs"][0]["read"]
    assert read["io_bytes"] == (1 << 20) + (4 << 10)
    assert read["total_ios"] < 64


@pytest.mark.parametrize(
    "options",
    [
        "--rw=randrw --bs=4k,128k",
        "--rw=rw --bs=128k,4k",
        "--rw=randwrite --bs=4k,128k",
        "--rw=write --bsrange=96k-128k",
        "--rw=write --bssplit=4k/0:128k/100",
        "--rw=write --bs=32k --zonemode=strided --zonesize=16k",
    ],
)
def test_where_no_block_fits_nothing_is_made(engine: Path, tmp_path: Path, options: str) -> None:
    job = ["--name=j", "--size=64k", "--output-format=json", *options.split()]
    ran = run(engine, job, tmp_path)
    assert (ran.status, ran.out, list(tmp_path.iterdir())) == (2, "", [])
    (tmp_path / "f").write_bytes(bytes(64 << 10))
    job = ["--name=j", "--size=4k", "--name=k", "--filename=f", *options.split()]
    ran = run(engine, ["--output-format=json", *job], tmp_path)
    assert (ran.out, [path.name for path in tmp_path.iterdir()]) == ("", ["f"])
    assert ran.status == (2 if "zone" in options else 1)
