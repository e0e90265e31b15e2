"""Filesystems that several hosts share: SQLite there loses what two of them write at once, as its
lock and its index in memory are of one host only."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from iogate.errors import RefusedError

_TYPES = frozenset(
    (
        *("afs", "beegfs", "ceph", "cifs", "coda", "gfs2", "glusterfs", "gpfs", "lustre"),
        *("ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "pvfs2", "smb3", "smbfs"),
        *("fuse.ceph", "fuse.ceph-fuse", "fuse.cvmfs", "fuse.glusterfs", "fuse.juicefs"),
        *("fuse.rclone", "fuse.s3fs", "fuse.sshfs"),
    )
)
_MOUNTS = Path("/proc/self/mountinfo")


def refuse_network(path: Path) -> None:
    """RefusedError for a file on one of them, or that would be made there."""
    kind = _type_of(path)
    if kind in _TYPES:
        raise RefusedError(
            f"the history {path} is on a network filesystem ({kind}), where SQLite loses what"
            " several hosts write",
            remedy="keep it on a disk of one host (--store, or XDG_DATA_HOME) and let that one"
            " gather the others' runs: 'iogate dispatch'; or use a server: --store influxdb://…",
        )


def _type_of(path: Path) -> str:
    """The type of the filesystem that a file is on; empty where nobody can tell."""
    place = next((each for each in (path, *path.parents) if each.exists()), Path("/"))
    with suppress(OSError, ValueError):
        number = place.stat().st_dev
        device = f"{os.major(number)}:{os.minor(number)}"
        for line in _MOUNTS.read_bytes().decode(errors="replace").split("\n"):
            mount, _, source = line.partition(" - ")
            if mount.split(" ")[2:3] == [device]:
                return source.split(" ")[0]
    return ""
