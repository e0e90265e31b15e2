"""Whether a root without its privileges may still use a path."""

from __future__ import annotations

from pathlib import PurePosixPath

from iogate.sut.base import Sut

_SEARCHED, _WRITTEN, _READ = 0o001, 0o002, 0o004


def needs_override(sut: Sut, path: str, user: int, *, writes: bool = False) -> bool:
    """Whether the modes on the way to a path, and its own, keep ``user`` out who may override
    nothing. What is his he may use; groups are not looked at, and taken as no right."""
    way = PurePosixPath(path).parents
    wanted = _READ | (_WRITTEN if writes else 0)
    return any(_shut(sut, str(folder), user, _SEARCHED) for folder in way) or _shut(
        sut, path, user, wanted
    )


def _shut(sut: Sut, path: str, user: int, wanted: int) -> bool:
    found = sut.stat(path)
    return found is not None and found.owner != user and found.mode & wanted != wanted
