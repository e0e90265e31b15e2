"""Who holds the host lock: what the holder has written into the file, as far as the kernel
bears it out.

Any user may write the file, so its text never decides anything, and of what it says only
what has the right form is told on.
"""

from __future__ import annotations

import json
import os
import pwd
import re
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from unicodedata import category

from iogate.host.processes import boot_id, pid_namespace, start_of
from iogate.model.command import without_credentials

LONGEST_BYTES = 4096
_COMMAND_CHARS = 200
_RUN = re.compile(r"[A-Za-z0-9._-]{1,64}")


@dataclass(frozen=True, slots=True)
class Holder:
    """What a holder says of itself. ``start`` is of its process, in ticks since the boot;
    ``namespace`` says which processes ``pid`` counts."""

    boot: str
    namespace: str
    pid: int
    start: int
    run: str
    command: str

    @property
    def is_there(self) -> bool:
        """Whether that process may be alive: another boot's is not, and of another namespace's
        nothing is known here."""
        if self.boot != boot_id():
            return False
        return self.namespace != pid_namespace() or start_of(self.pid) == self.start


def this_process(run_id: str) -> Holder:
    """This process, as the holder for a run."""
    pid, command = os.getpid(), _plain(" ".join(without_credentials(sys.argv)))
    return Holder(boot_id(), pid_namespace(), pid, start_of(pid), run_id, command)


def write_holder(handle: int, holder: Holder) -> None:
    """Say who holds the lock of an open file."""
    text = json.dumps({"schema": "lock/1", **asdict(holder)})
    os.ftruncate(handle, 0)
    os.pwrite(handle, text.encode(), 0)


def read_holder(handle: int) -> Holder | None:
    """Who says to hold the lock of an open file; None for text of another form, and for a
    process that is gone."""
    try:
        said = json.loads(os.pread(handle, LONGEST_BYTES, 0))
        found = Holder(
            str(said["boot"]),
            str(said["namespace"]),
            int(said["pid"]),
            int(said["start"]),
            str(said["run"]),
            _plain(str(said["command"])),
        )
    except (OSError, ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    sound = _RUN.fullmatch(found.run) is not None and 0 < found.pid < 1 << 31
    return found if sound and found.is_there else None


def holder_in_words(handle: int) -> str:
    """Who holds the lock of an open file, for people. The process and its user are the
    kernel's word where it gives it, the rest is the holder's own."""
    said, held = read_holder(handle), lockers(handle)
    pids = [one.pid for one in held]
    pid = said.pid if said and said.pid in pids else next(iter(pids), 0)
    if pid and (said is None or said.namespace != pid_namespace() or said.pid == pid):
        told = said if said and said.pid == pid else None
        who = f"process {pid}{_user(pid)}"
    elif said:
        told, who = said, f"process {said.pid}{_elsewhere(said)}"
    else:
        return "a process that has not said its name"
    if len(held) > 1:
        who += f" and {len(held) - 1} more that share the host"
    if told:
        return f"{who}, run {told.run} ({told.command})"
    return who if any(one.shared for one in held) else f"{who}, which is no run"


@dataclass(frozen=True, slots=True)
class Locker:
    """A process that has locked a file; others may have, too, where it is ``shared``."""

    pid: int
    shared: bool


def lockers(handle: int) -> tuple[Locker, ...]:
    """The processes that have locked the file, from /proc/locks; none where that does not say,
    as for one in another container."""
    found = os.fstat(handle)
    number = f"{os.major(found.st_dev):02x}:{os.minor(found.st_dev):02x}:{found.st_ino}"
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return ()
    split = (line.split() for line in lines)
    return tuple(
        Locker(int(words[4]), words[3] == "READ")
        for words in split
        if len(words) > 5 and words[1] == "FLOCK" and words[5] == number and int(words[4]) > 0
    )


def _user(pid: int) -> str:
    try:
        uid = Path(f"/proc/{pid}").stat().st_uid
        return f" of {pwd.getpwuid(uid).pw_name}"
    except OSError:
        return ""
    except KeyError:
        return f" of user {uid}"


def _elsewhere(said: Holder) -> str:
    return "" if said.namespace == pid_namespace() else " of another container"


def _plain(text: str) -> str:
    """Short, and without anything that steers a terminal."""
    short = text[:_COMMAND_CHARS]
    return "".join(c if category(c)[0] != "C" else "�" for c in short)
