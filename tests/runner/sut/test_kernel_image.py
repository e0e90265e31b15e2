"""The build id of a kernel's image, however it is packed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import shutil
import struct
import subprocess
from collections.abc import Callable

import pytest

from iogate.sut.kernel_image import build_id_of

ID = bytes(range(20))


def elf(note: bytes = b"", *, at: int = 0x1000) -> bytes:
    """A kernel as far as its notes are concerned."""
    note = note or struct.pack("<III", 4, len(ID), 3) + b"GNU\0" + ID
    head = b"\x7fELF\x02\x01".ljust(32, b"\0") + struct.pack("<Q14xHH", 64, 56, 2)
    programs = [struct.pack("<I4xQ16xQ16x", *each) for each in ((1, 0, 64), (4, at, len(note)))]
    return (head.ljust(64, b"\0") + b"".join(programs)).ljust(0x1000, b"\0") + note


def image(payload: bytes, **changed: int) -> bytes:
    said = {"sectors": 4, "offset": 0x100, "length": len(payload), **changed}
    head = bytearray(5 * 512 + 0x100)
    head[0x1F1] = said["sectors"]
    struct.pack_into("<II", head, 0x248, said["offset"], said["length"])
    return bytes(head) + payload


def packed_by(*argv: str) -> Callable[[bytes], bytes]:
    def pack(data: bytes) -> bytes:
        if not shutil.which(argv[0]):
            pytest.skip(f"there is no {argv[0]}")
        done = subprocess.run(argv, input=data, stdout=subprocess.PIPE, check=True)
        return done.stdout + struct.pack("<I", len(data))

    return pack


KINDS: dict[str, Callable[[bytes], bytes]] = {
    "plain": lambda data: data,
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lambda data: lzma.compress(data) + struct.pack("<I", len(data)),
    "lzma": lambda data: lzma.compress(data, lzma.FORMAT_ALONE) + struct.pack("<I", len(data)),
    "zstd": packed_by("zstd", "-qc"),
    "lz4": packed_by("lz4", "-lqc"),
    "lzo": packed_by("lzop", "-qc"),
}


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_found_however_it_is_packed(kind: str) -> None:
    assert build_id_of(image(KINDS[kind](elf()))) == ID.hex()


@pytest.mark.parametrize(
    "data",
    [
        b"",
        bytes(0x250),
        image(b"\x02!L\x18 no lz4"),
        image(gzip.compress(elf())[:-200]),
        image(lzma.compress(b"no kernel")),
        image(b"\x28\xb5\x2f\xfd no zstd"),
        image(elf(), offset=1 << 30),
        image(elf(at=1 << 60)),
        image(elf()[:100]),
        image(elf(b"\xff" * 40)),
        image(elf(struct.pack("<III", 4, 4000, 3) + b"GNU\0" + bytes(4000))),
    ],
)
def test_what_does_not_say_has_none(data: bytes) -> None:
    assert build_id_of(data) == ""
