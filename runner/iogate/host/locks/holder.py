"""Who holds the host lock: what the holder has written into the file, as far as the kernel
bears it out.

Any user may write the file, so its text never decides anything, and of what it says only
what has the right form is told on.
"""

from __future__ import annotations

import json
import re
import socket
import sys
from dataclasses import asdict, dataclass
from unicodedata import category

from iogate.errors import RunError
from iogate.files.bounded import parse_json
from iogate.host.processes import start_of
from iogate.model.command import without_credentials
from iogate.sut.base import LockFile, Sut

_COMMAND_CHARS = 200
_RUN = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Holder:
    """What a holder says of itself. ``start`` is of its process, in ticks since the boot;
    ``namespace`` says which processes ``pid`` counts; ``whence`` is the machine that iogate runs
    on, where it is another one."""

    boot: str
    namespace: str
    pid: int
    start: int
    run: str
    command: str
    whence: str = ""

    def is_there(self, sut: Sut) -> bool:
        """Whether that process may be alive: another boot's is not, and of another namespace's
        nothing is known here."""
        machine = sut.about()
        if self.boot != machine.boot:
            return False
        return self.namespace != machine.namespace or start_of(sut, self.pid) == self.start


def this_process(sut: Sut, run_id: str) -> Holder:
    """The process that holds locks for this one, as the holder for a run."""
    command = _plain(" ".join(without_credentials(sys.argv)))
    machine = sut.about()
    start = start_of(sut, machine.pid)
    whence = "" if sut.is_here else _plain(socket.gethostname())
    return Holder(machine.boot, machine.namespace, machine.pid, start, run_id, command, whence)


def write_holder(lock: LockFile, holder: Holder) -> None:
    """Say who holds a lock."""
    lock.write(json.dumps({"schema": "lock/1", **asdict(holder)}))


def read_holder(sut: Sut, lock: LockFile) -> Holder | None:
    """Who says to hold a lock; None for text of another form, and for a process that is gone."""
    try:
        said = parse_json(lock.read())
        holder = Holder(
            str(said["boot"]),
            str(said["namespace"]),
            int(said["pid"]),
            int(said["start"]),
            str(said["run"]),
            _plain(str(said["command"])),
            _plain(str(said.get("whence", ""))),
        )
    except (ValueError, KeyError, TypeError, OverflowError):
        return None
    sound = _RUN.fullmatch(holder.run) is not None and 0 < holder.pid < 1 << 31
    return holder if sound and holder.is_there(sut) else None


def holder_in_words(sut: Sut, lock: LockFile) -> str:
    """Who holds a lock, for people. The process and its user are the
    kernel's word where it gives it, the rest is the holder's own."""
    said, held, here = read_holder(sut, lock), lockers(sut, lock), sut.about().namespace
    pids = [locker.pid for locker in held]
    pid = said.pid if said and said.pid in pids else next(iter(pids), 0)
    if pid and (said is None or said.namespace != here or said.pid == pid):
        told = said if said and said.pid == pid else None
        who = f"process {pid}{_user(sut, pid)}"
    elif said:
        told, who = (
            said,
            f"process {said.pid}{'' if said.namespace == here else ' of another container'}",
        )
    else:
        return "a process that has not said its name"
    if len(held) > 1:
        who += f" and {len(held) - 1} more that share the host"
    if told:
        whence = f" from {told.whence}" if told.whence else ""
        return f"{who}, run {told.run}{whence} ({told.command})"
    return who if any(locker.shared for locker in held) else f"{who}, which is no run"


@dataclass(frozen=True, slots=True)
class Locker:
    """A process that has locked a file; others may have, too, where it is ``shared``."""

    pid: int
    shared: bool


def lockers(sut: Sut, lock: LockFile) -> tuple[Locker, ...]:
    """The processes that have locked the file, from /proc/locks; none where that does not say,
    as for one in another container."""
    status = lock.stat()
    major, _, minor = status.device.partition(":")
    number = f"{int(major):02x}:{int(minor):02x}:{status.inode}"
    split = (line.split() for line in (sut.read_text("/proc/locks") or "").splitlines())
    return tuple(
        Locker(int(words[4]), words[3] == "READ")
        for words in split
        if len(words) > 5 and words[1] == "FLOCK" and words[5] == number and int(words[4]) > 0
    )


def _user(sut: Sut, pid: int) -> str:
    """By its name, where the machine knows one."""
    status = sut.stat(f"/proc/{pid}")
    if status is None:
        return ""
    try:
        name = sut.run(["getent", "passwd", str(status.owner)]).stdout.partition(":")[0]
    except RunError:
        name = ""
    return f" of {_plain(name) or f'user {status.owner}'}"


def _plain(text: str) -> str:
    """Short, and without anything that steers a terminal."""
    short = text[:_COMMAND_CHARS]
    return "".join(c if category(c)[0] != "C" else "�" for c in short)
