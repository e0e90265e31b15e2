"""What the kernel's log calls the things that a target is made of: its device, the disk and
controller below it, what dm, md and loop devices put between and above, and its filesystem."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from iogate.host.devices.block_devices import (
    ALL_DEVICES,
    Device,
    device_by_number,
    device_under,
    family_of,
    find_device,
    holders,
    node_of,
    partitions_of,
    slaves,
    whole_disk,
)
from iogate.host.devices.overlays import written_folder
from iogate.host.foreseen import foreseen
from iogate.model.spec import Target
from iogate.sut.base import Sut

# Parts of a disk's path in sysfs that drivers begin their lines with: ata1, nvme0, 0:0:0:0, 2-1.
_LINK = re.compile(
    r"ata\d+|nvme\d+|\d+:\d+:\d+:\d+|virtio\d+|mmc\d+(:\w+)?|\d+-\d+(\.\d+)*", re.ASCII
)
_PCI = re.compile(r"[0-9a-f]{4}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]", re.ASCII)
_WORD = re.compile(r"[\w:.\-]+", re.ASCII)
_NUMBERED = re.compile(r"(.+?)(?:-\d+|\.\d+)", re.ASCII)  # a journal's loop3-8, a port's ata1.00
_DEVICE = re.compile(
    r"(?:sd|vd|xvd|hd)[a-z]+\d*|nvme\d+\w*|(?:loop|zram|md|nbd|ram|sr|mmcblk)\d+(?:p\d+)?"
    r"|dm-\d+|ata\d+|\d+:\d+:\d+:\d+",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class OwnStack:
    """``names`` are those of block devices, controllers and links, and ``major:minor``;
    ``filesystems`` the devices that carry the target's own filesystem, and that of the file
    that a loop device below it stands on."""

    names: frozenset[str] = frozenset()
    filesystems: frozenset[str] = frozenset()

    def owns(self, text: str, *, of_filesystem: bool) -> bool:
        """Whether a line of the log is about it. What a filesystem complains of is its own
        alone: that on the next partition is another's."""
        return not _words(text).isdisjoint(self.filesystems if of_filesystem else self.names)


@dataclass(slots=True)
class _Found:
    names: set[str] = field(default_factory=set)
    filesystems: set[str] = field(default_factory=set)
    seen: set[str] = field(default_factory=set)


def own_stack(sut: Sut, target: Target, place: str) -> OwnStack:
    """That of a target, which is at ``place``; empty where it is on no block device."""
    sut = foreseen(sut, "devices", ALL_DEVICES)
    parts = _Found()
    for device in _devices_of(sut, target, place):
        _take(sut, device, parts)
        for above in _above(sut, device):
            parts.names |= {above.name, above.number}
        if not target.is_block:
            _take_filesystem(sut, device, parts)
    if target.array and (joined := _device_of(sut, target, place)):
        parts.filesystems.add(joined.name)
    return OwnStack(frozenset(parts.names), frozenset(parts.filesystems))


def names_a_device(text: str) -> bool:
    """Whether a line says of which device it is."""
    return any(_DEVICE.fullmatch(word) or _PCI.fullmatch(word) for word in _words(text))


def _words(text: str) -> set[str]:
    """What may be a name in a line: ``loop3-8`` is one of loop3, ``ata1.00`` one of ata1."""
    words = {word.strip(":.-") for word in _WORD.findall(text)}
    parts = (_NUMBERED.fullmatch(word) for word in tuple(words))
    return words | {part[1] for part in parts if part}


def _devices_of(sut: Sut, target: Target, place: str) -> list[Device]:
    found = [find_device(sut, part.path) for part in target.made_on]
    return [device for device in found or [_device_of(sut, target, place)] if device]


def _device_of(sut: Sut, target: Target, place: str) -> Device | None:
    if target.is_block:
        return find_device(sut, place)
    folder = place if sut.stat(place) else str(PurePosixPath(place).parent)
    return device_under(sut, folder) or _below_overlay(sut, folder)


def _below_overlay(sut: Sut, folder: str) -> Device | None:
    """What an overlay, as of a container, writes to; None where that is not to be seen."""
    upper = written_folder(sut, folder)
    return device_under(sut, upper) if upper else None


def _take(sut: Sut, device: Device, parts: _Found) -> None:
    """The device, its whole disk with controller, and everything below."""
    disk = whole_disk(sut, device)
    for each in (*family_of(sut, device), disk, *partitions_of(sut, disk)):
        parts.names |= {each.name, each.number}
    if disk.name in parts.seen:
        return
    parts.seen.add(disk.name)
    parts.names.update(_links(sut, disk))
    for lower in slaves(sut, disk):
        _take(sut, lower, parts)
    if backing := (sut.read_text(f"{disk.sysfs}/loop/backing_file") or "").strip():
        _take_backing(sut, disk, backing, parts)


def _take_backing(sut: Sut, loop: Device, backing: str, parts: _Found) -> None:
    """What a loop device stands on: a device, or the filesystem that holds a file."""
    status = sut.loop_status(node_of(loop.name))
    if lower := device_by_number(sut, status.rdev) if status and status.rdev else None:
        _take(sut, lower, parts)
        return
    holder = device_by_number(sut, status.device) if status else None
    if holder := holder or device_under(sut, backing):
        _take(sut, holder, parts)
        _take_filesystem(sut, holder, parts)


def _take_filesystem(sut: Sut, device: Device, parts: _Found) -> None:
    """The filesystem on a device: that of btrfs may have others, too."""
    parts.filesystems.add(device.name)
    base = "/sys/fs/btrfs"
    for filesystem_id in sut.list_dir(base):
        members = sut.list_dir(f"{base}/{filesystem_id}/devices")
        if device.name in members:
            for name in members:
                parts.filesystems.add(name)
                if member := find_device(sut, node_of(name)):
                    _take(sut, member, parts)


def _above(sut: Sut, device: Device) -> Iterator[Device]:
    """The dm, md and bcache devices that are built on it."""
    todo, seen = [device], {device.name}
    while todo:
        for name in holders(sut, todo.pop()):
            above = find_device(sut, node_of(name))
            if above and name not in seen:
                seen.add(name)
                todo.append(above)
                yield above


def _links(sut: Sut, disk: Device) -> Iterator[str]:
    """What is above a disk on its bus, as far as drivers name it: the controller and its links,
    but no bridge that it shares with others."""
    parts = PurePosixPath(sut.real_path(f"/sys/block/{disk.name}")).parts
    yield from (part for part in parts if _LINK.fullmatch(part))
    yield from [part for part in parts if _PCI.fullmatch(part)][-1:]
    for part in parts:
        if part.startswith("nvme-subsys"):
            names = sut.list_dir(f"/sys/class/nvme-subsystem/{part}")
            yield from (name for name in names if _LINK.fullmatch(name))
