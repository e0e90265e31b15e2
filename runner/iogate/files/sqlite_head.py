"""What the files of a SQLite database begin with, and what those beside it are called."""

from __future__ import annotations

MAGIC = b"SQLite format 3\0"
WAL_MAGICS = (b"\x37\x7f\x06\x82", b"\x37\x7f\x06\x83")
JOURNAL_MAGIC = b"\xd9\xd5\x05\xf9\x20\xa1\x63\xd7"
BESIDE = ("-journal", "-wal", "-shm")


def is_database(head: bytes) -> bool:
    """Whether a file begins as a database does."""
    return head.startswith(MAGIC)


def is_wal(head: bytes) -> bool:
    """Whether it begins as one that writes wait in."""
    return head.startswith(WAL_MAGICS)


def is_journal(head: bytes) -> bool:
    """Whether it begins as one that writes are taken back from."""
    return head.startswith(JOURNAL_MAGIC)
