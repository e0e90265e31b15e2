"""Whether a root without its privileges may still use a path."""

from __future__ import annotations

from pathlib import PurePosixPath

from iogate.sut.base import FileStat, Sut

_SEARCHED, _WRITTEN, _READ = 0o001, 0o002, 0o004


def needs_override(sut: Sut, path: str, user: int, *, writes: bool = False) -> bool:
    """Whether the modes on the way to a path, and its own, keep ``user`` out who may override
    nothing. What is his he may use; groups are not looked at, and taken as no right."""
    way = [str(folder) for folder in PurePosixPath(path).parents]
    wanted = {**dict.fromkeys(way, _SEARCHED), path: _READ | (_WRITTEN if writes else 0)}
    looks = sut.read_many((), list(wanted))
    return any(_shut(looks[each].stat, user, wanted[each]) for each in looks)


def _shut(status: FileStat, user: int, wanted: int) -> bool:
    return status.owner != user and status.mode & wanted != wanted
