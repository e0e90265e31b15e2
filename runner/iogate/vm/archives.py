"""The files in a package of a kernel: a tar archive as dpkg-deb gives it, or a cpio archive as
rpm2cpio does. Regular files alone, with their bytes; whatever else is in it, links above all, is
passed over. ValueError for what is no such archive.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

Files = Iterator[tuple[str, Iterator[bytes]]]
"""Names, and the parts of what is in each; what is left of a file is skipped with the next."""

_BLOCK, _STEP, _LONGEST_NAME = 512, 1 << 20, 4096
_END = bytes(_BLOCK)
_NAME, _SIZE, _KIND, _MAGIC, _PREFIX = (  # of tar(5), as POSIX and GNU have it
    slice(0, 100), slice(124, 136), slice(156, 157), slice(257, 265), slice(345, 500),
)  # fmt: skip
_LONG_NAME, _LONG_LINK = b"L", b"K"
_REGULAR, _LINKS = (b"0", b"\0", b"7"), (b"1", b"2")
_POSIX = b"ustar\x0000"
_BINARY = 0x80
# Of the kernel's buffer-format.rst: mode, size and length of the name, in hexadecimal.
_NEWC, _HEADER = (b"070701", b"070702"), 110
_MODE, _FILE_SIZE, _NAME_SIZE = slice(14, 22), slice(54, 62), slice(94, 102)
_TYPE, _IS_FILE = 0o170000, 0o100000
_TRAILER = "TRAILER!!!"


class Readable(Protocol):
    """What gives as many bytes as are asked for, fewer only at its end."""

    def read(self, length: int, /) -> bytes: ...


def tar_files(stream: Readable) -> Files:
    """Of a tar archive."""
    long = b""
    while (head := _exactly(stream, _BLOCK)) != _END:
        kind, length = head[_KIND], _tar_number(head[_SIZE])
        parts = _parts(stream, length, -length % _BLOCK)
        if kind in (_LONG_NAME, _LONG_LINK):
            if length > _LONGEST_NAME:
                raise ValueError(f"a name in it has {length:,} bytes")
            text = b"".join(parts)
            long = text if kind == _LONG_NAME else long
            continue
        if kind in _REGULAR:
            yield _text(long or _tar_name(head)), parts
        if kind not in _LINKS:  # they may say a size, and have no bytes
            for _ in parts:
                pass
        long = b""


def cpio_files(stream: Readable) -> Files:
    """Of a cpio archive in its "newc" form."""
    while True:
        head = _exactly(stream, _HEADER)
        if head[:6] not in _NEWC:
            raise ValueError("it is no cpio archive")
        mode, length, named = (int(head[at], 16) for at in (_MODE, _FILE_SIZE, _NAME_SIZE))
        if not 0 < named <= _LONGEST_NAME:
            raise ValueError(f"a name in it has {named:,} bytes")
        name = _text(_exactly(stream, named + -(_HEADER + named) % 4))
        if name == _TRAILER:
            return
        parts = _parts(stream, length, -length % 4)
        if mode & _TYPE == _IS_FILE:
            yield name, parts
        for _ in parts:
            pass


def _tar_name(head: bytes) -> bytes:
    prefix = head[_PREFIX].partition(b"\0")[0] if head[_MAGIC] == _POSIX else b""
    name = head[_NAME].partition(b"\0")[0]
    return prefix + b"/" + name if prefix else name


def _tar_number(field: bytes) -> int:
    if field[0] & _BINARY:
        return int.from_bytes(bytes([field[0] & ~_BINARY]) + field[1:], "big")
    return int(field.strip(b" \0") or b"0", 8)


def _text(name: bytes) -> str:
    return name.partition(b"\0")[0].decode(errors="surrogateescape")


def _parts(stream: Readable, length: int, padding: int) -> Iterator[bytes]:
    if length < 0:
        raise ValueError("a file in it has less than no bytes")
    while length:
        data = _exactly(stream, min(length, _STEP))
        length -= len(data)
        yield data
    _exactly(stream, padding)


def _exactly(stream: Readable, length: int) -> bytes:
    data = stream.read(length)
    if len(data) != length:
        raise ValueError("it is cut off")
    return data
