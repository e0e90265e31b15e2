"""Where the journals of changed settings lie, and which of them count."""

from __future__ import annotations

import os
import re
import secrets
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

from iogate.files.state_folder import LOCKS, journal_folders

_NAME = re.compile(r"iogate-journal\.(\d{1,10})\.[0-9a-f]{12}")


def new_journal() -> str:
    """A path for a journal of this user that nobody can have taken before."""
    name = f"iogate-journal.{os.geteuid()}.{secrets.token_hex(6)}"
    folders = journal_folders()
    folder = next((each for each in folders if os.access(each, os.W_OK | os.X_OK)), folders[-1])
    with suppress(OSError):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return str(folder / name)


def own_journals() -> tuple[str, ...]:
    """Journals of this user, in the order of their names; what another user has given such a
    name does not count."""
    return tuple(str(path) for path in _found() if _owner(path) == os.geteuid())


def foreign_journals() -> tuple[str, ...]:
    """Journals of root, for any other user: only root can have made them, and undo them."""
    if os.geteuid() == 0:
        return ()
    return tuple(str(path) for path in _found() if _owner(path) == 0)


def _found() -> Iterator[Path]:
    for folder in journal_folders():
        with suppress(OSError):
            names = sorted(entry.name for entry in folder.iterdir())
            yield from (folder / name for name in names if _NAME.fullmatch(name))
    yield from _old()


def _old() -> Iterator[Path]:
    """Where earlier versions left them, so that an update loses none."""
    yield LOCKS / "iogate.journal"
    yield Path(f"/run/user/{os.geteuid()}/iogate.journal")
    yield Path(gettempdir()) / f"iogate-{os.geteuid()}.journal"
    if given := os.environ.get("IOGATE_LOCK"):
        lock = Path(given)
        yield lock.with_name(f"{lock.stem}.journal")


def _owner(path: Path) -> int | None:
    """Of a regular file with this one name, else None."""
    with suppress(OSError):
        found = path.lstat()
        if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
            return found.st_uid
    return None
