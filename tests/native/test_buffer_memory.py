"""What I/O buffers are made of, beside fio's."""

from __future__ import annotations

import fcntl
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.engine_runs import run

JOB = ["--name=j", "--filename=f", "--size=1m", "--bs=64k", "--rw=write", "--buffer_pattern=0x12"]
HUGE_PAGES = Path("/proc/sys/vm/nr_hugepages")
GET_HINT = 1035  # F_GET_RW_HINT


def write(program: str | Path, options: str, folder: Path) -> None:
    ran = run(program, [*JOB, *options.split()], folder)
    assert ran.status == 0, ran.out + ran.err
    assert (folder / "f").read_bytes() == b"\x12" * (1 << 20)
    assert [entry.name for entry in folder.iterdir()] == ["f"]


@pytest.fixture
def huge_pages() -> Iterator[None]:
    try:
        before = HUGE_PAGES.read_text(encoding="ascii")
        HUGE_PAGES.write_text(str(int(before) + 8), encoding="ascii")
    except OSError:
        pytest.skip("needs the right to set vm.nr_hugepages")
    if int(HUGE_PAGES.read_text(encoding="ascii")) < int(before) + 8:
        HUGE_PAGES.write_text(before, encoding="ascii")
        pytest.skip("the kernel has no huge pages to give")
    yield
    HUGE_PAGES.write_text(before, encoding="ascii")


@pytest.mark.parametrize(
    "options",
    [
        "--mem=malloc",
        "--iomem=shm",
        "--mem=mmap",
        "--mem=mmap:memory",
        "--mem=mmapshared",
        "--iomem_align=2m",
        "--mem_align=512",
        "--iomem_align=3",
        "--hugepage-size=4m",
        "--lockmem=1m",
        "--mem=shm --thread --numjobs=2",
    ],
)
@pytest.mark.parametrize("which", ["engine", "fio"])
def test_buffers_are_of_each_kind(
    engine: Path, fio: str, tmp_path: Path, which: str, options: str
) -> None:
    write(engine if which == "engine" else fio, options, tmp_path)


@pytest.mark.parametrize("options", ["--mem=mmapshared:memory", "--mem=mmap:memory --numjobs=3"])
def test_a_file_of_buffers_leaves_nothing_behind(
    engine: Path, tmp_path: Path, options: str
) -> None:
    write(engine, options, tmp_path)


@pytest.mark.parametrize("kind", ["shmhuge", "mmaphuge"])
def test_buffers_are_in_huge_pages(
    engine: Path, tmp_path: Path, huge_pages: None, kind: str
) -> None:
    write(engine, f"--mem={kind} --ioengine=libaio --iodepth=4", tmp_path)


def test_a_file_that_is_there_is_not_changed(engine: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    (tmp_path / "memory").write_bytes(b"kept" * (1 << 16))
    write(engine, f"--mem=mmap:{tmp_path}/memory", folder)
    assert (tmp_path / "memory").read_bytes() == b"kept" * (1 << 16)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ("--mem=mmap:small", "has 5 bytes, and buffers need 65536"),
        ("--mem=mmapshared:small", "would be overwritten"),
        ("--mem=mmaphuge:small", "would be overwritten"),
        ("--mem=mmap:.", "is no regular file"),
        ("--mem=mmap:/nowhere/memory", "No such file"),
        ("--lockmem=1000t", "lockmem: "),
    ],
)
def test_memory_that_is_not_to_be_had_is_told(
    engine: Path, tmp_path: Path, options: str, why: str
) -> None:
    (tmp_path / "small").write_bytes(b"small")
    ran = run(engine, [*JOB, *options.split()], tmp_path)
    assert ran.status == 1
    assert why in ran.out + ran.err
    assert (tmp_path / "small").read_bytes() == b"small"


@pytest.mark.parametrize(
    "options", ["--mem=heap", "--mem=cudamalloc", "--mem=mmap:", "--mem=malloc:x", "--mem"]
)
def test_what_is_no_kind_of_memory_is_told(engine: Path, tmp_path: Path, options: str) -> None:
    ran = run(engine, ["--parse-only", *JOB, options], tmp_path)
    assert ran.status == 2
    assert "mem" in ran.err


@pytest.mark.parametrize("hint", [None, "none", "short", "medium", "long", "extreme"])
def test_the_kernel_is_told_how_long_data_lives(
    engine: Path, fio: str, tmp_path: Path, hint: str | None
) -> None:
    hints = []
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        write(program, f"--write_hint={hint}" if hint else "", folder)
        with (folder / "f").open() as file:
            answer = fcntl.fcntl(file, GET_HINT, struct.pack("Q", 0))
        hints.append(struct.unpack("Q", answer)[0])
    assert hints[0] == hints[1]
