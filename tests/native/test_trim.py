"""rw=trim and its kin beside fio's, on loop devices; and that a trim is guarded as a write is."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.devices import image_of, loop_device, mounted, needs_root, swapping
from support.engine_runs import Ran, paths, run

KINDS = ("trim", "randtrim", "trimwrite", "randtrimwrite")
ASYNC = "ioengine=libaio iodepth=4 direct=1"
CASES = {
    **{kind: f"rw={kind} size=1m" for kind in KINDS},
    **{f"{kind}-deep": f"rw={kind} size=1m {ASYNC}" for kind in KINDS},
    **{f"{kind}-uring": f"rw={kind} size=256k ioengine=io_uring iodepth=8" for kind in KINDS},
    "sizes": "rw=trim size=1m bs=4k,8k,16k",
    "offset": "rw=randtrim size=512k offset=1m",
    "io_size": "rw=trimwrite size=1m io_size=256k",
    "number_ios": "rw=trimwrite size=1m number_ios=5",
    "loops": "rw=randtrim size=256k loops=3",
    "loops, written": "rw=randtrimwrite size=256k loops=3",
    "zones": "rw=trimwrite size=256k zonemode=strided zonesize=16k zoneskip=16k",
    "clones": "rw=randtrim size=256k numjobs=3 group_reporting",
    "rate": "rw=trim size=64k rate=,,4m",
    "rate_iops": "rw=trimwrite size=64k rate_iops=,2000,1000",
    "norandommap": "rw=randtrim size=256k norandommap",
    "percentiles": "rw=trim size=256k lat_percentiles=1 percentile_list=50:99",
}


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 8) as path:
        yield path


def job(device: str, options: str) -> str:
    return "\n".join(["[j]", f"filename={device}", *options.split(), ""])


def steps(folder: Path) -> list[tuple[str, int, int]]:
    lines = (folder / "log").read_text().splitlines()
    found = [re.search(r"(trim|write) (\d+) (\d+)$", line) for line in lines]
    return [(each[1], int(each[2]), int(each[3])) for each in found if each]


def counts(document: dict[str, Any]) -> list[tuple[int, int, int]]:
    return [
        tuple(row[kind]["total_ios"] for kind in ("read", "write", "trim"))
        for row in document["jobs"]
    ]


@needs_root
@pytest.mark.parametrize("options", CASES.values(), ids=CASES.keys())
def test_the_same_job_has_the_same_document_and_totals(
    engine: Path, fio: str, tmp_path: Path, device: str, options: str
) -> None:
    asked = ["--output-format=json", "-"]
    expected = run(fio, asked, tmp_path / "fio", job(device, options)).document(notes=True)
    found = run(engine, asked, tmp_path / "ours", job(device, options)).document()

    assert set(paths(expected)) - set(paths(found)) == set()
    assert counts(found) == counts(expected)
    assert any(trims for _, _, trims in counts(found))
    for row, reference in zip(found["jobs"], expected["jobs"], strict=True):
        for kind in ("write", "trim"):
            assert row[kind]["io_bytes"] == reference[kind]["io_bytes"]
            assert bool(row[kind]["iops"]) == bool(reference[kind]["iops"])
            assert row[kind]["clat_ns"].keys() == reference[kind]["clat_ns"].keys()


@needs_root
@pytest.mark.parametrize("kind", ["trimwrite", "randtrimwrite"])
def test_each_block_is_trimmed_and_then_written(
    engine: Path, fio: str, tmp_path: Path, device: str, kind: str
) -> None:
    text = job(device, f"rw={kind} size=256k write_iolog=log")
    for program, folder in ((fio, tmp_path / "fio"), (engine, tmp_path / "ours")):
        assert run(program, ["-"], folder, text).status == 0
        done = steps(folder)
        assert [what for what, _, _ in done] == ["trim", "write"] * 64
        assert [at for _, at, _ in done[::2]] == [at for _, at, _ in done[1::2]]
        assert sorted(at for _, at, _ in done[::2]) == list(range(0, 256 << 10, 4096))


@needs_root
@pytest.mark.parametrize("sizes", ["4k,8k,16k", "4k,16k,8k"])
def test_a_block_is_as_large_as_the_larger_size(
    engine: Path, tmp_path: Path, device: str, sizes: str
) -> None:
    text = job(device, f"rw=randtrimwrite size=256k bs={sizes} write_iolog=log {ASYNC}")
    document = run(engine, ["--output-format=json", "-"], tmp_path, text).document()
    assert counts(document) == [(0, *((32, 16) if sizes.endswith("16k") else (16, 32)))]
    done = steps(tmp_path)
    for first in range(0, len(done), 3):
        block = done[first : first + 3]
        for kind in ("trim", "write"):
            assert sum(length for what, _, length in block if what == kind) == 16 << 10
        assert len({at // (16 << 10) for _, at, _ in block}) == 1
        assert [what for what, _, _ in block] == sorted(what for what, _, _ in block)


@needs_root
@pytest.mark.parametrize(
    "name", ["psync", "vsync", "pvsync2", "libaio", "io_uring", "splice", "posixaio", "mmap"]
)
def test_no_write_is_lost_to_its_trim(engine: Path, tmp_path: Path, device: str, name: str) -> None:
    """A trim that came after the write of its block would leave zeros there."""
    options = f"rw=randtrimwrite size=2m ioengine={name} iodepth=16 verify=crc32c"
    ran = run(engine, ["--output-format=json", "-"], tmp_path, job(device, options))
    row = ran.document()["jobs"][0]
    assert [row[kind]["total_ios"] for kind in ("read", "write", "trim")] == [512] * 3


@needs_root
def test_writes_behind_trims_are_synced(
    engine: Path, fio: str, tmp_path: Path, device: str
) -> None:
    words = ["--name=j", f"--filename={device}", "--rw=trimwrite", "--bs=64k", "--size=1m"]
    words += ["--fsync=4", "--output-format=json"]
    rows = [run(each, words, tmp_path).document(notes=True)["jobs"][0] for each in (fio, engine)]
    assert [row["write"]["total_ios"] for row in rows] == [16, 16]
    syncs = [row["sync"]["total_ios"] for row in rows]
    assert syncs[0] == 0 < syncs[1]


@needs_root
def test_what_is_trimmed_is_gone(engine: Path, tmp_path: Path, device: str) -> None:
    Path(device).write_bytes(b"x" * (8 << 20))
    text = job(device, "rw=randtrim size=1m offset=1m")
    assert run(engine, ["-"], tmp_path, text).status == 0
    left = Path(image_of(device)).read_bytes()
    assert left == b"x" * (1 << 20) + bytes(1 << 20) + b"x" * (6 << 20)


@needs_root
def test_the_summary_has_a_line_of_trims(
    engine: Path, fio: str, tmp_path: Path, device: str
) -> None:
    text = job(device, "rw=trimwrite size=1m bs=4k,8k,8k")
    for program in (fio, engine):
        out = run(program, ["-"], tmp_path, text).out
        assert "rw=trimwrite, bs=(R) 4096B-4096B, (W) 8192B-8192B, (T) 8192B-8192B" in out
        assert re.search(r"^  trim: IOPS=[\d.k]+, BW=.*\(1024KiB/\d+msec\)$", out, re.MULTILINE)
        assert "issued rwts: total=0,128,128,0" in out
        assert re.search(r"^   TRIM: bw=.* io=1024KiB", out, re.MULTILINE)


@needs_root
def test_a_recorded_trim_is_replayed(engine: Path, tmp_path: Path, device: str) -> None:
    assert run(engine, ["-"], tmp_path, job(device, "rw=trim size=64k write_iolog=log")).status == 0
    for more, trims in (("", 16), ("replay_skip=trim\n", None)):
        text = f"[j]\nread_iolog=log\nreplay_no_stall=1\n{more}"
        ran = run(engine, ["--output-format=json", "-"], tmp_path, text)
        if trims is None:
            assert "there is no I/O to replay" in ran.err
        else:
            assert counts(ran.document()) == [(0, 0, trims)]


def refused(engine: Path, folder: Path, text: str, *more: str) -> Ran:
    ran = run(engine, [*more, "-"], folder, text)
    assert ran.status != 0
    return ran


@needs_root
@pytest.mark.parametrize("kind", KINDS)
def test_a_trim_is_guarded_as_a_write(engine: Path, tmp_path: Path, device: str, kind: str) -> None:
    text = job(device, f"rw={kind} size=1m")
    Path(device).write_bytes(b"x" * (8 << 20))
    assert "--readonly forbids it" in refused(engine, tmp_path, text, "--readonly").err
    assert Path(device).read_bytes() == b"x" * (8 << 20)
    subprocess.run(["mkfs.ext4", "-qF", device], check=True)
    with mounted(device, tmp_path / "mount"):
        ran = refused(engine, tmp_path, text)
        assert (ran.status, "mounted" in ran.err) == (3, True)
    with swapping(device):
        ran = refused(engine, tmp_path, text)
        assert (ran.status, "swap" in ran.err) == (3, True)


@pytest.mark.parametrize("kind", KINDS)
def test_only_a_device_is_trimmed(engine: Path, fio: str, tmp_path: Path, kind: str) -> None:
    text = f"[j]\nrw={kind}\nsize=1m\nfilename=file\n"
    assert run(fio, ["-"], tmp_path / "fio", text).status != 0
    ran = refused(engine, tmp_path / "ours", text)
    assert "'file' is no block device, and only those can be trimmed" in ran.err
    assert not (tmp_path / "ours" / "file").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("rw=trimwrite bs=4k,8k,12k", "one has to be a multiple of the other"),
        ("rw=trimwrite bssplit=4k/50:8k/50", "blocks of one size"),
    ],
)
def test_blocks_that_cannot_be_trimmed_and_written_are_told(
    engine: Path, tmp_path: Path, options: str, says: str
) -> None:
    ran = refused(engine, tmp_path, job("/dev/null", f"size=1m {options}"))
    assert ran.status == 2
    assert "stdin:5:1:" in ran.err
    assert says in ran.err
