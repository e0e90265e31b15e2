"""Numbers as short text for a page's script: deltas, zig-zag varints, raw deflate, base64.

A year of one series is about a kilobyte; the script turns it back with DecompressionStream.
"""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Iterable, Sequence
from itertools import pairwise

DIGITS = 6
"""Significant digits that are kept of the largest value; a chart shows three."""


def packed(columns: Iterable[Sequence[int]]) -> str:
    """All columns, one after the other, each as the differences of its neighbours. Who reads
    it has to know how long each is."""
    out = bytearray()
    append = out.append
    for column in columns:
        for before, value in pairwise((0, *column)):
            delta = value - before
            rest = delta << 1 if delta >= 0 else (-delta << 1) - 1
            while rest > 127:
                append(rest & 127 | 128)
                rest >>= 7
            append(rest)
    deflate = zlib.compressobj(6, zlib.DEFLATED, -15)
    return base64.b64encode(deflate.compress(bytes(out)) + deflate.flush()).decode("ascii")


def unit_of(values: Iterable[float]) -> float:
    """The power of ten of which whole multiples keep DIGITS digits of the largest value."""
    largest = max((abs(v) for v in values), default=0.0)
    return 10.0 ** (math.floor(math.log10(largest)) - DIGITS + 1) if largest > 1e-300 else 1.0


def whole(values: Sequence[float], unit: float) -> list[int]:
    """The values as multiples of ``unit``. They must be finite."""
    return [round(v / unit) for v in values]
