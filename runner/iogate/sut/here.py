"""What this machine is, and what stands at many paths of it."""

from __future__ import annotations

import os
import pwd
import resource
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from glob import escape, glob
from pathlib import Path
from stat import S_ISLNK
from tempfile import gettempdir

from iogate.files import bounded
from iogate.files.bounds import DOCUMENT_BYTES
from iogate.sut.base import VARIABLES, Found, Machine
from iogate.sut.file_stat import file_stat

_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
_STEP = 65536


def this_machine() -> Machine:
    """As ``Sut.about`` says."""
    system, user = os.uname(), os.geteuid()
    soft, _hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
    return Machine(
        host_name=system.nodename,
        architecture=system.machine,
        cpus=os.cpu_count() or 1,
        page_bytes=os.sysconf("SC_PAGE_SIZE"),
        boot=_line("/proc/sys/kernel/random/boot_id"),
        namespace=_link("/proc/self/ns/pid"),
        pid=os.getpid(),
        user=user,
        home=_home(user),
        temporary=gettempdir(),
        python=sys.executable or "python3",
        locked_bytes=None if soft == resource.RLIM_INFINITY else soft,
        variables={name: os.environ[name] for name in VARIABLES if name in os.environ},
    )


def found_at(paths: Sequence[str], looks: Sequence[str]) -> dict[str, Found]:
    """As ``Sut.read_many`` says."""
    files = {path: entry for path in _each(paths) if (entry := _look(path, reads=True))}
    return {path: entry for path in looks if (entry := _look(path, reads=False))} | files


def _look(path: str, *, reads: bool) -> Found | None:
    try:
        own = os.lstat(path)
        is_link = S_ISLNK(own.st_mode)
        stat = file_stat(os.stat(path) if is_link else own)  # noqa: PTH116
        has_data = reads and stat.is_file
        real = "" if has_data and not is_link else os.path.realpath(path)
        names = sorted(os.listdir(path)) if reads and stat.is_directory else ()  # noqa: PTH208
    except (OSError, ValueError):
        return None
    return Found(stat, real, read_whole(path) if has_data else None, tuple(names), is_link)


def read_whole(path: str) -> bytes | None:
    """A regular file of at most DOCUMENT_BYTES; of /proc and /sys as well, whose files say that
    they are empty."""
    try:
        with os.fdopen(os.open(path, _READ), "rb", buffering=0) as file:
            return bounded.read_stream(file, DOCUMENT_BYTES, _STEP)
    except (OSError, ValueError):
        return None


def openers_of(path: str) -> tuple[int, ...]:
    """As ``Sut.openers`` says."""
    pids = (int(name) for name in os.listdir("/proc") if name.isdigit())  # noqa: PTH208
    return tuple(pid for pid in sorted(pids) if pid != os.getpid() and _has_open(pid, path))


def _has_open(pid: int, path: str) -> bool:
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if str(link.readlink()) == path:
                    return True
    return False


def _each(paths: Sequence[str]) -> Iterator[str]:
    for path in paths:
        yield from glob(_literal_but_stars(path)) if "*" in path else (path,)  # noqa: PTH207


def _literal_but_stars(path: str) -> str:
    return "*".join(map(escape, path.split("*")))


def _line(path: str) -> str:
    return (read_whole(path) or b"").decode(errors="replace").strip()


def _link(path: str) -> str:
    with suppress(OSError):
        return str(Path(path).readlink())
    return ""


def _home(user: int) -> str:
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_dir
    return ""
