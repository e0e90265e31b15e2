#!/usr/bin/env python3
"""Check the engine's sources: each file in a room, each room in a layer, includes only downwards.

usage: scripts/check_rooms.py [--arrows] [FOLDER]

FOLDER holds the rooms, native/src as a rule. What is wrong is printed, a line each, with the file
and the line; the exit status is then 1. --arrows prints the rooms from the top down instead, each
with those it includes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parent.parent / "native" / "src"

# From the top down. A file includes those of its own room and of layers below; rooms of one
# layer do not know each other.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("cli",),
    ("output",),
    ("run",),
    ("worker",),
    ("logs", "jobfile"),
    ("target",),
    ("pattern",),
    ("engines", "verify"),
    ("job",),
    ("stats", "confine", "command"),
    ("util",),
)
LEVELS = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


@dataclass(frozen=True, slots=True)
class Include:
    """A line of ``file`` that includes ``what``; both are paths below the folder of rooms."""

    file: Path
    line: int
    what: Path

    def __str__(self) -> str:
        return f'{self.file}:{self.line}: #include "{self.what}"'


def sources(folder: Path) -> list[Path]:
    """Every C file, by its path below the folder."""
    return sorted(path.relative_to(folder) for path in folder.rglob("*.[ch]"))


def includes(folder: Path) -> list[Include]:
    """Every include of a file of ours."""
    return [
        Include(file, number, Path(match[1]))
        for file in sources(folder)
        for number, line in enumerate((folder / file).read_text("utf-8").splitlines(), 1)
        if (match := INCLUDE.match(line))
    ]


def misplaced(folder: Path) -> Iterator[str]:
    """Files in no room, rooms in no layer, and layers' rooms that are not there."""
    for file in sources(folder):
        if len(file.parts) != 2:
            yield f"{file}: is in no room: move it to one, or make one with a manual and a layer"
        elif file.parts[0] not in LEVELS:
            yield f"{file}: its room is in no layer: add it to LAYERS in {Path(__file__).name}"
    for room in LEVELS:
        if not (folder / room).is_dir():
            yield f"{room}: is in a layer, but there is no such room"


def upward(folder: Path) -> Iterator[str]:
    """Includes that do not go down, or lead nowhere."""
    for include in includes(folder):
        here, there = include.file.parts[0], include.what.parts[0]
        if not (folder / include.what).is_file() or len(include.what.parts) != 2:
            yield f"{include}: there is no such file; includes name the room, too"
        elif here == there or here not in LEVELS or there not in LEVELS:
            continue
        elif LEVELS[there] < LEVELS[here]:
            yield f"{include} goes up: {there} is above {here}"
        elif LEVELS[there] == LEVELS[here]:
            yield f"{include} goes sideways: {there} and {here} are one layer"


def needs(folder: Path) -> dict[str, list[str]]:
    """What each module includes: a module is a .c and its .h, or one of them alone."""
    needs_of: dict[str, list[str]] = {str(file.with_suffix("")): [] for file in sources(folder)}
    for include in includes(folder):
        module, needed = str(include.file.with_suffix("")), str(include.what.with_suffix(""))
        if module != needed and needed not in needs_of[module]:
            needs_of[module].append(needed)
    return needs_of


def circle(graph: Mapping[str, list[str]]) -> list[str]:
    """Modules of which each needs the next and the last the first; empty without any."""
    done: set[str] = set()

    def walk(module: str, path: list[str]) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module in done:
            return []
        for needed in graph.get(module, []):
            if circle_below := walk(needed, [*path, module]):
                return circle_below
        done.add(module)
        return []

    return next((closed for module in sorted(graph) if (closed := walk(module, []))), [])


def manual(folder: Path, room: str) -> str:
    """The comment at the top of the header that has the room's name; empty without one."""
    path = folder / room / f"{room}.h"
    text = path.read_text("utf-8") if path.is_file() else ""
    match = re.search(rf"\A.*\n/\*\n \* The room {room}: .*?\*/", text, re.DOTALL)
    return match[0] if match else ""


def first_sentences(folder: Path = SOURCE) -> dict[str, str]:
    """What the manual of each room begins with."""
    sentences = {}
    for room in LEVELS:
        paragraph = manual(folder, room).partition(f"The room {room}: ")[2].split("\n *\n")[0]
        sentences[room] = " ".join(line.strip(" *") for line in paragraph.splitlines())
    return {room: text[:1].upper() + text[1:] for room, text in sentences.items()}


def unmentioned(folder: Path) -> Iterator[str]:
    """Rooms without a manual, and headers that the manual of their room does not name."""
    for room in LEVELS:
        text = manual(folder, room)
        if not text:
            yield f'{room}/{room}.h: has to begin with the room\'s manual, "The room {room}: …"'
            continue
        for header in sorted((folder / room).glob("*.h")):
            named = re.search(rf"\s{re.escape(header.name)}[\s,]", text)
            if header.stem != room and not named:
                yield f"{room}/{header.name}: the manual in {room}/{room}.h does not name it"


def problems(folder: Path) -> list[str]:
    """All that is wrong, a line each."""
    around = circle(needs(folder))
    return [
        *misplaced(folder),
        *upward(folder),
        *([f"{' -> '.join([*around, around[0]])}: need each other"] if around else []),
        *unmentioned(folder),
    ]


def arrows(folder: Path) -> dict[str, list[str]]:
    """Each room from the top down, and the rooms that its files include."""
    needed: dict[str, set[str]] = {room: set() for room in LEVELS}
    for include in includes(folder):
        here, there = include.file.parts[0], include.what.parts[0]
        if here != there:
            needed[here].add(there)
    return {room: sorted(rooms, key=LEVELS.__getitem__) for room, rooms in needed.items()}


def main(arguments: list[str]) -> int:
    """Print what is asked for; 1 where something is wrong."""
    folders = [Path(word) for word in arguments if word != "--arrows"]
    folder = folders[0] if folders else SOURCE
    if "--arrows" in arguments:
        for room, below in arrows(folder).items():
            print(f"{room}: {' '.join(below)}")
        return 0
    wrong = problems(folder)
    for line in wrong:
        print(line)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
