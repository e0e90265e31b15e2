"""What all parts of the helper share: its places, who asks, and the note of a change."""

from __future__ import annotations

import errno
import json
import os
from typing import Any

from iogate.model.tied_settings import pair_of

VERSION = 1
CONFIG = "/etc/iogate/host.json"
STATE = "/run/iogate"
MOUNTS = "/var/lib/iogate/mnt"  # on a disk: all users may make folders there
CHANGED = f"{STATE}/changed"  # of this boot
KEPT = "/var/lib/iogate/changed"  # what outlives a power loss

PROGRAMS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin")
PATH_ONLY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


class DeniedError(Exception):
    """Why a request is not served."""


class Caller:
    """Who asks, and what the configuration lets anybody have."""

    def __init__(self, uid: int, config: dict[str, Any]) -> None:
        self.uid = uid
        self.devices: list[dict[str, Any]] = config["devices"]
        self.parameters = frozenset(config["parameters"])
        self.durable = frozenset(config["durable"])
        self.kernel_log = bool(config["kernel_log"])


def text_of(path: str) -> str:
    """A short file of the kernel's; empty for one that cannot be read."""
    try:
        with open(path, "rb") as file:
            return file.read(4096).decode(errors="replace").strip("\0 \n")
    except OSError:
        return ""


def boot_now() -> str:
    """What is another after each reboot."""
    return text_of("/proc/sys/kernel/random/boot_id")


def noted(journal: str) -> list[dict[str, Any]]:
    """What a journal says; a last line without its end had not been done yet."""
    try:
        with open(journal, encoding="utf-8") as file:
            *lines, _torn = file.read().split("\n")
    except FileNotFoundError:
        return []
    return [json.loads(line) for line in lines]


def thing_of(entry: dict[str, Any]) -> str:
    """What an entry is about: a setting, or a pair of them, of one disk; a node; a mount."""
    if "set" in entry:
        return f"{pair_of(entry['set'])[0]} {entry.get('disk', '')}"
    return str(entry.get("lent") or entry.get("mounted"))


def note(journal: str, *entries: dict[str, Any]) -> None:
    """Keep what is about to be changed, forced to the disk before it is."""
    os.makedirs(os.path.dirname(journal), mode=0o755, exist_ok=True)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    handle = os.open(journal, flags, 0o600)
    try:
        boot = boot_now()
        line = "".join(json.dumps({"boot": boot, **each}) + "\n" for each in entries).encode()
        before = os.fstat(handle).st_size
        if os.write(handle, line) != len(line):
            os.ftruncate(handle, before)
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        os.fsync(handle)
    finally:
        os.close(handle)
