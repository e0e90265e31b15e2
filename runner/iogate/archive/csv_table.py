"""CSV: the table of ``archive.rows``, with a line of column names."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, BinaryIO

from iogate.archive.base import Item, check_header
from iogate.archive.rows import COLUMNS, from_rows, to_rows
from iogate.errors import Location, RunError, UsageError
from iogate.files.bounds import DOCUMENT_BYTES, size

# A spreadsheet would take a name that begins so for a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def write(items: Iterable[Item], out: BinaryIO) -> None:
    """See ``archive.base.Format``."""
    with _text_of(out) as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in to_rows(items):
            writer.writerow([_cell(row[name]) for name in COLUMNS])


def read(source: BinaryIO, name: str) -> Iterator[Item]:
    """See ``archive.base.Format``."""
    before = csv.field_size_limit(DOCUMENT_BYTES)  # it is one for the whole process
    try:
        yield from _items(source, name)
    finally:
        csv.field_size_limit(before)


def _items(source: BinaryIO, name: str) -> Iterator[Item]:
    with _text_of(source) as text:
        reader = csv.DictReader(_lines(text))
        try:
            yield from from_rows(_rows(reader))
        except (UsageError, RunError) as error:
            where = Location(name, max(reader.line_num, 1), 1)
            raise UsageError(error.what, remedy=error.remedy, where=where) from None
        except (csv.Error, UnicodeDecodeError) as error:
            where = Location(name, max(reader.line_num, 1), 1)
            raise UsageError(f"this is not CSV: {error}", where=where) from None


def _lines(text: io.TextIOWrapper) -> Iterator[str]:
    while line := text.readline(DOCUMENT_BYTES + 1):
        if len(line) > DOCUMENT_BYTES:
            raise UsageError(
                f"this line has more than {size(DOCUMENT_BYTES)} bytes",
                remedy="is this an export of a history?",
            )
        yield line


def _rows(reader: csv.DictReader[str]) -> Iterator[Mapping[str, Any]]:
    if "document" not in (reader.fieldnames or ()):
        check_header(None)
    yield from reader


class _text_of(io.TextIOWrapper):  # noqa: N801  (used as a function)
    """Text over a stream that stays open for who opened it."""

    def __init__(self, stream: BinaryIO) -> None:
        super().__init__(stream, encoding="utf-8", errors="surrogatepass", newline="")

    def __exit__(self, *_: object) -> None:
        self.flush()
        self.detach()


def _cell(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
