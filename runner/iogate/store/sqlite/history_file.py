"""An open SQLite file. What SQLite raises of it becomes an error of ours here, and nowhere else."""

from __future__ import annotations

import shlex
import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import disk_usage

from iogate.errors import RunError, StoreError
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.store.sqlite.head import NoHistoryError, may_be_history
from iogate.store.sqlite.network import refuse_network
from iogate.store.sqlite.schema import check_plain, migrate
from iogate.store.sqlite_file import primary_code, transaction, write_ahead

_CACHE_KIB = 16_000  # a thousand repetitions are one transaction, and should be written once
_REMEDIES = {
    "SQLITE_FULL": "free some space (or a quota) there and run again; what was kept is intact",
    "SQLITE_IOERR": "see whether the disk is full or failing (dmesg); what was kept is intact",
    "SQLITE_CANTOPEN": "see that its folder exists and may be written, or give another --store",
    "SQLITE_READONLY": "make it and its folder writable (reading writes a journal there, too), or"
    " copy it and name the copy with --store",
    "SQLITE_BUSY": "another process holds it: wait for it, or end it, and run again",
    "SQLITE_LOCKED": "another process holds it: wait for it, or end it, and run again",
}
_NO_SPACE_BYTES = 64 << 10  # a journal's index is 32 KiB
# So many times as long as others, a run waits to keep what it measured: a large file that is made
# smaller is held for minutes.
_PATIENCE = 60
_DAMAGED = "put it aside, and make it anew from what is readable: iogate history verify --repair"


_JOURNAL_CODES = ("SQLITE_FULL", "SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")


def can_be_frozen(path: str, error: StoreError) -> bool:
    """Whether a file that could not be opened can be read as it stands: only its journal could not
    be made, and there is none that holds more, or that another process writes now."""
    cause, place = error.__cause__, Path(path).expanduser().absolute()
    try:
        return (
            isinstance(cause, sqlite3.Error)
            and primary_code(cause) in _JOURNAL_CODES
            and place.stat().st_size > 0
            and not _holds_something(place.with_name(f"{place.name}-wal"))
        )
    except OSError:
        return False


def _holds_something(journal: Path) -> bool:
    return journal.exists() and journal.stat().st_size > 0


class HistoryFile:
    """A connection to the file, of the current schema. Its methods raise StoreError."""

    def __init__(
        self,
        path: str,
        busy_seconds: float,
        *,
        damaged: bool = False,
        frozen: StoreError | None = None,
    ) -> None:
        """``damaged``: whatever its version, as it is only to be read as far as that goes.
        ``frozen``: why it can only be read as it stands on the disk, without a journal."""
        place = Path(path).expanduser().absolute()
        self.path = str(place)
        self._closed = False
        self._patience_s = _PATIENCE * busy_seconds
        self._frozen = frozen
        refuse_network(place)
        if frozen is None:
            self._make_folder(place)
        with self.using():
            target = f"{place.as_uri()}?mode=ro&immutable=1" if frozen else self.path
            self.db = sqlite3.connect(
                target, timeout=busy_seconds, isolation_level=None, uri=bool(frozen)
            )
        try:
            with self.using():
                self._configure(busy_seconds)
                if damaged:
                    check_plain(self.db, self.path)
                else:
                    migrate(self.db, self.path)
                self._identity = _identity(self.path)
        except BaseException:
            self.db.close()
            raise

    def _make_folder(self, place: Path) -> None:
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"cannot make the folder of the history {self.path}: {error.strerror}",
                remedy="make it, or give another --store",
            ) from None

    @contextmanager
    def transaction(self, *, patient: bool = False) -> Iterator[sqlite3.Connection]:
        """To write: all of it or nothing, on disk when it ends. ``patient``: what would be lost if
        it did not wait for another process that holds the file for long."""
        if self._frozen:
            raise self._frozen
        try:
            with self.using(), transaction(self.db, self._patience_s if patient else 0):
                self._refuse_moved()
                yield self.db
        except KeyboardInterrupt:
            self._patience_s = 0  # who is to end at once has more to keep, and waits no longer
            raise

    @contextmanager
    def removal(self) -> Iterator[sqlite3.Connection]:
        """To write what follows no references: who removes a row removes all that belongs to it."""
        with self.using():
            self.db.execute("PRAGMA foreign_keys = OFF")
        try:
            with self.transaction() as db:
                yield db
        finally:
            self.db.execute("PRAGMA foreign_keys = ON")

    @contextmanager
    def using(self) -> Iterator[None]:
        """Around every use of ``db``."""
        if self._closed:
            raise StoreError(f"the history {self.path} is closed", remedy="open it again")
        try:
            yield
        except sqlite3.IntegrityError as error:
            raise StoreError(
                f"the history {self.path} refuses this: {error}",
                remedy="a run is begun once, and before its measurements are added",
            ) from error
        except OverflowError as error:
            raise StoreError(
                f"the history {self.path} refuses this: a number is too large for it: {error}",
                remedy="it was changed after it was measured: leave it out",
            ) from error
        except sqlite3.Error as error:
            if primary_code(error) == "SQLITE_NOTADB" and not may_be_history(Path(self.path)):
                raise NoHistoryError(self.path) from error
            raise StoreError(
                f"the history {self.path} cannot be used: {error}",
                remedy=self._remedy(primary_code(error)),
            ) from error

    @contextmanager
    def decoding(self) -> Iterator[None]:
        """Around all that turns rows back into values: a row may have been tampered with."""
        try:
            yield
        except RunError as error:
            raise self.unreadable(error.what, error.remedy) from error
        except (zlib.error, ValueError, TypeError, KeyError) as error:
            raise self.unreadable(str(error)) from error

    def unreadable(self, why: str, remedy: str | None = None) -> StoreError:
        """Of what is kept in it. Without a remedy of its own, it is that for a damaged file."""
        return StoreError(
            f"the history {self.path} holds something unreadable: {why}",
            remedy=self._damaged() if remedy is None else remedy,
        )

    def close(self) -> None:
        """Once is enough, and twice does no harm."""
        self._closed = True
        self.db.close()

    def _configure(self, busy_seconds: float) -> None:
        self.db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, DOCUMENT_BYTES)
        self.db.execute("PRAGMA trusted_schema = OFF")
        self.db.execute("PRAGMA foreign_keys = ON")
        self.db.execute("PRAGMA synchronous = FULL")
        self.db.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        if not self._frozen:
            write_ahead(self.db, busy_seconds)

    def _refuse_moved(self) -> None:
        """SQLite itself would go on writing into a file that was put aside."""
        if _identity(self.path) != self._identity:
            raise StoreError(
                f"the history {self.path} was put aside or replaced by another process",
                remedy="do it again: it then goes into the one that is there now",
            )

    def _remedy(self, code: str) -> str:
        with suppress(OSError):
            place = Path(self.path)
            if place.exists() and not place.is_file():
                return "it is not a file: name one with --store, such as --store history.sqlite"
            if code == "SQLITE_CANTOPEN" and place.exists():  # its journal cannot be
                return _REMEDIES["SQLITE_READONLY"]
        if code == "SQLITE_IOERR":  # also what SQLite says of a disk too full for its journals
            with suppress(OSError):
                if disk_usage(Path(self.path).parent).free < _NO_SPACE_BYTES:
                    return f"its disk is full: {_REMEDIES['SQLITE_FULL']}"
        return _REMEDIES.get(code, self._damaged())

    def _damaged(self) -> str:
        return f"{_DAMAGED} --store {shlex.quote(self.path)}"


def _identity(path: str) -> tuple[int, int] | None:
    """Which file a name stands for now."""
    with suppress(OSError):
        status = Path(path).stat()
        return status.st_dev, status.st_ino
    return None
