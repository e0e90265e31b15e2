"""A machine of which many paths are read before they are asked for: a hundred facts cost a few
round trips."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

from iogate.sut.base import FileStat, Found, Sut


class ReadAhead:
    """Answers of a machine at one moment. What was read is not asked for again; every other path,
    and all that is no reading, goes to the machine itself."""

    def __init__(self, sut: Sut) -> None:
        self.machine: Sut = sut.machine if isinstance(sut, ReadAhead) else sut
        self._sut = sut
        self._found: dict[str, Found] = {}
        self._read: set[str] = set()
        self._patterns: dict[str, re.Pattern[str]] = {}
        self._looked: set[str] = set()

    @property
    def within(self) -> Sut:
        """What it asks for all that it has not read."""
        return self._sut

    def read(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Sut:
        """Read these as well, in one round trip, as ``Sut.read_many`` does; the machine that
        knows them."""
        return self.know(paths, looks, self._sut.read_many(paths, looks))

    def know(self, paths: Sequence[str], looks: Sequence[str], found: Mapping[str, Found]) -> Sut:
        """The same of what was read already."""
        self._found |= found
        self._read |= set(paths)
        self._patterns |= {path: _pattern(path) for path in paths if "*" in path}
        self._looked |= set(looks)
        return cast("Sut", self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._sut, name)

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        unread = [path for path in paths if not self._is_read(path)]
        unseen = [path for path in looks if not self._is_known(path)]
        if unread or unseen:
            self.read(unread, unseen)
        asked = [self._patterns[path] for path in paths if path in self._patterns]
        several = (path for path in self._found if any(each.fullmatch(path) for each in asked))
        names = dict.fromkeys((*looks, *paths, *several))
        return {path: self._found[path] for path in names if path in self._found}

    def read_text(self, path: str) -> str | None:
        if not self._is_read(path):
            return self._sut.read_text(path)
        entry = self._found.get(path)
        data = entry.data if entry else None
        return None if data is None else data.decode(errors="replace")

    def read_bytes(self, path: str) -> bytes:
        """Of what was read; empty for what is not there."""
        entry = self._found.get(path)
        return (entry.data if entry else None) or b""

    def stat(self, path: str) -> FileStat | None:
        if not self._is_known(path):
            return self._sut.stat(path)
        entry = self._found.get(path)
        return entry.stat if entry else None

    def list_dir(self, path: str) -> tuple[str, ...]:
        if not self._is_read(path):
            return self._sut.list_dir(path)
        entry = self._found.get(path)
        return entry.names if entry else ()

    def real_path(self, path: str) -> str:
        if (entry := self._found.get(path)) and entry.real_path:
            return entry.real_path
        folder, _, name = path.rpartition("/")
        above = self._found.get(folder or "/") if self._is_known(path) else None
        if above is None or not above.real_path or name in ("", ".", ".."):
            return self._sut.real_path(path)
        return f"{above.real_path.rstrip('/')}/{name}"  # a regular file, or nothing

    def _is_known(self, path: str) -> bool:
        return path in self._looked or self._is_read(path)

    def _is_read(self, path: str) -> bool:
        return path in self._read or any(each.fullmatch(path) for each in self._patterns.values())


def _pattern(path: str) -> re.Pattern[str]:
    return re.compile(re.escape(path).replace(r"\*", "[^/]*"))
