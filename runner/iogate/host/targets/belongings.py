"""Files that no spec writes, as they are iogate's own, and those that only a trusted one does, as
they may be a part of the host."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

from iogate.errors import RefusedError
from iogate.host.foreseen import answers
from iogate.host.helper.base import CHANGED, CONFIG, KEPT
from iogate.sut.base import Sut
from iogate.sut.boot_notes import PLACE
from iogate.sut.state_folder import HOST_LOCK, journal_folders, state_folder

_SYSTEM = re.compile(
    r"/([^/]*$|(bin|boot|dev|efi|etc|home|lib[^/]*|nix|opt|proc|root|run|sbin|snap|sys|usr|var)/)"
)
_TEMPORARY = ("/dev/shm/", "/var/tmp/")  # noqa: S108  (that is what they are for)
_HOMES = (
    "HOME",
    "XDG_BIN_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_STATE_HOME",
    "XDG_RUNTIME_DIR",
)
_OF_GIT = ("HEAD", "objects", "refs")  # what a folder has that git takes for a repository
_NAME = "iogate"


def of_iogate(sut: Sut, names: Sequence[str], kept: Sequence[str]) -> str | None:
    """The first of the names of a file that is one of iogate's own: a lock, a journal, a note, or
    one of ``kept``, files and folders of a run."""
    own = answers(sut, "real_path", (*_own(sut), *kept))
    noted = answers(sut, "real_path", journal_folders(sut))
    for name in names:
        folder, _, last = name.rpartition("/")
        if any(_is_in(name, path) for path in own) or _is_same(sut, name, own):
            return name
        if folder in noted and last.startswith(_NAME):
            return name
    return None


def of_host(sut: Sut, names: Sequence[str]) -> str | None:
    """The first of the names of a file that may be a part of the host: with the right bytes there
    a program would run."""
    here, homes = sut.real_path("."), tuple(_homes(sut))
    for name in names:
        if _is_systems(name, here) or _is_users(name, here, homes) or _is_of_git(sut, name):
            return name
    return None


def _own(sut: Sut) -> Iterator[str]:
    yield from (HOST_LOCK, PLACE, CONFIG, posixpath.dirname(CHANGED), posixpath.dirname(KEPT))
    if home := sut.about().home:
        yield f"{home}/.local/state/{_NAME}"
    with suppress(RefusedError):
        yield state_folder(sut)


def _is_systems(path: str, here: str) -> bool:
    """Hidden files are what programs are configured by, and what repositories are made of."""
    in_here = here != "/" and _is_below(path, here)
    if _is_hidden(path[len(here) :] if in_here else path):
        return True
    return not in_here and bool(_SYSTEM.match(path)) and not path.startswith(_TEMPORARY)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))


def _is_users(path: str, here: str, homes: Sequence[str]) -> bool:
    """In a home, or a folder that stands for a part of one; who works in there may write there."""
    return any(
        _is_below(path, home) and not (_is_in(here, home) and _is_below(path, here))
        for home in homes
    )


def _homes(sut: Sut) -> Iterator[str]:
    machine = sut.about()
    named = (machine.home, *(machine.variables.get(name, "") for name in _HOMES))
    homes = answers(sut, "real_path", [home for home in named if home.startswith("/")])
    yield from (home for home in homes if home != "/")


def _is_of_git(sut: Sut, path: str) -> bool:
    """Whether it is in a repository that has no name of git's, as a bare one."""
    folders = list(_above(path))
    found = sut.read_many((), [f"{folder}/{name}" for folder in folders for name in _OF_GIT])
    return any(all(f"{folder}/{name}" in found for name in _OF_GIT) for folder in folders)


def _above(path: str) -> Iterator[str]:
    while (path := posixpath.dirname(path)) not in ("", "/"):
        yield path


def _is_in(path: str, folder: str) -> bool:
    return path == folder or _is_below(path, folder)


def _is_below(path: str, folder: str) -> bool:
    return path.startswith(f"{folder.rstrip('/')}/")


def _is_same(sut: Sut, path: str, own: Sequence[str]) -> bool:
    """Whether a file that is there has another name that is one of iogate's, as where case does
    not count."""
    status = sut.stat(path)
    if status is None:
        return False
    there = (each.stat for each in sut.read_many((), own).values())
    return any((e.device, e.inode) == (status.device, status.inode) for e in there)
