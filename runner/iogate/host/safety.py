"""May this device be overwritten? Only when the spec says so, names its identity, and
nothing uses it. Every reason to refuse is a function of the tables ``ALWAYS`` and ``GUARDS``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iogate.host.devices import (
    Device,
    device_by_number,
    device_under,
    disks_below,
    find_device,
    holders,
)
from iogate.host.mounts import mounts, swaps
from iogate.model.spec import Destroy
from iogate.sut.base import Sut

_SYSTEM_MOUNTS = ("/", "/usr", "/boot", "/boot/efi", "/var", "/home", "/nix", "/etc")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, and what to do about it."""

    reason: str
    remedy: str


Obstacle = Callable[[Sut, Device], Refusal | None]
Guard = Callable[[Sut, Device, Destroy], Refusal | None]


def refusal(sut: Sut, device: Device, destroy: Destroy | None) -> Refusal | None:
    """The first reason not to write to the device; None when it may be overwritten. What no
    ``destroy:`` lifts comes first: nobody is advised to let go of what is in use."""
    if found := next((why for obstacle in ALWAYS if (why := obstacle(sut, device))), None):
        return found
    if destroy is None:
        return Refusal(
            f"{device.path} would be overwritten and the spec does not allow it",
            f"if its content may be lost, add to the target: destroy: {identity_hint(device)}",
        )
    return next((found for guard in GUARDS if (found := guard(sut, device, destroy))), None)


def identity_hint(device: Device) -> str:
    """The ``destroy:`` value that would name this device."""
    if device.serial:
        return f"{{ serial: {device.serial} }}"
    if device.wwn:
        return f"{{ wwn: {device.wwn} }}"
    return f"{{ size: {device.size_bytes} }}"


def _system_disk(sut: Sut, device: Device) -> Refusal | None:
    """Any part of a disk that the system runs from, even an unused partition. A loop
    device over a file on that disk is fine: it has blocks of its own."""
    for point in _SYSTEM_MOUNTS:
        under = device_under(sut, point)
        if under and device.disk in disks_below(sut, under):
            return Refusal(
                f"{device.path} is on the disk that holds {point}",
                "iogate never writes to a disk that the system runs from; name another one",
            )
    return None


def _mounted(sut: Sut, device: Device) -> Refusal | None:
    for mount in mounts(sut):
        under = device_by_number(sut, mount.number) or find_device(sut, mount.source)
        if under and under.name in device.family:
            return Refusal(
                f"{under.path} is mounted at {mount.point}",
                f"unmount it (umount {mount.point}), or name another device",
            )
    return None


def _swap(sut: Sut, device: Device) -> Refusal | None:
    for path in swaps(sut):
        under = find_device(sut, path)
        if under and under.name in device.family:
            return Refusal(f"{path} is active swap", f"swapoff {path}, or name another device")
    return None


def _held(sut: Sut, device: Device) -> Refusal | None:
    if found := holders(sut, device):
        names = ", ".join(f"/dev/{name}" for name in found)
        return Refusal(
            f"{device.path} is part of {names}",
            "take that apart first (dmsetup, mdadm, vgchange), or name another device",
        )
    return None


def _loop_backing(sut: Sut, device: Device) -> Refusal | None:
    for name, backing in loop_backings(sut):
        under = find_device(sut, backing)
        if under and under.name in device.family:
            return Refusal(
                f"{device.path} backs /dev/{name}",
                f"detach it (losetup -d /dev/{name}), or name another device",
            )
    return None


def _forbidden(sut: Sut, device: Device) -> Refusal | None:
    return None if sut.can_write(device.path) else forbidden(device)


def forbidden(device: Device) -> Refusal:
    """What is said to a user who may not open the device."""
    return Refusal(
        f"{device.path}: permission denied",
        f"run as root, or join the group of the device: ls -l {device.path} shows it",
    )


def _identity(_sut: Sut, device: Device, destroy: Destroy) -> Refusal | None:
    pairs = (
        ("serial", destroy.serial, device.serial),
        ("wwn", destroy.wwn, device.wwn),
        ("model", destroy.model, device.model),
        ("size", destroy.size_bytes, device.size_bytes),
    )
    asked = [pair for pair in pairs if pair[1] is not None]
    hint = f"this device would be: destroy: {identity_hint(device)}"
    if not asked:
        return Refusal(f"destroy: names no identity for {device.path}", hint)
    for what, wanted, found in asked:
        if wanted != found:
            shown = found or "unknown"
            return Refusal(f"{device.path} has {what} {shown}, and destroy: says {wanted}", hint)
    return None


def _read_only(sut: Sut, device: Device, _destroy: Destroy) -> Refusal | None:
    if (sut.read_text(f"{device.sysfs}/ro") or "").strip() == "1":
        return Refusal(f"{device.path} is read-only", f"blockdev --setrw {device.path}")
    return None


def _claimed(sut: Sut, device: Device, _destroy: Destroy) -> Refusal | None:
    """Last, the kernel's own word: it knows claims that no file in /proc shows here, such
    as a mount in another namespace."""
    if reason := sut.open_exclusive(device.path):
        return Refusal(
            f"{device.path} cannot be opened for itself alone: {reason}",
            "something that /proc does not show here uses it: another namespace or container?",
        )
    return None


ALWAYS: tuple[Obstacle, ...] = (
    _system_disk,
    _mounted,
    _swap,
    _held,
    _loop_backing,
    _forbidden,
)
GUARDS: tuple[Guard, ...] = (_identity, _read_only, _claimed)


def loop_backings(sut: Sut) -> tuple[tuple[str, str], ...]:
    """Pairs of loop device name and the file or device that backs it."""
    found = []
    for name in sut.list_dir("/sys/block"):
        if not name.startswith("loop"):
            continue
        backing = (sut.read_text(f"/sys/block/{name}/loop/backing_file") or "").strip("\n")
        if backing:
            found.append((name, backing.removesuffix(" (deleted)")))
    return tuple(found)
