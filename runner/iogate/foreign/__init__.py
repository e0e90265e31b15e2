"""Results of other programs, as runs of our own: fio's JSON, its output for people and its terse
lines.

``read_fio(text, …)`` finds every result in a text, with whatever stands around it.
"""

from __future__ import annotations

from collections.abc import Iterator

from iogate.errors import EngineError
from iogate.foreign.base import ForeignResult, Origin
from iogate.foreign.fio_documents import read_documents
from iogate.foreign.fio_output import read_output
from iogate.foreign.fio_terse import read_terse
from iogate.foreign.runs import as_run, is_imported

__all__ = ["ForeignResult", "Origin", "as_run", "is_imported", "read_fio"]

_BLOCK = ": (groupid="
_TERSE = "%="


def read_fio(text: str) -> Iterator[ForeignResult]:
    """The results in a text: its JSON documents, then what fio printed for people of other jobs
    (--output-format=json,normal prints each run as both), then terse lines of yet others.
    EngineError, after all others, for results that are cut off or cannot be read; a text without
    any result gives none."""
    names: set[str] = set()
    problem = None
    for mark, read in ("{", read_documents), (_BLOCK, read_output), (_TERSE, read_terse):
        told = frozenset(names)
        try:
            for result in read(text) if mark in text else ():
                if told.isdisjoint(_names(result)):
                    names |= _names(result)
                    yield result
        except EngineError as error:
            problem = problem or error
    if problem:
        raise problem


def _names(foreign: ForeignResult) -> set[str]:
    return {job.name for job in foreign.result.jobs}
