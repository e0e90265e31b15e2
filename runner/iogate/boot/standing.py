"""What runs on a host, and whether it is what was asked for. Pure."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import asdict, dataclass

from iogate.boot.description import HostKernel
from iogate.files.bounded import parse_json

_SCHEMA = "boot/1"
_GNU_BUILD_ID = 3


@dataclass(frozen=True, slots=True)
class Running:
    """The kernel that runs: what ``uname`` says, its command line and GNU build id, and the boot,
    of which each has another."""

    release: str
    version: str
    cmdline: str
    build_id: str
    boot: str

    def is_same(self, other: Running) -> bool:
        """Whether that is the same kernel, with the same command line, in whatever boot."""
        return (self.release, self.version, self.cmdline, self.build_id) == (
            other.release, other.version, other.cmdline, other.build_id,
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """That a host is booted into another kernel: by whom (``controller``), which ``kernel``, what
    ran before (``home``), and until when it may be under way, by the host's clock in seconds."""

    controller: str
    kernel: str
    until: float
    home: Running

    def to_text(self) -> str:
        """As it is kept."""
        return json.dumps({"schema": _SCHEMA, **asdict(self)}) + "\n"


def parse_note(text: str) -> Note | None:
    """None for what is none."""
    try:
        said = parse_json(text)
        home = Running(**{name: str(value) for name, value in said["home"].items()})
        known = said["schema"] == _SCHEMA
        note = Note(str(said["controller"]), str(said["kernel"]), float(said["until"]), home)
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
    return note if known and note.controller.split() and math.isfinite(note.until) else None


def differences(kernel: HostKernel, words: str, running: Running) -> tuple[str, ...]:
    """What runs instead of what was asked for: a kernel with these words in its command line. Empty
    where it is the right one."""
    asked = (
        ("release", kernel.release, running.release),
        ("version", kernel.version, running.version),
        ("build id", kernel.build_id, running.build_id),
    )
    wrong = [f"{what} {now}, not {was}" for what, was, now in asked if was and was != now]
    has = running.cmdline.split()
    lacks = [word for word in words.split() if word not in has]
    return (*wrong, *([f"its command line lacks {' '.join(lacks)}"] if lacks else []))


def parse_banner(text: str) -> tuple[str, str]:
    """Release and version of what a kernel's image says it is, as ``RELEASE (WHO@WHERE) #1 …``;
    empty where it does not say, with single spaces as in ``Running``."""
    release = text.split(maxsplit=1)[0] if text.split() else ""
    _, mark, version = text.partition(" #")
    return release, " ".join(f"#{version}".split()) if mark else ""


def build_id(notes: bytes) -> str:
    """The GNU build id in ELF notes (each: sizes of name and value, type, name, value, padded
    to four bytes; little-endian); empty when there is none."""
    at = 0
    while at + 12 <= len(notes):
        name_size, value_size, kind = struct.unpack_from("<III", notes, at)
        value_at = at + 12 + (name_size + 3) // 4 * 4
        if kind == _GNU_BUILD_ID and notes[at + 12 : at + 16] == b"GNU\0":
            return notes[value_at : value_at + value_size].hex()
        at = value_at + (value_size + 3) // 4 * 4
    return ""
