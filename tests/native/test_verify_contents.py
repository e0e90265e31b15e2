"""What blocks that can be verified hold, whatever is said of buffers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from support.engine_runs import run

SIZE = 256 << 10
BUFFERS = (
    "buffer_pattern=0x1234",
    "zero_buffers=1",
    "refill_buffers=1",
    "dedupe_percentage=50",
    "buffer_compress_percentage=50",
)
HEADERS = {"pattern": 0, "pattern_hdr": 44, "crc32c": 48}
ENGINES = ("psync", "vsync", "libaio", "io_uring", "posixaio", "mmap", "splice")


def _job(program: str | Path, folder: Path, *options: str) -> int:
    lines = ["[j]", "filename=f", "bs=4k", "size=256k", *options]
    return run(program, ["-"], folder, "\n".join(lines) + "\n").status


@pytest.mark.parametrize("verify", HEADERS)
@pytest.mark.parametrize("buffers", BUFFERS)
def test_a_verify_pattern_goes_before_what_is_said_of_buffers(
    engine: Path, fio: str, tmp_path: Path, buffers: str, verify: str
) -> None:
    options = (f"verify={verify}", "verify_pattern=%o0xab", buffers)
    for rw in ("write", "randwrite", "rw", "randrw"):
        assert _job(engine, tmp_path, *options, f"rw={rw}") == 0, rw
    assert _job(engine, tmp_path, *options, "rw=write") == 0
    data = (tmp_path / "f").read_bytes()
    for at in range(0, SIZE, 4096):
        block = ((at.to_bytes(8, "little") + b"\xab") * 456)[HEADERS[verify] : 4096]
        assert data[at + HEADERS[verify] : at + 4096] == block
    for reader in (engine, fio):
        if verify != "pattern_hdr" or reader == engine:  # fio 3.33 does not have it
            assert _job(reader, tmp_path, *options[:2], "rw=read") == 0


@pytest.mark.parametrize("ioengine", ENGINES)
def test_each_ioengine_writes_the_verify_pattern(
    engine: Path, tmp_path: Path, ioengine: str
) -> None:
    options = (f"ioengine={ioengine}", "verify=pattern", "verify_pattern=0xab")
    for buffers in BUFFERS:
        assert _job(engine, tmp_path, *options, buffers, "rw=write", "iodepth=4") == 0
        assert set((tmp_path / "f").read_bytes()) == {0xAB}


@pytest.mark.parametrize("options", ["bs=4k", "bs=64k", "bs=512k size=4m", "bs=4095 size=1m"])
@pytest.mark.parametrize("refill", ["0", "1"])
def test_blocks_that_verify_are_all_noise(
    engine: Path, fio: str, tmp_path: Path, options: str, refill: str
) -> None:
    """As documented, verify has refill_buffers with it."""
    for program in (engine, fio):
        words = ("rw=write", "verify=md5", f"refill_buffers={refill}", *options.split())
        assert _job(program, tmp_path, *words) == 0
        data = (tmp_path / "f").read_bytes()
        found = {data[at : at + 16] for at in range(0, len(data), 16)}
        assert len(found) > 0.995 * len(data) / 16


def test_what_is_said_of_buffers_stands_behind_headers(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    held: dict[str, Callable[[bytes], bool]] = {
        "buffer_pattern=0x12": lambda data: data[1000:4096] == bytes([0x12]) * 3096,
        "zero_buffers=1": lambda data: data[1000:4096] == bytes(3096),
        "dedupe_percentage=100": lambda data: data[1000:4096] == data[5096:8192],
    }
    for option, holds in held.items():
        for program in (engine, fio):
            assert _job(program, tmp_path, "rw=write", "verify=md5", option) == 0
            assert holds((tmp_path / "f").read_bytes()) == (program == engine), option
