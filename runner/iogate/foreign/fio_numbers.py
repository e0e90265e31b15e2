"""Numbers as fio prints them for people: ``12.8k``, ``2646.4M``, ``7,480KiB/s``, ``235GiB``. Those
that it reads are ``iogate.jobs.numbers``'s: of these ``kB`` is 1000, and commas part thousands."""

from __future__ import annotations

import re

from iogate.jobs.numbers import NS_PER_MS, NS_PER_S, NS_PER_US, scaled

NUMBER = r"[0-9][0-9,]{0,24}(?:\.[0-9]{1,9})?"
_COUNT = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)")
_BYTES = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)(i?)(B|b)?(?:/s)?")
_SECTOR, _LARGEST_BLOCK = 512, 2**26
_TELLING_RATE = 4  # of less, more than one block size gives the same
UNIT_NS = {"nsec": 1, "usec": NS_PER_US, "msec": NS_PER_MS, "sec": NS_PER_S}


def plain(text: str) -> float:
    """``1,826.5``; ValueError for what is no number."""
    return float(text.replace(",", ""))


def count(text: str) -> float:
    """A count, whose suffixes are powers of 1000; ValueError for what is none."""
    match = _COUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    return float(scaled(match[1].replace(",", ""), match[2], 1000))


def size(text: str, *, always_binary: bool = False) -> float:
    """Bytes, or bytes per second. ``KiB`` is 1024, ``kB`` 1000; ``always_binary``: output of
    versions before 3, which mean 1024 by both. ValueError for what is none."""
    match = _BYTES.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    binary = always_binary or match[3] or not match[4]
    return float(scaled(match[1].replace(",", ""), match[2], 1024 if binary else 1000))


def as_people_write(size_bytes: int) -> str:
    """``4k`` and ``1m``, so that a case is called as one of the same job's JSON."""
    kib, rest = divmod(size_bytes, 1024)
    if rest or not kib:
        return str(size_bytes)
    return f"{kib // 1024}m" if kib % 1024 == 0 else f"{kib}k"


def likely_ios(io_bytes: float, rate: float, seconds: float) -> tuple[int, bool]:
    """How many I/Os there were, of a rate printed without its fraction, and whether that is
    exact: where I/Os of 2^n bytes give that rate, they are those. Else rate times seconds."""
    block = _LARGEST_BLOCK if seconds and rate >= _TELLING_RATE else 0
    while block >= _SECTOR:
        if abs(io_bytes / block / seconds - rate) < 1:
            return round(io_bytes / block), True
        block //= 2
    return round(rate * seconds), False
