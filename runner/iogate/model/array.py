"""Which arrays of devices iogate makes, and with which arguments of mdadm.

All that mdadm would choose by itself, by the size of the members or by its version, is said:
a case is the same on every host. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

PART = "part"
"""The role of a device of an array beside the first."""
USUAL_CHUNK = 512 << 10
_LEAST_CHUNK, _MOST_CHUNK = 4 << 10, 64 << 20


@dataclass(frozen=True, slots=True)
class Array:
    """Devices joined by the kernel's md. ``chunk_bytes`` is 0 where the level has no chunks;
    ``bitmap`` says that a write-intent bitmap lies on the members."""

    level: str
    chunk_bytes: int = 0
    bitmap: bool = False

    def __str__(self) -> str:
        chunk = f", chunks of {self.chunk_bytes >> 10} KiB" if self.chunk_bytes else ""
        return f"{self.level}{chunk}{', with a bitmap' if self.bitmap else ''}"


@dataclass(frozen=True, slots=True)
class _Level:
    """``least`` members, and of n of them the ``spare`` ones that hold no data of their own.
    ``copies`` is how often each block is there."""

    least: int
    spare: int = 0
    copies: int = 1
    chunked: bool = True


LEVELS = {
    "raid0": _Level(2),
    "raid1": _Level(2, chunked=False),
    "raid5": _Level(3, spare=1),
    "raid6": _Level(4, spare=2),
    "raid10": _Level(2, copies=2),
}


def wrong_array(array: Array, members: int) -> str:
    """What is wrong with an array of so many members; empty for one that can be made."""
    level = LEVELS[array.level]
    if members < level.least:
        return f"{array.level} has at least {level.least} devices, not {members}"
    if array.bitmap and array.level == "raid0":
        return "raid0 has no bitmap: it keeps no copy that could be made alike again"
    if not level.chunked:
        return f"{array.level} has no chunks" if array.chunk_bytes else ""
    chunk = array.chunk_bytes
    if not _LEAST_CHUNK <= chunk <= _MOST_CHUNK or chunk & (chunk - 1):
        return f"a chunk is a power of two from 4k to 64m, not {chunk} bytes"
    return ""


def module_of(array: Array) -> str:
    """The module of Linux that has the level."""
    return "raid456" if array.level in ("raid5", "raid6") else array.level


def usual_chunk(level: str) -> int:
    """The chunk of an array whose spec does not say one, in bytes."""
    return USUAL_CHUNK if LEVELS[level].chunked else 0


def room_of(array: Array, sizes: Sequence[int]) -> int:
    """About how many bytes an array of members of these sizes holds."""
    level = LEVELS[array.level]
    if array.level == "raid0":
        return sum(sizes)
    if not level.chunked:
        return min(sizes)
    return min(sizes) * (len(sizes) - level.spare) // level.copies


def create_argv(array: Array, path: str, members: Sequence[str], uuid: str) -> tuple[str, ...]:
    """The command that makes it. Its members are taken to be alike, so that nothing is copied
    between them while something is measured; it asks nothing."""
    chunk = ("--chunk", str(array.chunk_bytes >> 10)) if array.chunk_bytes else ()
    alike = () if array.level == "raid0" else ("--assume-clean",)
    bitmap = (
        () if array.level == "raid0" else (f"--bitmap={'internal' if array.bitmap else 'none'}",)
    )
    return (
        "mdadm", "--create", path, "--run", "--quiet", "--metadata=1.2", "--homehost=any",
        f"--uuid={uuid}", f"--level={array.level}", *chunk, *alike, *bitmap,
        f"--raid-devices={len(members)}", *members,
    )  # fmt: skip
