"""Numbers as fio prints them for people: ``12.8k``, ``2646.4M``, ``7,480KiB/s``, ``235GiB``. Those
that it reads are ``iogate.jobs.numbers``'s: of these ``kB`` is 1000, and commas part thousands."""

from __future__ import annotations

import re

from iogate.jobs.numbers import NS_PER_MS, NS_PER_S, NS_PER_US, scaled

NUMBER = r"[0-9][0-9,]{0,24}(?:\.[0-9]{1,9})?"
_COUNT = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)")
_BYTES = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)(i?)(B|b)?(?:/s)?")
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
