"""Whether the filesystem of a target can still be written: one with errors goes read-only, or is
shut down, and a workload that reads does not notice."""

from __future__ import annotations

from pathlib import PurePosixPath

from iogate.host.devices.block_devices import find_device
from iogate.host.devices.mounts import MOUNTS, mount_of
from iogate.host.read_ahead import ReadAhead
from iogate.model.measurement import KernelTrouble, Whose
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut

KIND = "read-only"
_READ_ONLY = ("ro", "emergency_ro")
_SHUT_DOWN = "shutdown"


class MountWatch:
    """Remembers what each target was when it was first looked at."""

    def __init__(self, sut: Sut) -> None:
        self._sut = sut
        self._first: dict[str, str] = {}

    def begin(self, target: Target, place: str) -> None:
        """Before a target is measured for the first time; afterwards nothing."""
        if target.name not in self._first:
            self._first[target.name] = _state(self._sut, target, place)

    def seen(self, look: Sut, target: Target, place: str) -> tuple[KernelTrouble, ...]:
        """What has become of it since, by a look at the machine; nothing where it is as it
        was."""
        state = _state(look, target, place)
        if not state or state == self._first.get(target.name, ""):
            return ()
        return (KernelTrouble(KIND, 1, (state,), Whose.TARGET),)


def _state(sut: Sut, target: Target, place: str) -> str:
    """Why it can no longer be written, in a sentence; empty where it can."""
    if target.is_block:
        device = find_device(sut, place)
        read_only = device and (sut.read_text(f"{device.sysfs}/ro") or "").strip() == "1"
        return f"{place} has become read-only" if read_only else ""
    folder = str(PurePosixPath(place).parent) if target.kind is TargetKind.FILE else place
    sut = ReadAhead(sut).read([MOUNTS], [folder])
    mount = mount_of(sut, folder)
    what = f"the filesystem of {folder}"
    if mount is not None:
        what = f"{mount.point} ({mount.fs_type} on {mount.source})"
    options = mount.options.split(",") if mount else []
    if any(option in options for option in _READ_ONLY):
        return f"{what} has become read-only"
    if _SHUT_DOWN in options or not sut.stat(folder):
        return f"{what} has been shut down, or is gone"
    return ""
