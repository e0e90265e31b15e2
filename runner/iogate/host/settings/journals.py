"""Where the journals of changed settings lie, and which of them count."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from contextlib import suppress

from iogate.errors import RunError
from iogate.sut.base import Found, Sut
from iogate.sut.state_folder import journal_folders

_NAME = re.compile(r"iogate-journal\.(\d{1,10})\.[0-9a-f]{12}")


def new_journal(sut: Sut) -> str:
    """A path for a journal of this user that nobody can have taken before."""
    name = f"iogate-journal.{sut.about().user}.{secrets.token_hex(6)}"
    folders = journal_folders(sut)
    folder = next((each for each in folders if sut.can_write(each)), folders[-1])
    with suppress(RunError):
        sut.make_dir(folder)
    return f"{folder}/{name}"


def own_journals(sut: Sut) -> tuple[str, ...]:
    """Journals of this user, in the order of their names; what another user has given such a
    name does not count."""
    return _of(sut, sut.about().user)


def foreign_journals(sut: Sut) -> tuple[str, ...]:
    """Journals of root, for any other user: only root can have made them, and undo them."""
    return _of(sut, 0) if sut.about().user else ()


def _of(sut: Sut, user: int) -> tuple[str, ...]:
    """Regular files of one name that are this user's."""
    known = tuple(dict.fromkeys(_places(sut)))
    there = sut.read_many((), looks=known)  # not what is in them: anybody may put files there
    return tuple(path for path in known if path in there and _is_of(there[path], user))


def _is_of(entry: Found, user: int) -> bool:
    stat = entry.stat
    return not entry.is_link and stat.is_file and stat.links == 1 and stat.owner == user


def _places(sut: Sut) -> Iterator[str]:
    """Only in folders that are iogate's or the system's: where a spec may write a file, it could
    say what is to be set."""
    for folder in journal_folders(sut):
        yield from (
            f"{folder}/{name}" for name in sorted(sut.list_dir(folder)) if _NAME.fullmatch(name)
        )
