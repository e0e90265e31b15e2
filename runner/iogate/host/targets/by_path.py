"""A place that no spec names yet: would a run measure it?"""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.host.devices.block_devices import find_device
from iogate.host.devices.in_use import look_at, user_of
from iogate.host.targets.check import Use, check_targets
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import FileStat, Sut

_NAME = "here"
_KERNELS = ("/dev/", "/proc/", "/sys/")


def refused_at(sut: Sut, path: str) -> tuple[str, str] | None:
    """Why a run would refuse what is at a path, whatever a spec allows, and the remedy; None where
    it would not."""
    status = sut.stat(path)
    if status is None:
        remedy = "see lsblk for the devices of this host, or name a directory"
        return f"{path} does not exist", remedy if _is_kernels(path) else f"mkdir -p {path}"
    if (kind := _kind(status)) is None:
        what = f"{path} is neither a directory nor a block device, nor a regular file"
        return what, "name one of them: nothing else is measured"
    is_device = kind is TargetKind.DEVICE
    use = Use(Target(_NAME, kind, path, overwrite=True), writes=not is_device)
    try:
        check_targets(sut, [use])
    except RefusedError as error:
        return error.what.removeprefix(f"target {_NAME}: "), error.remedy
    return None


def unwritten_at(sut: Sut, path: str) -> tuple[str, str] | None:
    """Why a run would refuse to write the device at a path, which it may read; None for what is
    no device, or may be written with the ``destroy:`` that means it."""
    device = find_device(sut, path)
    if device is None:
        return None
    if used := user_of(look_at(sut, device)):
        return used.reason, used.remedy
    if (sut.read_text(f"{device.sysfs}/ro") or "").strip() == "1":
        return f"{device.path} is read-only", f"blockdev --setrw {device.path}"
    return None


def _is_kernels(path: str) -> bool:
    return path.startswith(_KERNELS)


def _kind(status: FileStat) -> TargetKind | None:
    if status.is_block:
        return TargetKind.DEVICE
    if status.is_directory:
        return TargetKind.DIRECTORY
    return TargetKind.FILE if status.is_file else None
