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

_BLOCK = ": (groupid="
_TERSE = re.compile(r"^\d;fio-\d", re.MULTILINE)


def read_fio(text: str) -> Iterator[ForeignResult]:
    """The results in a text: its JSON documents, then what fio printed for people of other jobs
    (--output-format=json,normal prints each run as both). EngineError, after all others, for
    results that are cut off or cannot be read, and for a text of terse ones; one without any
    result gives none."""
    names: set[str] = set()
    problem = None
    try:
        for found in read_documents(text):
            names |= _names(found)
            yield found
    except EngineError as error:
        problem = error
    for found in read_output(text) if _BLOCK in text else ():
        if names.isdisjoint(_names(found)):
            yield found
    if problem:
        raise problem
    if not names and _TERSE.search(text):
        raise EngineError(
            "its results are in fio's terse form, which is not read",
            remedy="measure with --output-format=json",
        )


def _names(found: ForeignResult) -> set[str]:
    return {job.name for job in found.result.jobs}
