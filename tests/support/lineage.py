"""Who has started a process. An engine that is confined is in a namespace of processes of its own,
and between it and iogate stands its launcher."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def lineage(pid: int) -> Iterator[int]:
    """The process itself, then its parent, and so on, as long as they are to be seen."""
    while pid > 0:
        yield pid
        above = 0
        with suppress(OSError):
            stat = Path(f"/proc/{pid}/stat").read_text()
            above = int(stat.rpartition(")")[2].split()[1])
        pid = above


def who_asked(engine: int) -> int:
    """The iogate that an engine, or a worker of it, is of; 0 where it is gone."""
    for pid in lineage(engine):
        with suppress(OSError):
            name = Path(f"/proc/{pid}/comm").read_text().strip()
            if name not in ("iogate-engine", "fio", "taskset"):
                return pid
    return 0
