"""Numbers as short text for a page's script: deltas, zig-zag varints, raw deflate, base64.

A year of one series is about a kilobyte; the script turns it back with DecompressionStream.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Sequence
from itertools import chain
from operator import sub

DIGITS = 5
"""Significant digits that are kept of the largest value; a chart shows four."""


class _Varints(dict[int, bytes]):
    """Whole numbers in zig-zag, seven bits a byte, lowest first. Most come again and again."""

    def __missing__(self, value: int) -> bytes:
        rest = value << 1 if value >= 0 else (-value << 1) - 1
        out = bytearray()
        while rest > 127:
            out.append(rest & 127 | 128)
            rest >>= 7
        out.append(rest)
        encoded = bytes(out)
        if len(self) < _MOST_KNOWN:
            self[value] = encoded
        return encoded


_MOST_KNOWN = 1 << 16
_VARINTS = _Varints()


def packed(columns: Iterable[Sequence[int]]) -> str:
    """All columns, one after the other, each as the differences of its neighbours. Who reads
    it has to know how long each is."""
    known = _VARINTS
    text = b"".join(
        [known[delta] for column in columns for delta in map(sub, column, chain((0,), column))]
    )
    # Noise hardly shrinks: a higher level takes five times as long for a thousandth.
    deflate = zlib.compressobj(1, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(text) + deflate.flush()).decode("ascii")


def unit_of(values: Iterable[float]) -> float:
    """The power of ten of which whole multiples keep DIGITS digits of the largest value."""
    largest = max(map(abs, values), default=0.0)
    return 10.0 ** (math.floor(math.log10(largest)) - DIGITS + 1) if largest > 1e-300 else 1.0


def whole(values: Sequence[float], unit: float) -> list[int]:
    """The values as multiples of ``unit``. They must be finite."""
    return [round(v / unit) for v in values]
