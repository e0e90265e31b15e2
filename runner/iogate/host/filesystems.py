"""How a filesystem was made, as it says itself: what mkfs was told, and its defaults then."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iogate.errors import RunError
from iogate.host.devices.mounts import Mount
from iogate.sut.base import Sut

_TIMEOUT_S = 10.0
_EXT_LINES = (
    "Filesystem features", "Block size", "Inode size", "Flex block group size",
    "Total journal size", "RAID stride", "RAID stripe width", "Cluster size",
)  # fmt: skip
_BTRFS_LINES = ("csum_type", "sectorsize", "nodesize", "compat_ro_flags", "incompat_flags")
_LZO, _ZSTD, _BIG_METADATA = 0x8, 0x10, 0x20  # bits of btrfs's incompat_flags


@dataclass(frozen=True, slots=True)
class _Asking:
    """The command that tells, given device and mount point, and how its output is read."""

    argv: Callable[[Mount], Sequence[str]]
    read: Callable[[str, Mount], str]


def made_as(sut: Sut, mount: Mount) -> str:
    """One line, the same for two filesystems that were made alike; empty when nobody can
    tell: without the program, the right to read the device, or for other filesystems."""
    asking = _ASKING.get(mount.fs_type)
    if asking is None or not mount.source.startswith("/dev/"):
        return ""
    argv = asking.argv(mount)
    if not sut.which(argv[0]):
        return ""
    try:
        done = sut.run(argv, timeout_s=_TIMEOUT_S, env={"LC_ALL": "C"})
    except RunError:
        return ""
    return asking.read(done.stdout, mount) if done.status == 0 else ""


def _xfs(text: str, _: Mount) -> str:
    """``meta-data=… isize=512 … data = bsize=4096 …``: all but the devices' names."""
    words = re.sub(r"=/dev/\S+", "", text).split()
    return " ".join(word for word in words if word != "=")


def _lines(names: Sequence[str]) -> Callable[[str, Mount], str]:
    def read(text: str, _: Mount) -> str:
        lines = []
        for line in text.splitlines():
            name = next((name for name in names if line.startswith(name)), None)
            if name:
                lines.append(f"{name}: {' '.join(line[len(name) :].lstrip(':').split())}")
        return "; ".join(lines)

    return read


def _btrfs(text: str, mount: Mount) -> str:
    """With the flags that mounting has set, which are on the device only some time later."""
    said = _lines(_BTRFS_LINES)(text, mount)
    sizes = dict(re.findall(r"(nodesize|sectorsize): (\d+)", said))
    due = 0
    if int(sizes.get("nodesize", 0)) > int(sizes.get("sectorsize", 0)):
        due |= _BIG_METADATA
    for algorithm, flag in (("lzo", _LZO), ("zstd", _ZSTD)):
        if re.search(rf"\bcompress(-force)?={algorithm}\b", mount.options):
            due |= flag
    return re.sub(
        r"\bincompat_flags: (0x[0-9a-f]+)",
        lambda flags: f"incompat_flags: {int(flags[1], 16) | due:#x}",
        said,
    )


_ASKING = {
    "xfs": _Asking(lambda mount: ("xfs_info", mount.point), _xfs),
    **dict.fromkeys(
        ("ext2", "ext3", "ext4"),
        _Asking(lambda mount: ("dumpe2fs", "-h", mount.source), _lines(_EXT_LINES)),
    ),
    "btrfs": _Asking(
        lambda mount: ("btrfs", "inspect-internal", "dump-super", mount.source),
        _btrfs,
    ),
}
