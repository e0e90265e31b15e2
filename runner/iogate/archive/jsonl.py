"""JSON Lines: the schema, then a document a line, ``{"run": …}`` or ``{"decision": …}``, then
``{"end": …}`` with how many of each there are. A run that would be too large for a line to be read
has ``"measurements": N`` beside it, and so many lines ``{"measurement": …}`` after it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, replace
from itertools import islice
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
from iogate.files.bounded import is_too_large, parse_json
from iogate.files.bounds import DOCUMENT_BYTES, size
from iogate.model.document import measurement_from_document, run_from_document, to_document
from iogate.model.run import Run

_REST = "measurements"


def write(items: Iterable[Item], out: BinaryIO) -> None:
    """See ``archive.base.Format``."""
    count = Count()
    out.write(_line(HEADER))
    out.writelines(line for item in count.counted(items) for line in _lines_of(item))
    out.write(_line({"end": asdict(count)}))


def read(source: BinaryIO, name: str) -> Iterator[Item]:
    """See ``archive.base.Format``."""
    at = [0]
    documents = _documents(source, at)
    try:
        check_header(next(documents, None))
        count, end = Count(), None
        for document in documents:
            end = document.get("end") if isinstance(document, dict) else None
            yield from count.counted([] if end else [_item(document, documents)])
        count.check(end)
    except (UsageError, RunError) as error:
        where = Location(name, max(*at, 1), 1)
        raise UsageError(error.what, remedy=error.remedy, where=where) from None


def _documents(source: BinaryIO, at: list[int]) -> Iterator[Any]:
    """What the lines say, of which the first is there even if it says nothing. ``at`` gets the
    number of each."""
    for at[0], line in enumerate(_lines(source), 1):
        document = _parsed(line) if at[0] > 1 else _head(line)
        if at[0] == 1 or document is not None:
            yield document


def _lines_of(item: Item) -> Iterator[bytes]:
    """One; of a run that would be too large to be read, one for each of its repetitions besides."""
    if not isinstance(item, Run):
        yield _line({"decision": decision_document(item)})
        return
    whole = _line({"run": to_document(item)})
    if not is_too_large(whole):
        yield whole
        return
    bare, rest = replace(item, measurements=()), item.measurements
    yield _line({"run": to_document(bare), _REST: len(rest)})
    yield from (_line({"measurement": to_document(each)}) for each in rest)


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


def _item(document: Any, following: Iterator[Any]) -> Item:
    if isinstance(document, dict) and "run" in document:
        run = run_from_document(document["run"])
        return _with_rest(run, document[_REST], following) if _REST in document else run
    if isinstance(document, dict) and "decision" in document:
        return decision_from_document(document["decision"])
    raise UsageError(
        "this line is neither a run nor a decision",
        remedy="it was written by a newer iogate: update this one to read it",
    )


def _with_rest(run: Run, count: object, following: Iterator[Any]) -> Run:
    """A run with the repetitions on the lines that follow: all of them, or none of it is taken."""
    rest = [
        measurement_from_document(each["measurement"])
        for each in islice(following, count if isinstance(count, int) and count > 0 else 0)
        if isinstance(each, dict) and isinstance(each.get("measurement"), dict)
    ]
    if len(rest) != count:
        raise UsageError(
            "the repetitions of a run are not whole: the export was cut off or changed",
            remedy="what comes before this run was taken over; export again for the rest",
        )
    return replace(run, measurements=(*run.measurements, *rest))
