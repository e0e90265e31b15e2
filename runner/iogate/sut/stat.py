"""/proc/PID/stat, read in one place: a name in it may hold blanks and brackets."""

from __future__ import annotations

from dataclasses import dataclass

_FIELDS = 37  # of those behind the name; every kernel since 2.6.18 has more
_ENDED = ("Z", "X", "x")


@dataclass(frozen=True, slots=True)
class Stat:
    """What it says of a process. Times in ticks since it began, ``started`` since the boot;
    ``waited`` are those of children that it has waited for."""

    pid: int
    name: str
    state: str
    parent: int
    flags: int
    major_faults: int
    user: int
    system: int
    waited_user: int
    waited_system: int
    started: int
    resident_pages: int
    cpu: int

    @property
    def has_ended(self) -> bool:
        """Whether it is dead, and only not waited for yet: a zombie runs nothing, holds nothing."""
        return self.state in _ENDED


def parse_stat(text: str) -> Stat | None:
    """The line of a process; None for what is none, as of one that is gone."""
    head, _, tail = text.rpartition(")")
    number, _, name = head.partition("(")
    fields = tail.split()
    if len(fields) < _FIELDS:
        return None
    try:
        return Stat(
            pid=int(number),
            name=name,
            state=fields[0],
            parent=int(fields[1]),
            flags=int(fields[6]),
            major_faults=int(fields[9]),
            user=int(fields[11]),
            system=int(fields[12]),
            waited_user=int(fields[13]),
            waited_system=int(fields[14]),
            started=int(fields[19]),
            resident_pages=int(fields[21]),
            cpu=int(fields[36]),
        )
    except ValueError:
        return None
