"""A tiny PNG of sixteen colours: strengths of one, or of two with nothing between. Far
smaller than as many rectangles, and its transparency suits a light page and a dark one."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

LEVELS = 16


Rgb = tuple[int, int, int]


def data_uri(rows: Sequence[Sequence[int]], rgb: Rgb) -> str:
    """Rows of levels 0 (clear) … 15 (full), top first, as a ``data:`` address."""
    return _image(rows, [(*rgb, round(255 * level / (LEVELS - 1))) for level in range(LEVELS)])


def diverging_uri(rows: Sequence[Sequence[int]], less: Rgb, more: Rgb) -> str:
    """Rows of levels −7 (full of ``less``) … 0 (clear) … 7 (full of ``more``)."""
    palette = [
        (*(more if level >= 0 else less), round(255 * abs(level) / 7)) for level in range(-7, 9)
    ]
    return _image([[level + 7 for level in row] for row in rows], palette)


def _image(rows: Sequence[Sequence[int]], palette: Sequence[tuple[int, int, int, int]]) -> str:
    width, height = len(rows[0]), len(rows)
    raw = b"".join(b"\x00" + _packed(row) for row in rows)
    chunks = (
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
        _chunk(b"PLTE", bytes(part for colour in palette for part in colour[:3])),
        _chunk(b"tRNS", bytes(min(colour[3], 255) for colour in palette)),
        _chunk(b"IDAT", zlib.compress(raw, 9)),
        _chunk(b"IEND", b""),
    )
    image = b"\x89PNG\r\n\x1a\n" + b"".join(chunks)
    return "data:image/png;base64," + base64.b64encode(image).decode("ascii")


def _packed(row: Sequence[int]) -> bytes:
    """Two levels a byte, the first in the high half."""
    even = list(row) + [0] * (len(row) % 2)
    return bytes(a << 4 | b for a, b in zip(even[::2], even[1::2], strict=True))


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
