"""What to do about a place that cannot be written."""

from __future__ import annotations

from iogate.host.devices.mounts import mount_of
from iogate.sut.base import Sut


def unwritable(sut: Sut, path: str) -> tuple[str, str]:
    """Why it is not writable, and the remedy: no user may write a filesystem that is read-only."""
    mount = mount_of(sut, path)
    if mount and "ro" in mount.options.split(","):
        why = f"{path} is not writable: {mount.point} is mounted read-only"
        again = f"mount -o remount,rw {mount.point}"
        return why, f"see dmesg for why, and mount it anew ({again}), or name another place"
    may = "run as a user who may write it"
    if sut.about().user == 0:
        may = f"see lsattr -d {path} for why root may not, or name another place"
    return f"{path} is not writable", may
