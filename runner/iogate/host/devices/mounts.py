"""What is mounted and what swaps, read from /proc.

The kernel escapes blanks, tabs, line feeds and backslashes in names, and nothing else: no other
sign ends a line or a field there, whatever Python takes it for.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from iogate.host.read_ahead import ReadAhead
from iogate.sut.base import Sut
from iogate.sut.stat import parse_stat

MOUNTS = "/proc/self/mountinfo"
_OWN_SPACE, _SPACES = "/proc/self/ns/mnt", "/proc/*/ns/mnt"
_BLANK = re.compile(r"[ \t]")
_OCTAL = re.compile(r"\\([0-7]{3})")


@dataclass(frozen=True, slots=True)
class Mount:
    """One line of mountinfo. ``number`` is ``major:minor`` of the filesystem, which for
    btrfs and overlay is not that of a device: ``source`` then says which. ``root`` is the
    folder of the filesystem that is mounted: another than / for a bind mount."""

    number: str
    point: str
    fs_type: str
    source: str
    options: str
    root: str = "/"


def mounts(sut: Sut) -> tuple[Mount, ...]:
    """All mounts that this process sees, in mount order."""
    text = sut.read_text(MOUNTS) or ""
    return tuple(mount for line in text.split("\n") if (mount := parse_mount(line)))


@dataclass(frozen=True, slots=True)
class AllMounts:
    """Mounts of every mount namespace, with a process that is in it (0: ours). ``hidden`` is
    the number of processes whose namespace this user may not look at."""

    mounts: tuple[tuple[Mount, int], ...]
    hidden: int


def mounts_everywhere(sut: Sut) -> AllMounts:
    """All mounts of this host that a process can reach."""
    everywhere = [(mount, 0) for mount in mounts(sut)]
    read = ReadAhead(sut).read(["/proc", _OWN_SPACE, _SPACES])
    own = read.stat(_OWN_SPACE)
    known, unseen, firsts = {own.inode if own else 0}, [], []
    for pid in filter(str.isdigit, read.list_dir("/proc")):
        space = read.stat(_SPACES.replace("*", pid))
        if space is None:
            unseen.append(pid)
        elif space.inode not in known:
            known.add(space.inode)
            firsts.append(pid)
    files = [f"/proc/{pid}/mountinfo" for pid in firsts] + [f"/proc/{pid}/stat" for pid in unseen]
    more = ReadAhead(sut).read(files) if files else sut
    for pid in firsts:
        lines = (more.read_text(f"/proc/{pid}/mountinfo") or "").split("\n")
        everywhere += [(mount, int(pid)) for line in lines if (mount := parse_mount(line))]
    return AllMounts(tuple(everywhere), sum(_is_there(more, pid) for pid in unseen))


def _is_there(sut: Sut, pid: str) -> bool:
    """Not one that has ended: what is left of it is in no namespace."""
    stat = parse_stat(sut.read_text(f"/proc/{pid}/stat") or "")
    return stat is not None and stat.state not in ("Z", "X")


def parse_mount(line: str) -> Mount | None:
    """One mountinfo line; None for a malformed one."""
    before, separator, after = line.partition(" - ")
    left, right = before.split(" "), after.rstrip("\n").split(" ")
    if not separator or len(left) < 6 or len(right) < 3:
        return None
    options = ",".join(dict.fromkeys([*left[5].split(","), *right[2].split(",")]))
    return Mount(left[2], plain(left[4]), right[0], plain(right[1]), options, plain(left[3]))


def mount_of(sut: Sut, path: str) -> Mount | None:
    """The mount that holds ``path``: the longest mount point above it, the last mounted."""
    real = sut.real_path(path)
    closest: Mount | None = None
    for mount in mounts(sut):
        base = mount.point.rstrip("/")
        inside = real == base or real.startswith(base + "/")
        if inside and (closest is None or len(mount.point) >= len(closest.point)):
            closest = mount
    return closest


def swaps(sut: Sut) -> tuple[str, ...]:
    """Paths of the active swap files and devices."""
    text = sut.read_text("/proc/swaps") or ""
    names = (_BLANK.split(line, maxsplit=1)[0] for line in text.split("\n")[1:])
    return tuple(plain(name) for name in names if name)


def plain(field: str) -> str:
    """mountinfo writes blanks and backslashes as octal escapes."""
    return _OCTAL.sub(lambda m: chr(int(m.group(1), 8)), field)
