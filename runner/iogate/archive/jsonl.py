"""JSON Lines: the schema, then a document a line, ``{"run": …}`` or ``{"decision": …}``, then
``{"end": …}`` with how many of each there are."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from typing import Any, BinaryIO

from iogate.archive.base import (
    HEADER,
    Count,
    Item,
    check_header,
    decision_document,
    decision_from_document,
)
from iogate.errors import Location, RunError, UsageError
from iogate.files.bounded import parse_json
from iogate.files.bounds import DOCUMENT_BYTES, size
from iogate.model.document import run_from_document, to_document
from iogate.model.run import Run


def write(items: Iterable[Item], out: BinaryIO) -> None:
    """See ``archive.base.Format``."""
    count = Count()
    out.write(_line(HEADER))
    out.writelines(_line(_document(item)) for item in count.counted(items))
    out.write(_line({"end": asdict(count)}))


def read(source: BinaryIO, name: str) -> Iterator[Item]:
    """See ``archive.base.Format``."""
    number, count, end = 0, Count(), None
    try:
        for number, line in enumerate(_lines(source), 1):
            document = _parsed(line) if number > 1 else _head(line)
            if number == 1:
                check_header(document)
            elif document is not None:
                end = document.get("end") if isinstance(document, dict) else None
                yield from count.counted([] if end else [_item(document)])
        if not number:
            check_header(None)
        count.check(end)
    except (UsageError, RunError) as error:
        where = Location(name, max(number, 1), 1)
        raise UsageError(error.what, remedy=error.remedy, where=where) from None


def _document(item: Item) -> dict[str, Any]:
    if isinstance(item, Run):
        return {"run": to_document(item)}
    return {"decision": decision_document(item)}


def _line(document: dict[str, Any]) -> bytes:
    text = json.dumps(document, allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass") + b"\n"


def _lines(source: BinaryIO) -> Iterator[bytes]:
    while line := source.readline(DOCUMENT_BYTES + 1):
        if len(line) > DOCUMENT_BYTES:
            raise UsageError(
                f"this line has more than {size(DOCUMENT_BYTES)} bytes",
                remedy="a line is a run or a decision; is this an export of a history?",
            )
        yield line


def _parsed(line: bytes) -> Any:
    if not line.strip():
        return None
    try:
        return parse_json(line)
    except ValueError as error:
        raise UsageError(
            f"this line is not JSON: {error}",
            remedy="it was changed or cut off: what comes before was taken over; export again",
        ) from None


def _head(line: bytes) -> Any:
    """The first line, if it is JSON: an export was never cut off within it."""
    try:
        return _parsed(line)
    except UsageError:
        return None


def _item(document: Any) -> Item:
    if isinstance(document, dict) and "run" in document:
        return run_from_document(document["run"])
    if isinstance(document, dict) and "decision" in document:
        return decision_from_document(document["decision"])
    raise UsageError(
        "this line is neither a run nor a decision",
        remedy="it was written by a newer iogate: update this one to read it",
    )
