"""Programs that commands name: looked up where a system keeps its own, and nowhere else, as those
folders alone can be read by what is confined."""

from __future__ import annotations

from collections.abc import Iterable

from iogate.errors import RefusedError
from iogate.sut.base import Sut

FOLDERS = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_EXECUTABLE = 0o111
# Debian's, of what filesystem people run.
_PACKAGES = {
    "btrfs": "btrfs-progs",
    "dbench": "dbench",
    "debugfs": "e2fsprogs",
    "dumpe2fs": "e2fsprogs",
    "e2fsck": "e2fsprogs",
    "fsck.ext4": "e2fsprogs",
    "fsck.f2fs": "f2fs-tools",
    "git": "git",
    "gzip": "gzip",
    "mke2fs": "e2fsprogs",
    "mkfs.btrfs": "btrfs-progs",
    "mkfs.ext4": "e2fsprogs",
    "mkfs.f2fs": "f2fs-tools",
    "mkfs.xfs": "xfsprogs",
    "postmark": "postmark",
    "resize2fs": "e2fsprogs",
    "rsync": "rsync",
    "sqlite3": "sqlite3",
    "stress-ng": "stress-ng",
    "tar": "tar",
    "tbench": "dbench",
    "bonnie++": "bonnie++",
    "xfs_io": "xfsprogs",
    "xfs_repair": "xfsprogs",
    "xz": "xz-utils",
    "zstd": "zstd",
}


def found_programs(sut: Sut, names: Iterable[str]) -> dict[str, str]:
    """The path of each program. RefusedError that names those that the machine does not have, and
    Debian's packages of them."""
    wanted = tuple(dict.fromkeys(names))
    looks = [f"{folder}/{name}" for name in wanted for folder in FOLDERS]
    there = sut.read_many((), looks)
    programs = {
        name: path
        for name in wanted
        for folder in reversed(FOLDERS)
        if (path := f"{folder}/{name}") in there
        and there[path].stat.is_file
        and there[path].stat.mode & _EXECUTABLE
    }
    if missing := [name for name in wanted if name not in programs]:
        packages = sorted({_PACKAGES[name] for name in missing if name in _PACKAGES})
        install = f"apt-get install {' '.join(packages)}" if packages else "install what has it"
        raise RefusedError(
            f"{', '.join(missing)} is not installed (looked in {', '.join(FOLDERS)})",
            remedy=f"install it: {install}" if packages else install,
        )
    return programs
