"""The build id of a kernel's image: a bzImage holds its kernel packed, and that says it. What
Python does not unpack, programs do where they are installed."""

from __future__ import annotations

import bz2
import lzma
import struct
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from iogate.boot.standing import build_id
from iogate.errors import RefusedError, RunError
from iogate.files.bounds import MIB
from iogate.vm.readers import reader

_MOST_BYTES = 512 * MIB  # of a kernel that is unpacked
_LZMA_MEMORY = 512 * MIB
_UNPACK_S = 60.0
# The kernel's Documentation/arch/x86/boot.rst: setup_sects, payload_offset and payload_length.
_SECTORS_AT, _PAYLOAD_AT = 0x1F1, 0x248
_SECTOR = 512
# Of elf(5), 64 bits: e_phoff, e_phentsize, e_phnum; p_type, p_offset, p_filesz.
_ELF = b"\x7fELF\x02\x01"
_PROGRAMS = struct.Struct("<32x Q 14x HH")
_PROGRAM = struct.Struct("<I 4x Q 16x Q")
_NOTE = 4
_MOST_PROGRAMS = 64
_MOST_DIGITS = 64


def build_id_of(image: bytes) -> str:
    """The GNU build id of a bzImage; empty where it does not say, or is packed in a way that is not
    known here."""
    found = map(build_id, _notes(_unpacked(_payload(image))))
    return next((each for each in found if 0 < len(each) <= _MOST_DIGITS), "")


def _payload(image: bytes) -> bytes:
    if len(image) < _PAYLOAD_AT + 8:
        return b""
    offset, length = struct.unpack_from("<II", image, _PAYLOAD_AT)
    start = ((image[_SECTORS_AT] or 4) + 1) * _SECTOR + offset
    return image[start : start + length]


def _unpacked(data: bytes) -> bytes:
    unpack = next((each for sign, each in _KINDS.items() if data.startswith(sign)), None)
    try:
        return unpack(data) if unpack else data
    except (OSError, EOFError, ValueError, lzma.LZMAError, zlib.error):
        return b""


def _xz(data: bytes) -> bytes:
    return lzma.LZMADecompressor(memlimit=_LZMA_MEMORY).decompress(data, _MOST_BYTES)


def _by(package: str, *argv: str) -> Callable[[bytes], bytes]:
    """By a program. What follows the kernel, its size, makes it complain at the end."""

    def unpack(data: bytes) -> bytes:
        unpacked = b""
        with tempfile.NamedTemporaryFile() as packed:
            packed.write(data)
            packed.flush()
            words, place = [*argv, packed.name], Path(packed.name)
            with (
                suppress(RunError, RefusedError),
                reader(
                    words, place, package=package, most=_MOST_BYTES, timeout_s=_UNPACK_S
                ) as said,
            ):
                unpacked = said.read(_MOST_BYTES)
        return unpacked

    return unpack


_KINDS: dict[bytes, Callable[[bytes], bytes]] = {
    b"\x1f\x8b": lambda data: zlib.decompressobj(31).decompress(data, _MOST_BYTES),
    b"BZh": lambda data: bz2.BZ2Decompressor().decompress(data, _MOST_BYTES),
    b"\xfd7zXZ\0": _xz,
    b"\x5d\0\0": _xz,
    b"\x28\xb5\x2f\xfd": _by("zstd", "zstd", "-dcq"),
    b"\x02!L\x18": _by("lz4", "lz4", "-dcq"),
    b"\x89LZO": _by("lzop", "lzop", "-dcq"),
}


def _notes(kernel: bytes) -> Iterator[bytes]:
    if len(kernel) < _PROGRAMS.size or not kernel.startswith(_ELF):
        return
    at, size, count = _PROGRAMS.unpack_from(kernel)
    for number in range(min(count, _MOST_PROGRAMS)):
        place = at + number * size
        if place + _PROGRAM.size > len(kernel):
            return
        kind, offset, length = _PROGRAM.unpack_from(kernel, place)
        if kind == _NOTE:
            yield kernel[offset : offset + length]
