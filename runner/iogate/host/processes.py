"""Which process is meant: numbers are given anew, but not with the same start in one boot."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

_STARTTIME_FIELD = 19  # of /proc/PID/stat, counted after the command's closing bracket


def boot_id() -> str:
    """Of this boot; empty where the kernel does not say."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def start_of(pid: int) -> int:
    """When a process started, in clock ticks since the boot; 0 for one that is not there, or
    cannot be seen from here."""
    with suppress(OSError, ValueError, IndexError):
        stat = Path(f"/proc/{pid}/stat").read_text()
        return int(stat.rpartition(")")[2].split()[_STARTTIME_FIELD])
    return 0


def pid_namespace() -> str:
    """Tells where process numbers mean the same as here."""
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""
