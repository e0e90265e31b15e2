"""The set-up line of a job (``rw=randread, bs=(R) 4096B-4096B, …, ioengine=psync``) and the
date of a block."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from iogate.foreign.fio_numbers import as_people_write, size

_OPTION = re.compile(r"\b(rw|ioengine|iodepth)=([\w:-]{1,40})")
_OLD_SIZES = re.compile(r"\bbs=([0-9][\w./,-]{0,80})")
_SIZES = re.compile(r"\([RWT]\) ([0-9.]{1,20}[KMGT]?i?B)-([0-9.]{1,20}[KMGT]?i?B)")
_DATE = "%a %b %d %H:%M:%S %Y"


def read_setup(line: str) -> dict[str, str]:
    """The options that a set-up line tells. Block sizes that vary are left out."""
    options = dict(_OPTION.findall(line))
    sizes = _SIZES.findall(line) or [
        (low, high or low) for low, _, high in (part.partition("-") for part in _old_sizes(line))
    ]
    try:
        numbers = [(size(low), size(high)) for low, high in sizes]
    except ValueError:
        return options
    if numbers and all(low == high for low, high in numbers):
        whole = [as_people_write(int(low)) for low, _ in numbers]
        options["bs"] = whole[0] if len(set(whole)) == 1 else ",".join(whole)
    return options


def _old_sizes(line: str) -> list[str]:
    """``bs=4K-4K/4K-4K``; before that, ``bs=4K``."""
    match = _OLD_SIZES.search(line)
    return match[1].rstrip(",").split("/") if match else []


def read_date(text: str) -> int | None:
    """Unix time in ns of ``Wed Feb  5 15:09:36 2020``, which says no zone: taken as UTC."""
    try:
        at = datetime.strptime(" ".join(text.split()), _DATE).replace(tzinfo=UTC)
    except ValueError:
        return None
    seconds = int(at.timestamp())
    return seconds * 10**9 if seconds > 0 else None
