"""A look at a machine that is taken again and again: what it read the last time is read first, in
one round trip, and what has come since is asked for as ever. Every answer is of this look."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar, cast
from weakref import WeakKeyDictionary

from iogate.host.read_ahead import ReadAhead
from iogate.sut.base import FileStat, Found, Sut
from iogate.sut.together import together

_T = TypeVar("_T")
_Question = tuple[str, str]


def foreseen(sut: Sut, name: str, paths: Sequence[str] = (), looks: Sequence[str] = ()) -> Sut:
    """The machine as it is now, for one look at it that changes nothing. Looks of one ``name``
    read much the same, and each of them ``paths`` and ``looks``. A machine here is asked without
    that."""
    return _look(sut, name, (paths, looks), ())[0]


def foreseen_with(sut: Sut, name: str, call: partial[_T]) -> tuple[Sut, _T]:
    """The same, and what another call of the machine gives, asked in the same round trip."""
    look, (value,) = _look(sut, name, ((), ()), (call,))
    return look, value


def _look(
    sut: Sut,
    name: str,
    always: tuple[Sequence[str], Sequence[str]],
    calls: tuple[partial[Any], ...],
) -> tuple[Sut, Sequence[Any]]:
    machine = sut.machine if isinstance(sut, ReadAhead) else sut
    if machine.is_here:
        return machine, together(*calls)
    known = _known.setdefault(machine, {})
    last = known.get(name)
    look = known[name] = _Look(machine)
    before = last.asked if last else ((), (), ())
    paths, looks = _once(always[0], before[0]), _once(always[1], before[1])
    questions = [partial(getattr(machine, question), path) for question, path in before[2]]
    if not (paths or looks or questions):
        return cast("Sut", look), together(*calls)
    read = partial(machine.read_many, paths, looks)
    found, *said = together(read, *questions, *calls)
    look.know(paths, looks, found)
    look.answers |= zip(before[2], said, strict=False)
    return cast("Sut", look), said[len(questions) :]


def _once(*paths: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(path for some in paths for path in some))


def answers(sut: Sut, question: str, paths: Sequence[str]) -> tuple[Any, ...]:
    """What a call of the machine that changes nothing gives for each path. Within a look each is
    asked once, and by the next one ahead."""
    while isinstance(sut, ReadAhead) and not isinstance(sut, _Look):
        sut = sut.within
    if isinstance(sut, _Look):
        return sut.ask(question, paths)
    return together(*(partial(getattr(sut, question), path) for path in paths))


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
        self._questions: dict[_Question, None] = {}
        self.answers: dict[_Question, Any] = {}

    @property
    def asked(self) -> tuple[tuple[str, ...], tuple[str, ...], tuple[_Question, ...]]:
        """Paths that were read, those that were only looked at, and what else was asked."""
        return tuple(self._paths), tuple(self._stats), tuple(self._questions)

    def ask(self, question: str, paths: Sequence[str]) -> tuple[Any, ...]:
        """As ``answers`` says."""
        self._questions |= dict.fromkeys((question, path) for path in paths)
        new = [path for path in paths if (question, path) not in self.answers]
        said = together(*(partial(getattr(self.machine, question), path) for path in new))
        self.answers |= zip(((question, path) for path in new), said, strict=True)
        return tuple(self.answers[question, path] for path in paths)

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
