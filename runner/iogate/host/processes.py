"""Which process is meant: numbers are given anew, but not with the same start in one boot."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from iogate.sut.stat import parse_stat


def boot_id() -> str:
    """Of this boot; empty where the kernel does not say."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return ""


def start_of(pid: int) -> int:
    """When a process started, in clock ticks since the boot; 0 for one that is not there, or
    cannot be seen from here."""
    with suppress(OSError):
        stat = parse_stat(Path(f"/proc/{pid}/stat").read_text())
        return stat.started if stat else 0
    return 0


def pid_namespace() -> str:
    """Tells where process numbers mean the same as here."""
    with suppress(OSError):
        return str(Path("/proc/self/ns/pid").readlink())
    return ""
