"""What a wrong target is to a test, and how a table of them is kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Wrong:
    """A target that must be refused. ``target`` is what the spec says of it, ``victims`` are the
    files and devices of which no byte may change, ``says`` is a part of the error; ``others``
    are more lines of ``targets:``, ``job`` is in the place of a write. ``stays`` is how many
    bytes of a victim, from its first, nobody else may change (None: all): on what is active swap
    the kernel writes whenever memory is short, but not before the pages or on their header."""

    target: str
    victims: tuple[str, ...]
    says: str
    code: int = 3
    words: tuple[str, ...] = ()
    others: str = ""
    job: str = "rw: write"
    more: str = ""
    stays: int | None = None

    @property
    def spec(self) -> str:
        return (
            f"version: 1\nname: wrong\ntargets:\n  t: {{ {self.target} }}\n{self.others}"
            f"workloads:\n  w:\n    target: t\n    repetitions: 1\n"
            f"    fio: {{ {self.job}, bs: 4k, size: 64k, ioengine: psync }}\n{self.more}"
        )


Making = Callable[[Path], AbstractContextManager[Wrong]]
Table = dict[str, Making]


def entry(table: Table, name: str) -> Callable[[Callable[[Path], Iterator[Wrong]]], None]:
    """Puts a generator, which makes the scene in a folder and takes it away, into a table."""

    def put(make: Callable[[Path], Iterator[Wrong]]) -> None:
        assert name not in table, name
        table[name] = contextmanager(make)

    return put
