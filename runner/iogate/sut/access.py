"""Whether a root without its privileges may still use a path."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath

from iogate.sut.base import FileStat, Found, Sut

_SEARCHED, _WRITTEN, _READ = 0o001, 0o002, 0o004


def needs_override(sut: Sut, path: str, user: int, *, writes: bool = False) -> bool:
    """Whether the modes on the way to a path, and its own, keep ``user`` out who may override
    nothing. What is his he may use; groups are not looked at, and taken as no right."""
    return is_kept_out(sut.read_many((), [path, *way_to(path)]), path, user, writes=writes)


def is_kept_out(looks: Mapping[str, Found], path: str, user: int, *, writes: bool = False) -> bool:
    """The same of what was looked at: the path, and the way to it."""
    wanted = {**dict.fromkeys(way_to(path), _SEARCHED), path: _READ | (_WRITTEN if writes else 0)}
    return any(_shut(looks[each].stat, user, wanted[each]) for each in wanted if each in looks)


def way_to(path: str) -> tuple[str, ...]:
    """The folders above a path."""
    return tuple(str(folder) for folder in PurePosixPath(path).parents)


def _shut(status: FileStat, user: int, wanted: int) -> bool:
    return status.owner != user and status.mode & wanted != wanted
