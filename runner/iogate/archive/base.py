"""What a format of an archive must do, and what it is made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, BinaryIO, Protocol

from iogate.errors import UsageError
from iogate.model.codec import MismatchError, codec_of
from iogate.model.decision import Decision
from iogate.model.document import is_version
from iogate.model.run import Run

SCHEMA = "history"
VERSION = 1
HEADER = {"schema": f"{SCHEMA}/{VERSION}"}
Item = Run | Decision


class Format(Protocol):
    """A kind of file that holds a history. Both ways stream: no more than a run is held."""

    def write(self, items: Iterable[Item], out: BinaryIO) -> None:
        """Write all items. The same items give the same bytes, whatever store they are of."""

    def read(self, source: BinaryIO, name: str) -> Iterator[Item]:
        """The items of a file called ``name``. UsageError, with the line where there are
        lines, for what is no such file; RunError for one of a newer version."""


def check_header(document: object) -> None:
    """UsageError unless a file begins as an archive that this version reads."""
    schema = document.get("schema") if isinstance(document, Mapping) else None
    kind, _, number = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if kind != SCHEMA or not is_version(number):
        raise UsageError(
            "this is not an export of a history",
            remedy="files of 'iogate history export' begin with their schema; for results of"
            " fio use: iogate history import fio FILE",
        )
    if int(number) > VERSION:
        raise UsageError(
            f"this export has schema {schema}; this iogate reads up to {SCHEMA}/{VERSION}",
            remedy="it was written by a newer iogate: update this one to read it",
        )


@dataclass(slots=True)
class Count:
    """What a file holds; it ends with this, so that one that was cut off is noticed."""

    runs: int = 0
    decisions: int = 0

    def counted(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, while they are counted."""
        for item in items:
            if isinstance(item, Run):
                self.runs += 1
            else:
                self.decisions += 1
            yield item

    def check(self, recorded: object) -> None:
        """UsageError unless the end of a file says the same."""
        if recorded != asdict(self):
            raise UsageError(
                "the export is not whole: it was cut off or changed",
                remedy="what it holds up to here was taken over; export again for the rest",
            )


def decision_document(decision: Decision) -> dict[str, Any]:
    """JSON-ready."""
    document: dict[str, Any] = codec_of(Decision).encode(decision)
    return document


def decision_from_document(document: object) -> Decision:
    """Its inverse; UsageError for what is none."""
    try:
        decision: Decision = codec_of(Decision).decode(document)
    except MismatchError as error:
        path = "".join(error.path)
        raise UsageError(f"this is not a decision: at {path or 'its top'}: {error}") from None
    return decision
