"""Collects what is wrong with a spec, so that one run of ``validate`` names all of it."""

from __future__ import annotations

from collections.abc import Iterable

from iogate.errors import Location, SpecError
from iogate.files.bounds import PROBLEMS_LOOKED_AT
from iogate.files.suggestion import suggest

__all__ = ["Problems", "listed", "suggest"]

_MOST = 50


class Problems:
    """Problems found so far; ``check`` raises them as one SpecError."""

    def __init__(self) -> None:
        self._found: dict[str, SpecError] = {}

    def add(self, what: str, where: Location | None, remedy: str = "") -> None:
        """Note one problem; the same sentence at the same place is noted once. Beyond some
        hundreds, no more are: nobody reads them."""
        self._note(SpecError(what, remedy=remedy, where=where))

    def take(self, error: SpecError, *, arm: str = "") -> None:
        """Note a problem that another part raised, with all that it carries: with the name of the
        ``arm`` that it is of, unless it is known without one."""
        for each in (error, *error.others):
            if not arm:
                self._note(type(each)(each.what, remedy=each.remedy, where=each.where))
            elif str(each) not in self._found:
                self.add(f"arm {arm}: {each.what}", each.where, each.remedy)

    def join(self, other: Problems) -> None:
        """Note all that another collection holds."""
        for error in other._found.values():
            self.take(error)

    def _note(self, error: SpecError) -> None:
        if not self.full:
            self._found.setdefault(str(error), error)

    @property
    def full(self) -> bool:
        """Whether no more are noted, and looking for them is in vain."""
        return len(self._found) >= PROBLEMS_LOOKED_AT

    def __bool__(self) -> bool:
        return bool(self._found)

    def check(self) -> None:
        """Raise everything found so far, in the order of the file."""
        if not self._found:
            return
        ordered = sorted(self._found.values(), key=_position)[:_MOST]
        first = ordered[0]
        raise type(first)(
            first.what, remedy=first.remedy, where=first.where, others=tuple(ordered[1:])
        )


def _position(error: SpecError) -> tuple[str, int, int]:
    where = error.where
    return (where.file, where.line, where.column) if where else ("", 0, 0)


def listed(words: Iterable[str]) -> str:
    """``a, b or c``."""
    names = list(words)
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
