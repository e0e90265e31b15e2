"""Values of options as every engine reads them alike.

A spec may say ``runtime: 2hours``, ``bs: 4KiB``, ``size: 1.5g`` and ``hipri: true``. fio 3.33 reads
2 µs, 4000 bytes, 1 GiB and something else again, so a job file says what was meant in the words
that all engines have. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from iogate.jobs import numbers
from iogate.jobs.options import READ_AS, Kind

TRUE = ("1", "true", "yes", "on", "y")
FALSE = ("0", "false", "no", "off", "n")
_ENDS = re.compile(r"[^-:,/]+")
_SIZES_IN_TEXT = ("bsrange", "bssplit", "filesize", "lockmem")
_MICROSECONDS_IN_TEXT = ("max_latency",)


def plain_value(key: str, text: str, *, kb_base: int = 1024) -> str:
    """The value of an option, by its first name, in plain words; what is none stays as it is, for
    the engine to tell of."""
    kind = READ_AS.get(key)
    if kind in (Kind.BOOL, Kind.FLAG):
        word = text.lower()
        return "1" if word in TRUE else "0" if word in FALSE else text
    write = _writer(key, kind, kb_base)
    if write is None or "$" in text:
        return text
    if "(" in text and key in _SIZES_IN_TEXT:
        return text  # a sum beside separators that could be its own
    if "(" in text:
        return ",".join(_plain(write, part) for part in text.split(","))
    return _ENDS.sub(lambda end: _plain(write, end[0]), text)


def _writer(key: str, kind: Kind | None, kb_base: int) -> Callable[[str], str] | None:
    if kind in (Kind.NUMBER, Kind.NUMBERS, Kind.SIZE) or key in _SIZES_IN_TEXT:
        return partial(numbers.plain_size, kb_base=kb_base)
    if kind is Kind.MICROSECONDS or key in _MICROSECONDS_IN_TEXT:
        return partial(numbers.plain_duration, unit_ns=numbers.NS_PER_US)
    return numbers.plain_duration if kind is Kind.SECONDS else None


def _plain(write: Callable[[str], str], text: str) -> str:
    try:
        return write(text.strip())
    except numbers.BadNumberError:
        return text
