"""What browsers make of the series and pictures that a page carries."""

from __future__ import annotations

import base64
import re
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Line = list[float | None]


def unpacked(text: str, lengths: Sequence[int]) -> list[list[int]]:
    """The columns of a page's data, of which the lengths are known."""
    data = iter(zlib.decompress(base64.b64decode(text), -15))
    columns = []
    for length in lengths:
        column, before = [], 0
        for _ in range(length):
            rest, unit, byte = 0, 1, 128
            while byte > 127:
                byte = next(data)
                rest += (byte & 127) * unit
                unit *= 128
            before += -(rest + 1) // 2 if rest % 2 else rest // 2
            column.append(before)
        columns.append(column)
    return columns


def lines_of(document: Mapping[str, Any]) -> tuple[list[int], list[Line]]:
    """The times (ms) of the first chart of a report, and of each line a value for each."""
    (one,) = document["series"]
    columns = iter(unpacked(document["data"], list(_lengths(one))))
    times = next(columns)
    lines = []
    for _, _, count in one["lines"]:
        places = next(columns) if count < len(times) else range(count)
        values: Line = [None] * len(times)
        for place, value in zip(places, next(columns), strict=True):
            values[place] = value * one["scale"]
        lines.append(values)
    return times, lines


def _lengths(one: Mapping[str, Any]) -> Iterator[int]:
    yield one["n"]
    for _, _, count in one["lines"]:
        yield from [count] * (2 if count < one["n"] else 1)


def difference_levels(picture: str) -> list[list[int]]:
    """Rows of levels -7 … 7 of the lower panel, decoded from its PNG of two pixels a byte."""
    image = base64.b64decode(re.findall(r'href="data:image/png;base64,([^"]+)"', picture)[1])
    width, height = struct.unpack(">II", image[16:24])
    start = image.index(b"IDAT")
    (length,) = struct.unpack(">I", image[start - 4 : start])
    raw = zlib.decompress(image[start + 4 : start + 4 + length])
    line = len(raw) // height
    rows = (raw[n * line + 1 : (n + 1) * line] for n in range(height))
    return [[level - 7 for byte in row for level in divmod(byte, 16)][:width] for row in rows]
