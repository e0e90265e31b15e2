"""Where a target is, resolved once: a path without links, and what must be found there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class PlaceKind(StrEnum):
    """What stands at a path."""

    BLOCK = "block"
    FILE = "file"
    DIRECTORY = "directory"


@dataclass(frozen=True, slots=True)
class Identity:
    """Tells one file, directory or device node from every other, whatever its name is.

    ``device`` is the ``major:minor`` of the filesystem that holds it, ``inode`` its number
    there. Of a block device, ``rdev`` is its own ``major:minor``, ``diskseq`` the kernel's
    sequence number of the disk (a number that is never given twice in a boot; 0 where the
    kernel has none) and ``size_bytes`` how much it holds.
    """

    kind: PlaceKind
    device: str
    inode: int
    rdev: str = ""
    diskseq: int = 0
    size_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Place:
    """A target as it is handed to an engine. ``path`` is absolute and holds no link;
    ``identity`` is None for a file that is not there yet. One that is ``kept`` is somebody's:
    it is neither written nor made longer."""

    path: str
    identity: Identity | None = None
    kept: bool = False
