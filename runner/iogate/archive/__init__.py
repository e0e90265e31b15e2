"""A history as a file, and back: every run and every decision, with nothing lost.

``read_history(store)`` gives what a store holds, ``keep(store, items)`` puts it into another;
FORMATS are the files in between. To add one: a file in this folder with ``write`` and ``read``
as in ``archive.base``, and one line in FORMATS.
"""

from __future__ import annotations

import importlib
from pathlib import PurePath

from iogate.archive.base import Format, Item
from iogate.archive.transfer import Tally, keep, read_history
from iogate.errors import UsageError

__all__ = ["FORMATS", "Format", "Item", "Tally", "format_of", "keep", "open_format", "read_history"]

FORMATS = {
    "jsonl": "iogate.archive.jsonl",
    "csv": "iogate.archive.csv_table",
    "parquet": "iogate.archive.parquet",
}


def open_format(name: str) -> Format:
    """A format of the registry. UsageError when a package that it needs is missing."""
    module: Format = importlib.import_module(FORMATS[name])
    return module


def format_of(path: str) -> str:
    """The format that a file name asks for; UsageError when it asks for none that is known."""
    suffix = PurePath(path).suffix.removeprefix(".").lower()
    name = {"": "jsonl", "ndjson": "jsonl", "json": "jsonl"}.get(suffix, suffix)
    if name not in FORMATS:
        raise UsageError(
            f"{path}: the suffix .{suffix} names no format",
            remedy=f"give --format, one of {', '.join(FORMATS)}",
        )
    return name
