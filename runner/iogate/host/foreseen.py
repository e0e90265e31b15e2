"""A look at a machine that is taken again and again: what it read the last time is read first, in
one round trip, and what has come since is asked for as ever. Every answer is of this look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast
from weakref import WeakKeyDictionary

from iogate.host.read_ahead import ReadAhead
from iogate.sut.base import FileStat, Found, Sut

_Asked = tuple[tuple[str, ...], tuple[str, ...]]


def foreseen(sut: Sut, name: str, paths: Sequence[str] = (), looks: Sequence[str] = ()) -> Sut:
    """The machine as it is now, for one look at it that changes nothing. Looks of one ``name``
    read much the same, and each of them ``paths`` and ``looks``. A machine here is asked without
    that."""
    machine = sut.machine if isinstance(sut, ReadAhead) else sut
    if machine.is_here:
        return machine
    known = _known.setdefault(machine, {})
    last = known.get(name)
    look = known[name] = _Look(machine)
    before = last.asked if last else ((), ())
    ahead = tuple(dict.fromkeys((*paths, *before[0]))), tuple(dict.fromkeys((*looks, *before[1])))
    if any(ahead):
        look.read(*ahead)
    return cast("Sut", look)


def looked_at(sut: Sut, name: str, paths: Sequence[str] = (), looks: Sequence[str] = ()) -> Sut:
    """The same, within a look that is taken already: that one goes on."""
    if not isinstance(sut, ReadAhead):
        return foreseen(sut, name, paths, looks)
    sut.read_many(paths, looks)
    return cast("Sut", sut)


class _Look(ReadAhead):
    """Notes what it is asked for, and asks for nothing twice."""

    def __init__(self, sut: Sut) -> None:
        super().__init__(sut)
        self._paths: dict[str, None] = {}
        self._stats: dict[str, None] = {}

    @property
    def asked(self) -> _Asked:
        """Paths that were read, and those that were only looked at."""
        return tuple(self._paths), tuple(self._stats)

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        self._paths |= dict.fromkeys(paths)
        self._stats |= dict.fromkeys(looks)
        return super().read_many(paths, looks)

    def read_text(self, path: str) -> str | None:
        self.read_many([path])
        return super().read_text(path)

    def list_dir(self, path: str) -> tuple[str, ...]:
        self.read_many([path])
        return super().list_dir(path)

    def stat(self, path: str) -> FileStat | None:
        self.read_many((), [path])
        return super().stat(path)

    def real_path(self, path: str) -> str:
        self.read_many((), [path, path.rpartition("/")[0] or "/"])
        return super().real_path(path)


_known: WeakKeyDictionary[Sut, dict[str, _Look]] = WeakKeyDictionary()
