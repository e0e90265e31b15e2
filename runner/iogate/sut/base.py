"""What a system under test must do: the few low-level things that the engine, the facts
and the tunings are made of, the same on this machine, over ssh and in a VM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from iogate.files.bounds import FETCHED_BYTES


@dataclass(frozen=True, slots=True)
class Completed:
    """A command that ended. ``status`` is negative for the signal that killed it."""

    argv: tuple[str, ...]
    status: int
    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class FileStat:
    """What ``stat`` says, as far as iogate cares. ``rdev`` and ``device`` are
    ``major:minor``; the first of a device node, the second of where the file lives, where
    ``inode`` is its number; ``links`` is how many names it has there. ``owner`` is a user's
    number, ``mode`` the bits that say who may do what."""

    is_directory: bool
    is_file: bool
    is_block: bool
    size_bytes: int
    rdev: str
    device: str
    inode: int = 0
    links: int = 1
    owner: int = 0
    mode: int = 0


@dataclass(frozen=True, slots=True)
class LoopStatus:
    """What a loop device stands on. ``device`` (``major:minor``) and ``inode`` are those of the
    file, or of the node of the device, that holds its blocks; ``rdev`` is that device's own
    number, empty for a file. They begin at ``offset_bytes`` there; ``limit_bytes`` is how many
    there are at most, 0 for all."""

    device: str
    inode: int
    rdev: str
    offset_bytes: int
    limit_bytes: int


@dataclass(frozen=True, slots=True)
class Space:
    """Bytes of the filesystem that holds a path; ``free`` is what this user may fill."""

    total_bytes: int
    free_bytes: int


VARIABLES = (
    "HOME",
    "XDG_BIN_HOME",
    "XDG_CACHE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_RUNTIME_DIR",
    "XDG_STATE_HOME",
    "IOGATE_ENGINE",
    "IOGATE_HOST_ID",
    "IOGATE_SCRATCH",
)
"""Variables of the environment that are about a machine: they count where it is."""


@dataclass(frozen=True, slots=True)
class Machine:
    """What a machine is, and which user works there. ``pid`` is the process that holds locks and
    starts engines for this run, ``namespace`` says which processes such numbers count, ``boot``
    is another after each reboot. ``home`` is the user's by the machine's own list, empty where it
    has none; ``python`` an interpreter to start, ``temporary`` a folder for what may be lost.
    ``locked_bytes`` is how much memory the user may lock, None for any."""

    host_name: str
    architecture: str
    cpus: int
    page_bytes: int
    boot: str
    namespace: str
    pid: int
    user: int
    home: str
    temporary: str
    python: str
    locked_bytes: int | None
    variables: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Found:
    """What stands at a path: ``data`` is that of a regular file of at most
    bounds.DOCUMENT_BYTES, ``names`` are those in a directory, sorted.
    ``stat`` is of what a link leads to.
    ``real_path`` has no link in it; it is empty for a regular file that is none itself."""

    stat: FileStat
    real_path: str = ""
    data: bytes | None = None
    names: tuple[str, ...] = ()
    is_link: bool = False


class LockFile(Protocol):
    """An open file, folder or device whose lock (flock) is asked for. The lock goes with the
    process that has it open, however that ends."""

    def take(self, *, shared: bool) -> bool:
        """Lock it, with others that share it or alone; False where another process keeps it."""

    def release(self) -> None:
        """Unlock it, and keep it open."""

    def stat(self) -> FileStat:
        """Facts of what is open."""

    def stands_at(self, path: str) -> bool:
        """Whether that is still what the path names."""

    def read(self) -> str:
        """The first 4096 bytes; what does not decode is replaced."""

    def write(self, text: str) -> None:
        """Make this its whole text. Nothing where this user may not."""

    def close(self) -> None:
        """Close it, and so unlock it."""


class Process(Protocol):
    """A process that was started in a group of its own."""

    pid: int

    def status_lines(self, timeout_s: float) -> list[str] | None:
        """Lines that came through the status pipe; waits at most ``timeout_s`` for one.
        None when the process has closed the pipe."""

    def poll(self) -> int | None:
        """The exit status, negative for a signal; None while it runs."""

    def look(self, timeout_s: float) -> tuple[list[str], int | None]:
        """Status lines and exit status in one round trip; waits at most ``timeout_s`` for a line,
        or for the end where no more lines can come."""

    def signal(self, number: int) -> None:
        """Send a signal to the process, but not to its children; nothing if it is gone."""

    def kill_group(self) -> None:
        """SIGKILL everything that it started, and reap it."""


class KernelLog(Protocol):
    """The kernel's log from some moment on."""

    def records(self) -> list[str] | None:
        """What came since the last look, a text as /dev/kmsg gives it each; an empty one stands
        for those that were overwritten unread, or were too many. None when it cannot be read
        any more."""

    def close(self) -> None:
        """Let it go."""


class Sut(Protocol):
    """A machine. Readers answer None for what is absent or forbidden, because most facts
    are optional; what changes something raises RunError. All paths are the machine's own."""

    name: str
    is_here: bool
    """Whether it is the one that iogate runs on: its files are those of the run folder, too."""
    mounts: str
    """The folder in which filesystems must be mounted; empty for anywhere."""

    def close(self) -> None:
        """Let the machine go. Nothing else is asked of it afterwards."""

    def about(self) -> Machine:
        """The machine, and the user there. One behind a line is asked once: nothing of it changes
        while a process lives there."""

    def run(
        self,
        argv: Sequence[str],
        *,
        timeout_s: float = 30.0,
        env: Mapping[str, str] | None = None,
        stdin: str = "",
    ) -> Completed:
        """Run a command to its end. RunError when it cannot start or takes too long."""

    def start(
        self, argv: Sequence[str], *, cwd: str, stdout: str, stderr: str, plan: str = ""
    ) -> Process:
        """Start a process that dies with iogate; ``{status_fd}`` in an argument becomes the
        number of a pipe for status lines, ``{plan_fd}`` that of an open file that holds
        ``plan`` (where ``{status_fd}`` is replaced, too) and that nobody can change. Output
        goes to the files named."""

    def orphans(self) -> tuple[int, ...]:
        """The numbers of processes that were started by an iogate that is gone."""

    def kill(self, pid: int) -> None:
        """SIGKILL a process; nothing if it is gone, or not this user's."""

    def read_text(self, path: str) -> str | None:
        """A whole regular file of at most bounds.DOCUMENT_BYTES, undecodable bytes replaced."""

    def read_result(self, path: str) -> str | None:
        """The same of what an engine wrote; None for a link as well, as it leads where the engine
        itself may not read."""

    def read_head(self, path: str) -> bytes:
        """The first 4096 bytes of a regular file of any size, read through no link; empty where
        there is none, or this user may not."""

    def read_many(self, paths: Sequence[str], looks: Sequence[str] = ()) -> Mapping[str, Found]:
        """What stands at each of many paths, in one go; paths that lead nowhere are left out. ``*``
        stands for any part of a name. Of ``looks`` neither content nor names are read: they may
        be what is measured."""

    def put(self, path: str, data: bytes, *, mode: int = 0o600) -> None:
        """Make a file of this content, or replace one: after a crash it is the old one or the
        new one, whole. Its folder is made where it is missing."""

    def get(self, path: str, into: str, *, most: int = FETCHED_BYTES) -> bool:
        """Copy a regular file of the machine to a new file of the controller's, and wait until it
        would survive a crash there; False where there is none. RunError when it cannot be
        copied, or has more than ``most`` bytes."""

    def write_text(self, path: str, text: str) -> None:
        """Write a file in place (a sysfs knob, a small file)."""

    def append_durably(self, path: str, text: str) -> None:
        """Append to a file of this user's own, made when it is missing, and wait until it
        would survive a crash. RunError when it is somebody else's, or a symlink."""

    def read_own(self, path: str) -> str | None:
        """A whole file that belongs to this user and that nobody else may write; None for
        any other, and for a symlink. RunError for one of more than bounds.STATE_BYTES."""

    def stat(self, path: str) -> FileStat | None:
        """Facts of a path, symlinks followed."""

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Names in a directory, sorted; empty when there is none."""

    def real_path(self, path: str) -> str:
        """The path with symlinks resolved as far as they exist."""

    def way(self, path: str) -> tuple[str, str]:
        """The same path, and the first link on the way to it that another user has put into a
        folder where all users may; empty where there is none."""

    def space(self, path: str) -> Space | None:
        """Room on the filesystem that holds ``path``."""

    def make_dir(self, path: str) -> None:
        """Make a directory that only this user can read, and its parents."""

    def remove_tree(self, path: str) -> None:
        """Remove a directory with all that is in it, never following a symlink, nor
        crossing into another filesystem; nothing if it is gone."""

    def remove_file(self, path: str) -> None:
        """Remove a file; nothing if it is gone."""

    def can_read(self, path: str) -> bool:
        """Whether this user may read an existing path."""

    def can_write(self, path: str) -> bool:
        """Whether this user may write to an existing path."""

    def which(self, program: str) -> str | None:
        """A program on the PATH."""

    def clocks(self) -> tuple[int, int]:
        """The time of day (Unix time) and the time that only runs, both in ns and read at once:
        their difference changes when the clock is set."""

    def kernel_log(self) -> KernelLog | None:
        """What the kernel logs from now on; None where there is none, or this user may not
        read it."""

    def blank_blocks(self, path: str, offsets: Sequence[int], length: int) -> int | None:
        """How many blocks of ``length`` bytes at these offsets of a file or device are holes,
        or hold zeros alone, read past the page cache; of a file for which that cannot be, the
        holes. None when it may not be read,
        not in blocks of this size, or too slowly."""

    def borrow(self, path: str) -> None:
        """Make sure that this user may write a device until ``put_back``, where somebody has
        allowed that. RunError when it is refused; whoever may write it already needs nothing."""

    def put_back(self) -> tuple[str, ...]:
        """Undo what root has changed for this user, and say what; nothing without that."""

    def open_exclusive(self, path: str) -> str | None:
        """Open a block device with O_EXCL and close it again. None when that worked, else
        why not: the kernel refuses while anything has claimed the device. To read: who has
        written a device makes udev look at it."""

    def lock_file(self, path: str, *, make: bool) -> LockFile:
        """Open a file that all users of the machine lock, not followed where it is a link;
        ``make``: made where it is missing, and as root put in order where something else stands
        there. RefusedError for what cannot be such a file."""

    def lock_node(self, path: str) -> LockFile:
        """Open a device or a folder to lock it. RunError when it cannot be opened."""

    def openers(self, path: str) -> tuple[int, ...]:
        """Processes that have a path open, this one's own aside, as far as they can be seen."""

    def loop_status(self, path: str) -> LoopStatus | None:
        """What the loop device at ``path`` stands on, by the kernel's word. None for one that
        is not attached, is no loop device, or may not be opened."""
