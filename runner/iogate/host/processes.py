"""Which process is meant: numbers are given anew, but not with the same start in one boot."""

from __future__ import annotations

from iogate.sut.base import Sut
from iogate.sut.stat import parse_stat


def start_of(sut: Sut, pid: int) -> int:
    """When a process started, in clock ticks since the boot; 0 for one that is not there, that has
    ended and was not waited for yet, or that cannot be seen from here."""
    stat = parse_stat(sut.read_text(f"/proc/{pid}/stat") or "")
    return stat.started if stat and not stat.has_ended else 0
