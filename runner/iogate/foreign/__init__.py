"""Results of other programs, as runs of our own: fio's JSON and fio's output for people.

``read_fio(text, …)`` finds every result in a text, with whatever stands around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from iogate.errors import EngineError
from iogate.foreign.base import ForeignResult, Origin
from iogate.foreign.fio_documents import read_documents
from iogate.foreign.fio_output import read_output
from iogate.foreign.runs import as_run, is_imported

__all__ = ["ForeignResult", "Origin", "as_run", "is_imported", "read_fio"]

_TERSE = re.compile(r"^\d;fio-\d", re.MULTILINE)


def read_fio(text: str) -> Iterator[ForeignResult]:
    """The results in a text, in their order: its JSON documents; where it holds none, what
    fio printed for people. EngineError, after all others, for results that are cut off or cannot
    be read, and for a text of terse ones; one without any result gives none."""
    found = None
    for found in read_documents(text):
        yield found
    if found is None:
        for found in read_output(text):
            yield found
    if found is None and _TERSE.search(text):
        raise EngineError(
            "its results are in fio's terse form, which is not read",
            remedy="measure with --output-format=json",
        )
