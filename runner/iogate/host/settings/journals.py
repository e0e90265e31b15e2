"""Where the journals of changed settings lie, and which of them count."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import PurePosixPath

from iogate.errors import RunError
from iogate.sut.base import Found, Sut
from iogate.sut.state_folder import LOCKS, journal_folders

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
    places = tuple(dict.fromkeys(_places(sut)))
    found = sut.read_many(places)
    known = (path for place in places for path in _named(place, found))
    return tuple(path for path in known if _is_of(found[path], user))


def _named(place: str, found: Mapping[str, Found]) -> list[str]:
    """What stands at a place, which may have a ``*``."""
    head, star, _ = place.partition("*")
    if not star:
        return [place] if place in found else []
    return sorted(p for p in found if p.startswith(head) and _NAME.fullmatch(p.rpartition("/")[2]))


def _is_of(found: Found, user: int) -> bool:
    stat = found.stat
    return not found.is_link and stat.is_file and stat.links == 1 and stat.owner == user


def _places(sut: Sut) -> Iterator[str]:
    """Journals as they are named now, and where earlier versions left them, so that an update
    loses none."""
    machine = sut.about()
    yield from (f"{folder}/iogate-journal.*" for folder in journal_folders(sut))
    yield f"{LOCKS}/iogate.journal"
    yield f"/run/user/{machine.user}/iogate.journal"
    yield f"{machine.temporary}/iogate-{machine.user}.journal"
    if given := machine.variables.get("IOGATE_LOCK"):
        lock = PurePosixPath(given)
        yield str(lock.with_name(f"{lock.stem}.journal"))
