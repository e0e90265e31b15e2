"""The processes of the host, as /proc tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from iogate.errors import RunError
from iogate.sut.base import Sut
from iogate.sut.stat import parse_stat

Key = tuple[int, int]
"""Number and start time: never given twice while the host is up."""

_KERNEL_THREAD = 0x00200000  # PF_KTHREAD, linux/sched.h
_LONGEST_NAME = 15
_SERVES = ("/dev/fuse", "/dev/ublk", "/dev/nbd", "/dev/vhost", "/dev/target_core")


@dataclass(frozen=True, slots=True)
class Process:
    """One process, times in ticks since it began. ``moved_bytes`` is what it read from and
    wrote to disks, 0 where this user may not know."""

    pid: int
    parent: int
    name: str
    state: str
    kernel: bool
    ticks: int
    user_ticks: int
    major_faults: int
    resident_pages: int
    cpu: int
    started: int
    moved_bytes: int = 0

    @property
    def key(self) -> Key:
        return self.pid, self.started


def scan(sut: Sut, kernels: set[int]) -> dict[Key, Process]:
    """All processes that this user sees, but threads of the kernel: their numbers are added to
    ``kernels``, and those that are in it already are not looked at, which halves the cost."""
    found = {}
    for name in sut.list_dir("/proc"):
        if name.isdigit() and int(name) not in kernels:
            one = process_of(sut.read_text(f"/proc/{name}/stat") or "")
            if one and one.kernel:
                kernels.add(one.pid)
            elif one:
                found[one.key] = _with_io(sut, one)
    return found


def process_of(text: str) -> Process | None:
    """The process of a line of /proc/PID/stat; None for what is none."""
    stat = parse_stat(text)
    if stat is None:
        return None
    return Process(
        pid=stat.pid,
        parent=stat.parent,
        name=_plain(stat.name),
        state=stat.state,
        kernel=bool(stat.flags & _KERNEL_THREAD),
        ticks=stat.user + stat.system,
        user_ticks=stat.user,
        major_faults=stat.major_faults,
        resident_pages=stat.resident_pages,
        cpu=stat.cpu,
        started=stat.started,
    )


def family_of(pid: int, processes: Iterable[Process]) -> set[Key]:
    """A process and all that descends from it."""
    known = list(processes)
    numbers = {pid}
    grown = True
    while grown:
        more = {one.pid for one in known if one.parent in numbers} - numbers
        numbers |= more
        grown = bool(more)
    return {one.key for one in known if one.pid in numbers}


def serves_storage(sut: Sut, pid: int) -> bool:
    """Whether it is the user's part of a filesystem or a device (FUSE, ublk, nbd, vhost): what
    such a process does, the test may have asked for."""
    folder = f"/proc/{pid}/fd"
    for name in sut.list_dir(folder):
        with suppress(RunError):  # a pipe or a socket leads to no place
            if sut.real_path(f"{folder}/{name}").startswith(_SERVES):
                return True
    return False


def io_counts(text: str) -> tuple[int, int] | None:
    """Bytes read from and written to disks, of a text as /proc/PID/io; None where it says
    nothing."""
    found = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    try:
        cancelled = int(found.get("cancelled_write_bytes", 0))
        return int(found["read_bytes"]), max(int(found["write_bytes"]) - cancelled, 0)
    except (KeyError, ValueError):
        return None


def handed_on(latest: Mapping[Key, Process], after: Mapping[Key, Process]) -> dict[int, int]:
    """Bytes that processes which are gone had moved when they were last seen, by the number of
    who waited for them: its own count has them now, as if it had moved them meanwhile."""
    alive = {one.pid for one in after.values()}
    parents = {one.pid: one.parent for one in latest.values()}
    found: dict[int, int] = {}
    for key, one in latest.items():
        if key not in after:
            heir = one.parent
            while heir not in alive and heir in parents:
                heir = parents.pop(heir)
            found[heir] = found.get(heir, 0) + one.moved_bytes
    return found


def newest(*scans: Mapping[Key, Process]) -> dict[Key, Process]:
    """Each process as it was seen last."""
    found: dict[Key, Process] = {}
    for each in scans:
        found |= each
    return found


def _with_io(sut: Sut, one: Process) -> Process:
    moved = io_counts(sut.read_text(f"/proc/{one.pid}/io") or "")
    if not moved or not sum(moved):
        return one
    return replace(one, moved_bytes=sum(moved))


def _plain(name: str) -> str:
    """A name as its process chose it, made safe to print."""
    text = "".join(c if c.isprintable() else "?" for c in name[:_LONGEST_NAME])
    return text or "?"
