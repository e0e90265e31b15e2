"""The marks of LVM, md, LUKS, swap and ZFS, as bytes: not every kernel runs these. Each is where
its bytes begin on a device, and the bytes."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path


def lvm() -> tuple[int, bytes]:
    """The label of a physical volume in the second sector, with its checksum."""
    body = struct.pack("<I8s", 32, b"LVM2 001") + b"u" * 32 + bytes(512 - 20 - 12 - 32)
    crc = 0xFFFFFFFF ^ zlib.crc32(body, 0xFFFFFFFF ^ 0xF597A6CF)
    return 512, b"LABELONE" + struct.pack("<QI", 1, crc) + body


def md() -> tuple[int, bytes]:
    """A superblock of version 1.2, 4 KiB in."""
    head = struct.pack("<IIII", 0xA92B4EFC, 1, 0, 0) + b"u" * 16 + b"name".ljust(32, b"\0")
    rest = bytearray(head.ljust(256, b"\0"))
    struct.pack_into("<Q", rest, 144, 8)
    words = struct.unpack("<64I", bytes(rest))
    total = sum(words)
    struct.pack_into("<I", rest, 216, ((total & 0xFFFFFFFF) + (total >> 32)) & 0xFFFFFFFF)
    return 4096, bytes(rest)


def luks() -> tuple[int, bytes]:
    head = b"LUKS\xba\xbe" + struct.pack(">H", 1) + bytes(160)
    return 0, head + b"01234567-89ab-cdef-0123-456789abcdef".ljust(40, b"\0")


def swap() -> tuple[int, bytes]:
    return 1024, struct.pack("<III", 1, 9, 0) + b"u" * 16 + bytes(3072 - 28 - 10) + b"SWAPSPACE2"


def zfs() -> tuple[int, bytes]:
    """Enough uberblocks of the first label."""
    one = struct.pack("<QQQ", 0x00BAB10C, 5000, 1).ljust(1024, b"\0")
    return 128 << 10, one * 128


MARKS = {"lvm": lvm, "md": md, "luks": luks, "swap": swap, "zfs": zfs}


def put_mark(name: str, path: str) -> None:
    """Write a mark onto a device."""
    at, mark = MARKS[name]()
    with Path(path).open("rb+") as disk:
        disk.seek(at)
        disk.write(mark)
