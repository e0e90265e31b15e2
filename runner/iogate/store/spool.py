"""What waits on the local disk until a server has it: one SQLite file a store.

Every item is on disk before ``add`` returns and stays until the server has acknowledged it,
or has refused it for good: then it is kept apart, with the reason. Several processes may
use a spool at once.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import StoreError
from iogate.files.bounded import inflate
from iogate.store.base import Refusal
from iogate.store.sqlite_file import transaction, write_ahead

_BUSY_SECONDS = 30.0
_BATCH_BYTES = 1 << 20
_VERSION = 1
_TABLES = (
    """CREATE TABLE items (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        name TEXT NOT NULL,
        size INTEGER NOT NULL,
        lines BLOB NOT NULL,
        refused TEXT
    )""",
    "CREATE INDEX items_refused ON items (number) WHERE refused IS NOT NULL",
)


@dataclass(frozen=True, slots=True)
class Item:
    """Points that belong together, as line protocol; ``name`` says what they are."""

    name: str
    lines: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """An item and its place in the queue."""

    number: int
    lines: bytes


class Spool:
    """See above. StoreError for what the local disk refuses."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise self._failure(error) from None
        with self._mapped():
            self._db = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
            try:
                self._configure()
            except BaseException:
                self._db.close()
                raise

    def add(self, items: Iterable[Item]) -> None:
        """Queue items, durably."""
        with self._transaction(durable=True) as db:
            db.executemany(
                "INSERT INTO items (name, size, lines) VALUES (?, ?, ?)", map(_row, items)
            )

    def batch(self, size: int = _BATCH_BYTES) -> list[Waiting]:
        """The oldest items that wait, of about ``size`` bytes together; one at least."""
        items: list[Waiting] = []
        with self._mapped(), closing(self._db.cursor()) as cursor:
            cursor.execute(
                "SELECT number, size, lines FROM items WHERE refused IS NULL ORDER BY number"
            )
            for number, length, lines in cursor:
                size -= length
                if items and size < 0:
                    break
                items.append(Waiting(number, inflate(lines)))
        return items

    def delivered(self, items: Sequence[Waiting]) -> None:
        """Forget what the server has. If a crash brings it back it is delivered again, and
        changes nothing there."""
        with self._transaction(durable=False) as db:
            db.executemany("DELETE FROM items WHERE number = ?", [(i.number,) for i in items])

    def refuse(self, item: Waiting, reason: str) -> None:
        """Keep an item apart."""
        with self._transaction(durable=True) as db:
            db.execute("UPDATE items SET refused = ? WHERE number = ?", (reason, item.number))

    def retry_refused(self) -> None:
        """Queue again what was refused."""
        with self._transaction(durable=True) as db:
            db.execute("UPDATE items SET refused = NULL WHERE refused IS NOT NULL")

    def waiting(self) -> int:
        """How many items wait."""
        with self._mapped():
            row = self._db.execute("SELECT count(*) FROM items WHERE refused IS NULL").fetchone()
        return int(row[0])

    def refused(self) -> tuple[Refusal, ...]:
        """What is kept apart, and why."""
        with self._mapped():
            rows = self._db.execute(
                "SELECT name, refused FROM items WHERE refused IS NOT NULL ORDER BY number"
            )
            return tuple(Refusal(*row) for row in rows.fetchall())

    @contextmanager
    def sole_sender(self, patience_s: float) -> Iterator[bool]:
        """Whether nobody else delivers from here; waits so long for others to end."""
        try:
            handle = os.open(f"{self.path}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._failure(error) from None
        try:
            yield _locked(handle, time.monotonic() + patience_s)
        finally:
            os.close(handle)

    def close(self) -> None:
        self._db.close()

    def _configure(self) -> None:
        write_ahead(self._db, _BUSY_SECONDS)
        with self._transaction(durable=True) as db:
            version = db.execute("PRAGMA user_version").fetchone()[0]
            if version > _VERSION:
                raise StoreError(
                    f"the spool {self.path} is of a newer version",
                    remedy="a newer iogate wrote it: update this one",
                )
            if not version:
                for statement in _TABLES:
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {_VERSION}")

    @contextmanager
    def _transaction(self, *, durable: bool) -> Iterator[sqlite3.Connection]:
        with self._mapped():
            self._db.execute(f"PRAGMA synchronous = {'FULL' if durable else 'NORMAL'}")
            with transaction(self._db):
                yield self._db

    @contextmanager
    def _mapped(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, zlib.error, ValueError) as error:
            raise self._failure(error) from error

    def _failure(self, error: Exception) -> StoreError:
        return StoreError(
            f"the spool {self.path} cannot be used: {error}",
            remedy="see that its disk has space and is sound; if the file is damaged, move it"
            " aside: it holds what the server does not have yet",
        )


def _row(item: Item) -> tuple[str, int, bytes]:
    lines = item.lines.encode("utf-8", "replace")  # documents in it are ASCII, and stay whole
    return item.name, len(lines), zlib.compress(lines, 1)


def _locked(handle: int, deadline: float) -> bool:
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.01)
