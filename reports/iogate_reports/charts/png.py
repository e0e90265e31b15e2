"""A tiny PNG of one colour in sixteen strengths. Far smaller than as many rectangles,
and its transparency lets it sit on a light and on a dark page."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence

LEVELS = 16


def data_uri(rows: Sequence[Sequence[int]], rgb: tuple[int, int, int]) -> str:
    """Rows of levels 0 (clear) … 15 (full), top first, as a ``data:`` address."""
    width, height = len(rows[0]), len(rows)
    raw = b"".join(b"\x00" + _packed(row) for row in rows)
    alpha = bytes(round(255 * level / (LEVELS - 1)) for level in range(LEVELS))
    chunks = (
        _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 4, 3, 0, 0, 0)),
        _chunk(b"PLTE", bytes(rgb) * LEVELS),
        _chunk(b"tRNS", alpha),
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
