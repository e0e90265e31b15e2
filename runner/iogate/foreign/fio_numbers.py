"""Numbers as fio prints them for people: ``12.8k``, ``2646.4M``, ``7,480KiB/s``, ``235GiB``."""

from __future__ import annotations

import re

NUMBER = r"[0-9][0-9,]{0,24}(?:\.[0-9]{1,9})?"
_COUNT = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)")
_BYTES = re.compile(rf"({NUMBER})\s*([kKmMgGtTpP]?)(i?)(B|b)?(?:/s)?")
_POWERS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4, "p": 5}
UNIT_NS = {"nsec": 1, "usec": 1_000, "msec": 1_000_000, "sec": 1_000_000_000}


def plain(text: str) -> float:
    """``1,826.5``; ValueError for what is no number."""
    return float(text.replace(",", ""))


def count(text: str) -> float:
    """A count, whose suffixes are powers of 1000; ValueError for what is none."""
    match = _COUNT.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    return float(plain(match[1]) * 1000.0 ** _POWERS[match[2].lower()])


def size(text: str, *, always_binary: bool = False) -> float:
    """Bytes, or bytes per second. ``KiB`` is 1024, ``kB`` 1000; ``always_binary``: output of
    versions before 3, which mean 1024 by both. ValueError for what is none."""
    match = _BYTES.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    binary = always_binary or match[3] or not match[4]
    scale = (1024.0 if binary else 1000.0) ** _POWERS[match[2].lower()]
    return float(plain(match[1]) * scale)
