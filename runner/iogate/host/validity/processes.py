"""The processes of the host, as /proc tells of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from iogate.errors import RunError
from iogate.sut.base import Found, Sut
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


def scan(sut: Sut, kernels: set[int], known: Iterable[Key] = ()) -> dict[Key, Process]:
    """All processes that this user sees, but threads of the kernel: their numbers are added to
    ``kernels``, and those that are in it already are not looked at, which halves the cost.
    ``known`` are those that the last scan saw."""
    read = sut.read_many(paths_of_scan(known))
    names = read["/proc"].names if "/proc" in read else ()
    pids = [int(name) for name in names if name.isdigit() and int(name) not in kernels]
    new = [pid for pid in pids if f"/proc/{pid}/stat" not in read]
    read = {**read, **sut.read_many(_files_of(new))} if new else read
    processes = {}
    for pid in pids:
        process = process_of(_text(read, f"/proc/{pid}/stat"))
        if process and process.kernel:
            kernels.add(process.pid)
        elif process:
            processes[process.key] = _with_io(process, _text(read, f"/proc/{pid}/io"))
    return processes


def paths_of_scan(known: Iterable[Key]) -> tuple[str, ...]:
    """What has to be read for a scan in one round trip; a second one is for processes that have
    begun since those that are ``known`` were seen."""
    pids: list[int | str] = [pid for pid, _ in known]
    return ("/proc", *_files_of(pids or ["*"]))


def _files_of(pids: Iterable[int | str]) -> tuple[str, ...]:
    return tuple(f"/proc/{pid}/{name}" for pid in pids for name in ("stat", "io"))


def _text(read: Mapping[str, Found], path: str) -> str:
    data = read[path].data if path in read else None
    return (data or b"").decode(errors="replace")


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
        more = {process.pid for process in known if process.parent in numbers} - numbers
        numbers |= more
        grown = bool(more)
    return {process.key for process in known if process.pid in numbers}


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
    counts = dict(line.split(": ", 1) for line in text.splitlines() if ": " in line)
    try:
        cancelled = int(counts.get("cancelled_write_bytes", 0))
        return int(counts["read_bytes"]), max(int(counts["write_bytes"]) - cancelled, 0)
    except (KeyError, ValueError):
        return None


def handed_on(latest: Mapping[Key, Process], after: Mapping[Key, Process]) -> dict[int, int]:
    """Bytes that processes which are gone had moved when they were last seen, by the number of
    who waited for them: its own count has them now, as if it had moved them meanwhile."""
    alive = {living.pid for living in after.values()}
    parents = {known.pid: known.parent for known in latest.values()}
    moved: dict[int, int] = {}
    for key, process in latest.items():
        if key not in after:
            heir = process.parent
            while heir not in alive and heir in parents:
                heir = parents.pop(heir)
            moved[heir] = moved.get(heir, 0) + process.moved_bytes
    return moved


def newest(*scans: Mapping[Key, Process]) -> dict[Key, Process]:
    """Each process as it was seen last."""
    processes: dict[Key, Process] = {}
    for each in scans:
        processes |= each
    return processes


def _with_io(process: Process, text: str) -> Process:
    moved = io_counts(text)
    if not moved or not sum(moved):
        return process
    return replace(process, moved_bytes=sum(moved))


def _plain(name: str) -> str:
    """A name as its process chose it, made safe to print."""
    text = "".join(c if c.isprintable() else "?" for c in name[:_LONGEST_NAME])
    return text or "?"
