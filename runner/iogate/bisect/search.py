"""Halving a list between a good and a bad end, with some that are inconclusive."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.bisect.ends import Side
from iogate.errors import UsageError


class ListSearch:
    """Which of ``builds``, oldest first, is next, and what is left. The first is known to be
    good, the last to be bad."""

    def __init__(self, builds: Sequence[str]) -> None:
        if len(builds) < 2:
            raise UsageError(
                "a list of builds has at least a good one and a bad one",
                remedy="one build a line, the good one first and the bad one last",
            )
        self._builds = list(builds)
        self._good, self._bad = 0, len(builds) - 1
        self._skipped: set[int] = set()

    @property
    def left(self) -> int:
        """How many builds are still to be told."""
        return len(self._open())

    def next(self) -> str | None:
        """The build to try: the one nearest to the middle of what is open."""
        open_places = self._open()
        middle = (self._good + self._bad) / 2
        at = min(open_places, key=lambda i: abs(i - middle), default=None)
        return None if at is None else self._builds[at]

    def mark(self, build: str, side: Side) -> None:
        """Say what the build that ``next`` gave is."""
        at = next(i for i in self._open() if self._builds[i] == build)
        if side is Side.GOOD:
            self._good = at
        elif side is Side.BAD:
            self._bad = at
        else:
            self._skipped.add(at)

    def result(self) -> tuple[str, ...]:
        """The builds of which one is the first bad one; it alone when all were told."""
        return tuple(self._builds[self._good + 1 : self._bad + 1])

    def _open(self) -> list[int]:
        return [i for i in range(self._good + 1, self._bad) if i not in self._skipped]
