"""What is written with ``verify`` is on disk as fio has it: either program checks what the other
wrote, and each finds what is damaged."""

from __future__ import annotations

import hashlib
import json
import struct
from pathlib import Path

import pytest

from support.devices import loop_device, needs_root
from support.engine_runs import Ran, run

SUMS = (
    *("md5", "crc64", "crc32c", "crc32c-intel", "crc32", "crc16", "crc7", "xxhash", "sha512"),
    *("sha256", "sha1", "sha3-224", "sha3-256", "sha3-384", "sha3-512", "meta", "null"),
)
SHAPES = {
    "block": "",
    "interval": "verify_interval=1k",
    "offset": "verify_offset=300",
    "both": "verify_interval=1k verify_offset=512",
    "uneven": "verify_interval=1000",
}
SIZE = 256 << 10


def _job(rw: str, options: str, name: str = "f") -> str:
    lines = f"filename={name} bs=4k size=256k rw={rw} {options}".split()
    return "[j]\n" + "\n".join(lines) + "\n"


def _run(program: str | Path, folder: Path, rw: str, options: str, name: str = "f") -> Ran:
    return run(program, ["--output-format=json", "-"], folder, _job(rw, options, name))


def _flip(path: Path, at: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(at)
        byte = stream.read(1)[0]
        stream.seek(at)
        stream.write(bytes([byte ^ 1]))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("verify", SUMS)
def test_each_reads_what_the_other_wrote(
    engine: Path, fio: str, tmp_path: Path, verify: str, shape: str
) -> None:
    options = f"verify={verify} {SHAPES[shape]} "
    for writer, reader in ((engine, fio), (fio, engine)):
        written = _run(writer, tmp_path, "randwrite", options + "do_verify=0")
        read = _run(reader, tmp_path, "read", options)
        assert (written.status, read.status) == (0, 0), written.err + read.err + read.out


OF_SIZES = ("bsrange=4k-16k", "bssplit=4k/50:16k/50", "bsrange=3k-8k", "bs=2k bsrange=4k-8k",
            "bsrange=4k-16k verify_interval=8k")  # fmt: skip


@pytest.mark.parametrize("sizes", OF_SIZES)
def test_blocks_of_several_sizes_have_headers_where_fio_has_them(
    engine: Path, fio: str, tmp_path: Path, sizes: str
) -> None:
    for writer, reader in ((engine, fio), (fio, engine), (engine, engine)):
        text = (
            f"[j]\nfilename=f\nsize=768k\nverify=md5\nrandseed=7\n{sizes.replace(' ', chr(10))}\n"
        )
        for program, rest in ((writer, "rw=write\ndo_verify=0\n"), (reader, "rw=read\n")):
            ran = run(program, ["-"], tmp_path, text + rest)
            assert ran.status == 0, ran.err


@pytest.mark.parametrize("rw", ["read", "randread", "write"])
@pytest.mark.parametrize("more", ["loops=2", "io_size=512k"])
def test_as_much_is_looked_at_as_is_asked_for(
    engine: Path, tmp_path: Path, rw: str, more: str
) -> None:
    assert _run(engine, tmp_path, "write", "verify=crc32c do_verify=0").status == 0
    job = _run(engine, tmp_path, rw, f"verify=crc32c {more}").document()["jobs"][0]
    assert job[rw.removeprefix("rand")]["total_ios"] == 128


def test_what_was_written_in_several_sizes_is_read_in_another(
    engine: Path, fio: str, tmp_path: Path
) -> None:
    for writer, reader in ((engine, fio), (fio, engine), (engine, engine)):
        for to, back in (("bsrange=4k-16k", "bs=4k"), ("bs=4k", "bssplit=4k/50:16k/50")):
            for program, more in ((writer, f"rw=write\ndo_verify=0\n{to}"), (reader, back)):
                text = f"[j]\nfilename=f\nsize=256k\nverify=crc32c\nrw=read\n{more}\n"
                assert run(program, ["-"], tmp_path, text).status == 0


@pytest.mark.parametrize("verify", sorted({*SUMS} - {"meta", "null", "sha512"}))
def test_one_flipped_bit_is_found_by_both(
    engine: Path, fio: str, tmp_path: Path, verify: str
) -> None:
    options = f"verify={verify} "
    for writer, reader in ((engine, fio), (fio, engine), (engine, engine)):
        assert _run(writer, tmp_path, "write", options).status == 0
        for at in (40960 + 24, 40960 + 150, 40960 + 4095):
            _flip(tmp_path / "f", at)
            read = _run(reader, tmp_path, "read", options)
            assert read.status == 1, at
            _flip(tmp_path / "f", at)
        assert _run(reader, tmp_path, "read", options).status == 0


def test_damage_is_told_with_its_place(engine: Path, fio: str, tmp_path: Path) -> None:
    assert _run(fio, tmp_path, "write", "verify=md5").status == 0
    data = (tmp_path / "f").read_bytes()[40960:45056]
    _flip(tmp_path / "f", 40960 + 3000)
    changed = (tmp_path / "f").read_bytes()[40960:45056]
    read = _run(engine, tmp_path, "read", "verify=md5")
    assert (
        "j: verify: block 10 at offset 40960 does not match its checksum: md5 "
        f"{hashlib.md5(data[56:]).hexdigest()} expected, "
        f"{hashlib.md5(changed[56:]).hexdigest()} found ('f')"
    ) in read.err


HEADER = {
    "magic": (0, "magic acca expected, accb found"),
    "method": (2, "has a damaged header: its checksum"),
    "length": (4, "has a damaged header: its checksum"),
    "offset": (16, "has a damaged header: its checksum"),
}


@pytest.mark.parametrize("part", HEADER)
def test_a_damaged_header_is_told(engine: Path, fio: str, tmp_path: Path, part: str) -> None:
    at, says = HEADER[part]
    assert _run(fio, tmp_path, "write", "verify=crc32c").status == 0
    _flip(tmp_path / "f", 8192 + at)
    assert says in _run(engine, tmp_path, "read", "verify=crc32c").err


def test_a_header_says_what_fios_does(engine: Path, fio: str, tmp_path: Path) -> None:
    """But for the seed and the time, which are other ones in each run."""
    headers = []
    for program in (engine, fio):
        assert _run(program, tmp_path, "write", "verify=meta do_verify=0").status == 0
        data = (tmp_path / "f").read_bytes()
        fields = [struct.unpack_from("<HHIQQIIHHI", data, at) for at in range(0, SIZE, 4096)]
        headers.append([(*each[:3], each[4], *each[7:9]) for each in fields])
    assert headers[0] == headers[1]


PATTERNS = ("12", "0x1234", "-300", '"ab"', "%o", '0xff%o"abcd"-12', "%o%o", "0xdeadbeefcafebabe11")


@pytest.mark.parametrize("verify", ["verify=pattern", "verify=md5 verify_interval=1k", ""])
@pytest.mark.parametrize("pattern", PATTERNS)
def test_patterns_are_fios(
    engine: Path, fio: str, tmp_path: Path, pattern: str, verify: str
) -> None:
    """Without ``verify`` they stand behind headers of their own kind."""
    options = f"{verify} verify_pattern={pattern} "
    data = []
    for writer, reader in ((engine, fio), (fio, engine)):
        assert _run(writer, tmp_path, "randwrite", options + "do_verify=0").status == 0
        read = _run(reader, tmp_path, "read", options)
        assert read.status == 0, read.err + read.out
        data.append((tmp_path / "f").read_bytes())
    header = 0 if "pattern" in verify else 56
    for at in range(0, SIZE, 1024 if "interval" in verify else 4096):
        ours, fios = (each[at + header : at + 1024] for each in data)
        assert ours == fios


def test_a_pattern_begins_again_after_its_interval(engine: Path, tmp_path: Path) -> None:
    options = "verify=pattern verify_pattern=%o0xaa verify_pattern_interval=1000 "
    assert _run(engine, tmp_path, "write", options).status == 0
    data = (tmp_path / "f").read_bytes()
    for block in range(0, SIZE, 4096):
        for at in range(block, block + 4096, 1000):
            part = data[at : min(at + 1000, block + 4096)]
            assert part == ((at.to_bytes(8, "little") + b"\xaa") * 200)[: len(part)]


def test_a_pattern_is_looked_at_byte_by_byte(engine: Path, tmp_path: Path) -> None:
    for verify in ("pattern", "pattern_hdr"):
        options = f'verify={verify} verify_pattern="abc" '
        assert _run(engine, tmp_path, "write", options).status == 0
        _flip(tmp_path / "f", 8192 + 3000)
        _flip(tmp_path / "f", 8192 + 4000)
        read = _run(engine, tmp_path, "read", options)
        says = "block 2 at offset 8192 does not match verify_pattern at byte 3000: 61 expected, 60 "
        assert says in read.err
        assert "found; 2 bytes differ" in read.err


def test_without_a_pattern_there_is_none_to_verify(engine: Path, tmp_path: Path) -> None:
    ran = _run(engine, tmp_path, "write", "verify=pattern")
    assert ran.status == 2
    assert "verify=pattern needs verify_pattern" in ran.err


def test_verify_only_writes_nothing(engine: Path, fio: str, tmp_path: Path) -> None:
    for program in (engine, fio):
        assert _run(program, tmp_path, "randwrite", "verify=md5 do_verify=0").status == 0
        before = (tmp_path / "f").read_bytes()
        for loops in (1, 2):
            options = f"verify=md5 verify_only loops={loops}"
            row = _run(engine, tmp_path, "randwrite", options).document()["jobs"][0]
            assert row["read"]["io_bytes"] == loops * SIZE
            assert row["write"]["total_ios"] == 0
        assert (tmp_path / "f").read_bytes() == before
        _flip(tmp_path / "f", 5000)
        assert _run(engine, tmp_path, "write", "verify=md5 verify_only").status == 1


@pytest.mark.parametrize("rw", ["read", "randread", "rw", "randrw", "write"])
def test_verify_only_reads_what_is_to_be_read(
    engine: Path, fio: str, tmp_path: Path, rw: str
) -> None:
    for more, loops in (("", 1), ("loops=2", 2), ("verify_backlog=3", 1)):
        assert _run(engine, tmp_path, "write", "verify=md5 do_verify=0").status == 0
        options = f"verify=md5 verify_only {more}"
        row = _run(engine, tmp_path, rw, options).document()["jobs"][0]
        assert row["read"]["total_ios"] == loops * SIZE // 4096
        assert row["write"]["total_ios"] == 0
        for block in range(0, SIZE, 4096):
            _flip(tmp_path / "f", block + 700)
        assert _run(engine, tmp_path, rw, options).status == 1
        assert _run(fio, tmp_path, rw, "verify=md5 verify_only").status == 1


@pytest.mark.parametrize("batch", [1, 3, 4])
def test_a_backlog_is_no_longer_than_it_says(
    engine: Path, fio: str, tmp_path: Path, batch: int
) -> None:
    """What a smaller batch leaves counts on: memory for it is what a backlog bounds."""
    options = f"verify=md5 verify_backlog=4 verify_backlog_batch={batch} write_iolog=log"
    orders = []
    for program in (engine, fio):
        (tmp_path / "log").unlink(missing_ok=True)
        assert _run(program, tmp_path, "randwrite", options).status == 0
        rows = [row.split() for row in (tmp_path / "log").read_text("utf-8").splitlines()[1:]]
        orders.append([row[2] for row in rows if row[2] in {"read", "write"}])
    assert orders[0] == orders[1]


def test_verify_only_without_do_verify_is_told(engine: Path, tmp_path: Path) -> None:
    ran = _run(engine, tmp_path, "write", "verify=md5 verify_only do_verify=0")
    (warning,) = ran.document()["iogate"]["warnings"]
    assert "looks at nothing that was written" in warning


@pytest.mark.parametrize("more", ["", "verify_interval=1k", "verify_offset=1k", "verify_pattern=7"])
def test_what_is_damaged_is_dumped(engine: Path, fio: str, tmp_path: Path, more: str) -> None:
    """Under fio's names; what was there before, too, as each block is made from its seed."""
    options = f"verify=md5 verify_dump=1 {more} "
    for program in (engine, fio):
        assert _run(program, tmp_path, "write", options).status == 0
        before = (tmp_path / "f").read_bytes()
        _flip(tmp_path / "f", 8192 + 700)
        read = _run(program, tmp_path, "read", options)
        assert read.status == 1 or program == fio
        dumps = {each.name: each.read_bytes() for each in tmp_path.glob("f.*")}
        assert sorted(dumps) == ["f.8192.expected", "f.8192.received"]
        unit = 1024 if "interval" in more else 4096
        received, expected = (dumps[f"f.8192.{kind}"] for kind in ("received", "expected"))
        assert len(received) == len(expected) == unit
        if program == engine:
            assert expected == before[8192 : 8192 + unit]
            assert received == expected[:700] + bytes([expected[700] ^ 1]) + expected[701:]
        for name in dumps:
            (tmp_path / name).unlink()


def test_what_fio_wrote_is_dumped_as_it_is(engine: Path, fio: str, tmp_path: Path) -> None:
    assert _run(fio, tmp_path, "write", "verify=md5").status == 0
    _flip(tmp_path / "f", 8192 + 700)
    read = _run(engine, tmp_path, "read", "verify=md5 verify_dump=1")
    assert "in 'f.8192.received'; what was there before is not known" in read.err
    assert not (tmp_path / "f.8192.expected").exists()


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("verify=md5", "another verify: md5 expected, crc32c (5) found"),
        ("verify=crc32c bs=8k", "length 8192 expected, 4096 found"),
        ("verify=crc32c verify_interval=2k", "length 2048 expected, 4096 found"),
        ("verify=crc32c verify_offset=64", "holds no header"),
    ],
)
def test_other_settings_are_told(engine: Path, tmp_path: Path, options: str, says: str) -> None:
    assert _run(engine, tmp_path, "write", "verify=crc32c").status == 0
    assert says in _run(engine, tmp_path, "read", options).err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("verify=sha512 verify_interval=128", "stdin:4:1: job 'j': this verify needs blocks"),
        ("verify=crc32c bs=40", "verify needs blocks of at least 45 bytes"),
        ("verify=crc32c verify_offset=20", "verify_offset is within the header"),
        ("verify=crc32c verify_offset=4090", "there is no place for the header"),
        ("verify=crc33", "stdin:4:8: verify: 'crc33' is not one of 0, md5, crc64, "),
    ],
)
def test_what_has_no_place_is_refused(
    engine: Path, tmp_path: Path, options: str, says: str
) -> None:
    text = "[j]\nsize=64k\nrw=write\n" + "\n".join(reversed(options.split())) + "\n"
    ran = run(engine, ["-"], tmp_path, text)
    assert ran.status == 2
    assert says in ran.err
    assert not (tmp_path / "j.0.0").exists()


@needs_root
def test_a_device_is_named(engine: Path, tmp_path: Path) -> None:
    with loop_device(tmp_path) as device:
        assert _run(engine, tmp_path, "write", "verify=xxhash direct=1", device).status == 0
        _flip(Path(device), 8192 + 100)
        read = _run(engine, tmp_path, "read", "verify=xxhash direct=1", device)
    assert "block 2 at offset 8192 does not match its checksum: xxhash " in read.err
    assert f"('{device}')" in read.err


@pytest.mark.parametrize("threads", ["verify_async=1", "verify_async=3 verify_async_cpus=0"])
def test_threads_look_at_every_block(engine: Path, tmp_path: Path, threads: str) -> None:
    options = f"verify=sha3-512 ioengine=libaio iodepth=8 {threads} "
    row = _run(engine, tmp_path, "randwrite", options).document()["jobs"][0]
    assert row["read"]["total_ios"] == SIZE // 4096
    for block in range(0, SIZE, 8192):
        _flip(tmp_path / "f", block + 900)
    for rw in ("read", "randwrite verify_only"):
        ran = _run(engine, tmp_path, rw, options)
        assert ran.status == 1
        row = json.loads(ran.out)["jobs"][0]
        assert row["total_err"] == SIZE // 8192
        assert "does not match its checksum: sha3-512" in ran.err


def test_threads_find_nothing_twice(engine: Path, tmp_path: Path) -> None:
    options = "verify=md5 verify_async=2 verify_backlog=3 loops=2 "
    row = _run(engine, tmp_path, "randwrite", options).document()["jobs"][0]
    assert row["read"]["total_ios"] == row["write"]["total_ios"] == 2 * SIZE // 4096


def test_a_cpu_that_is_not_there_is_refused(engine: Path, tmp_path: Path) -> None:
    ran = _run(engine, tmp_path, "write", "verify=md5 verify_async=1 verify_async_cpus=999")
    assert ran.status != 0
    assert "verify_async_cpus" in ran.err


def test_verify_fatal_ends_at_the_first_damage(engine: Path, tmp_path: Path) -> None:
    """Whatever it is, and also where errors of verify are passed."""
    for more in ("", "continue_on_error=verify"):
        for at in (0, 700):
            assert _run(engine, tmp_path, "write", "verify=md5").status == 0
            for block in range(2, 64, 2):
                _flip(tmp_path / "f", block * 4096 + at)
            ran = _run(engine, tmp_path, "read", f"verify=md5 verify_fatal=1 {more}")
            row = json.loads(ran.out)["jobs"][0]
            assert (row["total_err"], row["read"]["total_ios"]) == (1, 3)
            assert ran.status == (0 if more else 1)
