"""What `make mutants` says of each room, and its list of changes that change nothing.

A mutant is the code with one small change. It is noticed when a test then fails, or does not end;
otherwise it survived: a test is missing, or the change changes nothing that can be seen. Those of
the second kind are listed in tests/mutants.toml, each with why, and are not counted.
"""

from __future__ import annotations

import argparse
import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

ROOT = Path(__file__).resolve().parent.parent
LIST = ROOT / "tests" / "mutants.toml"
WANTED_PERCENT = 90.0
CHANGE = re.compile(r"(?P<file>[^:]+):(?P<line>\d+): `(?P<was>.*)` became `(?P<becomes>.*)`")

Outcome = Literal["noticed", "timed out", "survived", "equivalent"]


@dataclass(frozen=True, slots=True)
class Change:
    """One line of a file, which is relative to the checkout; both texts without indentation.

    A line that goes altogether becomes "".
    """

    file: str
    line: int
    was: str
    becomes: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: `{self.was}` became `{self.becomes}`"

    @classmethod
    def parse(cls, text: str) -> Change:
        """The change that was printed so. ValueError when it was not."""
        match = CHANGE.fullmatch(text.strip())
        if not match:
            raise ValueError(f"{text!r} is not of the form FILE:LINE: `WAS` became `BECOMES`")
        return cls(match["file"], int(match["line"]), match["was"], match["becomes"])


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Changes that no test can notice, and why; ``file`` may hold `*` and so may the texts."""

    file: str
    was: str
    becomes: str
    why: str

    def covers(self, change: Change) -> bool:
        """Whether this is such a change; the number of its line does not matter."""
        return fnmatchcase(change.file, self.file) and all(
            _like(text, pattern)
            for text, pattern in ((change.was, self.was), (change.becomes, self.becomes))
        )


def _like(text: str, pattern: str) -> bool:
    """`[...]` stands for any text, as code itself is full of stars."""
    pieces = (re.escape(piece) for piece in pattern.split("[...]"))
    return re.fullmatch(".*".join(pieces), text) is not None


def known_equivalents(path: Path = LIST) -> list[Equivalent]:
    """The list. ValueError when an entry lacks something or says no reason."""
    entries = tomllib.loads(path.read_text(encoding="utf-8")).get("equivalent", [])
    known = []
    for number, entry in enumerate(entries, 1):
        if set(entry) != {"file", "was", "becomes", "why"} or not entry["why"].strip():
            raise ValueError(f"{path}: entry {number} needs file, was, becomes and why, no more")
        known.append(Equivalent(**entry))
    return known


@dataclass(frozen=True, slots=True)
class RoomReport:
    """What became of the mutants of a room."""

    part: str  # python or c
    room: str
    outcomes: Sequence[tuple[Change, Outcome]]

    def count(self, outcome: Outcome) -> int:
        """How many ended so."""
        return sum(each == outcome for _, each in self.outcomes)

    @property
    def percent(self) -> float:
        """Of the mutants that change behaviour, how many were noticed; 100 when there are none."""
        counted = len(self.outcomes) - self.count("equivalent")
        return 100.0 * (counted - self.count("survived")) / counted if counted else 100.0

    @property
    def enough(self) -> bool:
        """Whether the tests of the room notice what they should."""
        return self.percent >= WANTED_PERCENT

    def lines(self) -> list[str]:
        """The figures in a line, then each survivor in one."""
        kinds: tuple[Outcome, ...] = ("noticed", "timed out", "survived", "equivalent")
        counts = ", ".join(f"{self.count(kind)} {kind}" for kind in kinds)
        head = (
            f"{self.part} {self.room}: {len(self.outcomes)} mutants: {counts}: {self.percent:.0f} %"
        )
        survivors = (change for change, outcome in self.outcomes if outcome == "survived")
        return [head, *(f"  survived: {change}" for change in survivors)]


def parsed(
    arguments: Sequence[str], of: str, whole: str, rooms: Iterable[str]
) -> argparse.Namespace:
    """What `mutants_*` OF the engine or the runner are told; ends the program when it is wrong.

    ``whole`` says how long all mutants take, ``rooms`` what there is to choose from.
    """
    there = ", ".join(rooms)
    parser = argparse.ArgumentParser(description=f"Changes to {of} that a test should notice.")
    parser.add_argument("--sample", type=int, default=25, help="mutants of each room (25)")
    parser.add_argument("--seed", type=int, default=1, help="which ones (1)")
    parser.add_argument("--whole", action="store_true", help=f"every mutant; takes {whole}")
    parser.add_argument("--again", type=Change.parse, help="one change, as it was printed")
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {there}")
    options = parser.parse_args(arguments)
    if unknown := set(options.rooms) - set(rooms):
        parser.error(f"no room {', '.join(sorted(unknown))}; there are {there}")
    return options
