"""trim_percentage: some of what a job with verify wrote is trimmed, and has to be zeros."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import image_of, loop_device, needs_root
from support.engine_runs import Ran, run

BLOCKS, BLOCK = 64, 4096
FEW = "trim_percentage=50 trim_backlog=4"
ALL = "trim_percentage=100 trim_backlog=4"
WAYS = ["", "ioengine=libaio iodepth=8 direct=1", "ioengine=io_uring iodepth=4"]
READ, WRITE, TRIM = "0", "1", "2"


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 2) as path:
        yield path


def _run(program: str | Path, folder: Path, name: str, options: str) -> Ran:
    words = f"filename={name} size={BLOCKS * BLOCK} verify=crc32c write_lat_log=l log_offset=1"
    text = "\n".join(["[j]", *f"{words} {options}".split(), ""])
    return run(program, ["--output-format=json", "-"], folder, text)


def _steps(folder: Path) -> list[tuple[str, int]]:
    rows = [row.split(", ") for row in (folder / "l_lat.1.log").read_text().splitlines()]
    return [(row[2], int(row[4]) // BLOCK) for row in rows]


def _counts(ran: Ran) -> tuple[int, ...]:
    assert ran.status == 0, ran.err
    job = ran.document()["jobs"][0]
    return tuple(job[kind]["total_ios"] for kind in ("read", "write", "trim"))


def _zeros(device: str) -> set[int]:
    data = Path(image_of(device)).read_bytes()
    blocks = {number: data[number * BLOCK : (number + 1) * BLOCK] for number in range(BLOCKS)}
    return {number for number, block in blocks.items() if not any(block)}


@needs_root
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rw", ["write", "randwrite", "randrw"])
def test_some_of_what_was_written_is_trimmed(
    engine: Path, tmp_path: Path, device: str, rw: str, way: str
) -> None:
    Path(device).write_bytes(b"x" * (2 << 20))
    ran = _run(engine, tmp_path, device, f"rw={rw} end_fsync=1 {FEW} {way}")
    _, written, _ = _counts(ran)
    steps = _steps(tmp_path)
    trimmed = [at for kind, at in steps if kind == TRIM]
    assert written / 8 < len(trimmed) < written
    assert _zeros(device) == set(trimmed)
    for at in trimmed:
        places = [kind for kind, where in steps if where == at and kind != READ]
        assert places == [WRITE, TRIM]
    looked = [at for kind, at in steps[steps.index((TRIM, trimmed[-1])) :] if kind == READ]
    assert set(trimmed) <= set(looked)


@needs_root
def test_what_was_trimmed_is_read_where_it_has_to_be_zeros(
    engine: Path, tmp_path: Path, device: str
) -> None:
    reads, writes, trims = _counts(_run(engine, tmp_path, device, f"rw=write {FEW}"))
    assert (reads, writes) == (BLOCKS, BLOCKS)
    ran = _run(engine, tmp_path, device, f"rw=write {FEW} trim_verify_zero=0")
    assert _counts(ran) == (BLOCKS - trims, BLOCKS, trims)


@needs_root
def test_so_many_are_trimmed_at_a_time(engine: Path, tmp_path: Path, device: str) -> None:
    assert _counts(_run(engine, tmp_path, device, f"rw=write {ALL}")) == (BLOCKS,) * 3
    kinds = "".join(kind for kind, _ in _steps(tmp_path))
    assert kinds == "11112222" * (BLOCKS // 4) + READ * BLOCKS
    (tmp_path / "l_lat.1.log").unlink()
    _counts(_run(engine, tmp_path, device, f"rw=write {ALL} trim_backlog_batch=2"))
    kinds = "".join(kind for kind, _ in _steps(tmp_path))
    assert kinds == "111122" * (BLOCKS // 4) + READ * BLOCKS


@needs_root
def test_a_job_that_trims_by_itself_trims_as_much_as_fios(
    engine: Path, fio: str, tmp_path: Path, device: str
) -> None:
    options = f"rw=trimwrite {ALL}"
    counts = [_counts(_run(program, tmp_path, device, options)) for program in (engine, fio)]
    assert counts == [(BLOCKS, BLOCKS, 2 * BLOCKS)] * 2


@needs_root
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "more",
    [
        "norandommap=1", "loops=3", "verify_backlog=7", "verify_async=2", "verify_offset=64",
        "fsync=3 verify_policy=fsynced", "norandommap=1 io_size=1m bsrange=4k-16k",
        "verify=pattern verify_pattern=0x5a", "number_ios=13", "serialize_overlap=1",
    ],
)  # fmt: skip
def test_what_is_written_again_is_no_damage(
    engine: Path, tmp_path: Path, device: str, more: str, way: str
) -> None:
    ran = _run(engine, tmp_path, device, f"rw=randwrite {FEW} {way} {more}")
    assert _counts(ran)[2] > 0


@pytest.mark.parametrize("options", ["trim_backlog=4", "trim_percentage=50", f"{FEW} do_verify=0"])
def test_one_alone_trims_nothing(engine: Path, fio: str, tmp_path: Path, options: str) -> None:
    for program in (engine, fio):
        assert _counts(_run(program, tmp_path, "f", f"rw=write {options}"))[2] == 0


def test_what_is_no_device_is_refused(engine: Path, tmp_path: Path) -> None:
    ran = _run(engine, tmp_path, "f", f"rw=write {FEW}")
    assert ran.status == 1
    assert "'f' is no block device" in ran.err
    assert "leave trim_percentage out" in ran.err
    assert not (tmp_path / "f").exists()
