"""What a file begins with: enough to leave alone what never was a history."""

from __future__ import annotations

import codecs
from pathlib import Path

from iogate.errors import ExitCode, StoreError
from iogate.files.bounded import read_head
from iogate.files.sqlite_head import is_database, is_wal

_SUFFIXES = (".sqlite", ".sqlite3")
_LOOKED_AT_BYTES = 4096


class NoHistoryError(StoreError):
    """The file is of another kind, and is left as it is."""

    exit_code = ExitCode.REFUSED

    def __init__(self, path: str) -> None:
        super().__init__(
            f"{path} is not a SQLite database",
            remedy="name another --store; this one stays as it is",
        )


def may_be_history(path: Path) -> bool:
    """Whether a file is a SQLite database, or may have been one before it was damaged: it has
    the head or the journal of one, or else the name of one and no text in it."""
    head = _head(path)
    if head is None or is_database(head):  # of what cannot be read nothing is claimed
        return True
    journal = _head(Path(f"{path}-wal"))
    if journal is not None and is_wal(journal):
        return True
    return path.suffix in _SUFFIXES and not _is_text(head)


def _head(path: Path) -> bytes | None:
    try:
        return read_head(path.resolve(), _LOOKED_AT_BYTES)
    except OSError:
        return None


def _is_text(head: bytes) -> bool:
    """An empty file has no text in it; a character that the look cuts in two is one."""
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        return False
    return bool(text) and "\0" not in text
