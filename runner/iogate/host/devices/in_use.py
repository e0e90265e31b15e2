"""Who uses a device, or the blocks below it, or a file? Every way is a function of the table
``WAYS``. Asked of the kernel by numbers, in every mount namespace: not by names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from iogate.host.devices.block_devices import (
    ALL_DEVICES,
    Device,
    device_by_number,
    device_under,
    disks_below,
    find_device,
    holders,
    node_of,
)
from iogate.host.devices.loops import Loop, loops
from iogate.host.devices.mounts import AllMounts, Mount, mounts_everywhere, swaps
from iogate.host.devices.overlays import FileId, file_ids, unseen_overlay
from iogate.host.devices.stack import Stack, stack_of
from iogate.host.foreseen import answers, looked_at
from iogate.sut.base import Sut

_SYSTEM_MOUNTS = ("/", "/usr", "/boot", "/boot/efi", "/var", "/home", "/nix", "/etc")
# Where / is an overlay: files that container engines bind from the host's disk, and the root of
# who sees the whole host. Elsewhere they are on the disks of the places above.
_SYSTEM_OF_CONTAINERS = ("/etc/hosts", "/etc/resolv.conf", "/proc/1/root")
_READ = (
    "/sys/block", "/sys/block/*/backing_dev", "/sys/fs/btrfs", "/sys/fs/btrfs/*/devices",
    "/proc/fs/jbd2", "/proc/swaps", "/proc", "/proc/self/mountinfo", "/proc/self/ns/mnt",
    "/proc/*/ns/mnt", "/sys/kernel/config/target/core", "/sys/kernel/config/nvmet/subsystems",
)  # fmt: skip
_BESIDE = ("logdev", "rtdev", "journal_dev", "journal_path")  # options of mount
_NAMELESS = "something that /proc does not show here uses it: another namespace or container?"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why not, and what to do about it."""

    reason: str
    remedy: str


@dataclass(frozen=True, slots=True)
class Look:
    """A device that is to be written, and what is known of its surroundings. ``kin`` are others
    that the same run may overwrite."""

    sut: Sut
    device: Device
    stack: Stack
    loops: tuple[Loop, ...]
    seen: AllMounts
    kin: tuple[Device, ...] = ()

    @property
    def images(self) -> tuple[str, ...]:
        """The files that hold blocks of the device: images of loop devices, at whatever depth."""
        below = (loop for loop in self.loops if loop.name in self.stack.descent)
        return tuple(loop.backing for loop in below if loop.image)

    def named(self, device: Device) -> str:
        """The path of a device of the stack, with why it matters where that is not plain."""
        if device.name in self.device.family:
            return device.path
        return f"{device.path}, which holds the blocks of {self.device.path},"

    def member(self, device: Device | None) -> Device | None:
        """The device itself when it is one of the stack."""
        return device if device and any(device.name == d.name for d in self.stack.devices) else None


Way = Callable[[Look], Refusal | None]


def look_at(sut: Sut, device: Device, kin: tuple[Device, ...] = ()) -> Look:
    """Everything that is asked, once."""
    places = (*_SYSTEM_MOUNTS, *_SYSTEM_OF_CONTAINERS)
    sut = looked_at(sut, f"users of {device.name}", (*ALL_DEVICES, *_READ), places)
    attached = loops(sut)
    stack = stack_of(sut, device, attached)
    return Look(sut, device, stack, attached, mounts_everywhere(sut), kin)


def user_of(look: Look) -> Refusal | None:
    """The first that uses the device; None when nobody does, as far as is known without a
    claim (``claimed``)."""
    return next((refusal for way in WAYS if (refusal := way(look))), None)


def file_user(sut: Sut, path: str) -> str | None:
    """What the kernel keeps in a file, in words; None for a file that nothing of the kernel's
    stands on. What another program does with it is not known."""
    sut = looked_at(sut, f"users of {path}", (*_READ, "/sys/block/*/loop/backing_file"), [path])
    if overlay := unseen_overlay(sut, path):
        return f"is on the overlay {overlay}, and the file that it writes to cannot be found"
    images = file_ids(sut, path, written=True)
    if not images:
        return None
    if loop := next((each for each in loops(sut) if images & each.images), None):
        return f"backs {loop.path}"
    return next(_uses_of_file(sut, images, mounts_everywhere(sut)), None)


def _uses_of_file(sut: Sut, images: frozenset[FileId], seen: AllMounts) -> Iterator[str]:
    """How the kernel uses a file beside as a loop device, in words."""

    def is_it(path: str) -> bool:
        return path.startswith("/") and not images.isdisjoint(file_ids(sut, path))

    if any(is_it(path) for path in swaps(sut)):
        yield "backs active swap"
    for mount, _process in seen.mounts:
        if is_it(mount.source):
            yield f"is mounted at {mount.point}"
    if any(is_it(path) for path in _exports(sut)):
        yield "is given to other hosts by this kernel"


def system_devices(sut: Sut) -> Iterator[tuple[str, Device]]:
    """What the system runs from: a place, and the device that holds its filesystem. A place that
    is on no block device, as / of a container, is left out."""
    for place in (*_SYSTEM_MOUNTS, *_SYSTEM_OF_CONTAINERS):
        if under := device_under(sut, place):
            yield place, under


def _system_disk(look: Look) -> Refusal | None:
    """Any part of a disk that the system runs from, even an unused partition. A loop
    device over a file on that disk is fine: it has blocks of its own."""
    for point, under in system_devices(look.sut):
        disks = disks_below(look.sut, under)
        if hit := next((each for each in look.stack.bare if each.disk in disks), None):
            return Refusal(
                f"{look.named(hit)} is on the disk that holds {point}",
                "iogate never writes to a disk that the system runs from; name another one",
            )
    return None


def _mounted(look: Look) -> Refusal | None:
    known = set()
    for mount, process in look.seen.mounts:
        key = (mount.number, mount.source, mount.options)
        for under in _devices_of(look.sut, mount) if key not in known else ():
            if hit := look.member(under):
                elsewhere = f" in the mount namespace of process {process}" if process else ""
                enter = f"nsenter -t {process} -m " if process else ""
                return Refusal(
                    f"{look.named(hit)} is mounted at {mount.point}{elsewhere}",
                    f"unmount it ({enter}umount {mount.point}), or name another device",
                )
        known.add(key)
    return None


def _devices_of(sut: Sut, mount: Mount) -> Iterator[Device | None]:
    """The devices of a filesystem, as far as its mount names them."""
    yield device_by_number(sut, mount.number) or (
        find_device(sut, mount.source) if mount.source.startswith("/") else None
    )
    for option in mount.options.split(","):
        name, _, value = option.partition("=")
        if name in _BESIDE:
            yield find_device(sut, value)


def _btrfs_member(look: Look) -> Refusal | None:
    """Only one of its devices is in the list of mounts."""
    for uuid in look.sut.list_dir("/sys/fs/btrfs"):
        names = look.sut.list_dir(f"/sys/fs/btrfs/{uuid}/devices")
        if hit := next((each for each in look.stack.devices if each.name in names), None):
            return Refusal(
                f"{look.named(hit)} is a part of the mounted btrfs filesystem {uuid}",
                "unmount that, or take the device out (btrfs device remove)",
            )
    return None


def _journal(look: Look) -> Refusal | None:
    names = look.sut.list_dir("/proc/fs/jbd2")
    if hit := next((each for each in look.stack.devices if each.name in names), None):
        return Refusal(
            f"{look.named(hit)} is the journal of a mounted filesystem",
            "unmount that filesystem, or name another device",
        )
    return None


def _swap(look: Look) -> Refusal | None:
    for path in swaps(look.sut):
        if hit := look.member(find_device(look.sut, path)):
            what = path if hit.name in look.device.family else look.named(hit)
            return Refusal(f"{what} is active swap", f"swapoff {path}, or name another device")
    return None


def _held(look: Look) -> Refusal | None:
    for each in look.stack.bare:
        if names_held := holders(look.sut, each):
            names = ", ".join(node_of(name) for name in names_held)
            return Refusal(
                f"{look.named(each)} is part of {names}",
                "take that apart first (dmsetup, mdadm, vgchange), or name another device",
            )
    return None


def _backs_loop(look: Look) -> Refusal | None:
    """A loop device does not claim what it stands on."""
    below = [loop for loop in look.loops if loop.name in look.stack.descent]
    for loop in look.loops:
        if loop.name in look.stack.descent:
            continue
        detach = f"detach it (losetup -d {loop.path}), or name another device"
        if twin := next((each for each in below if each.shares(loop)), None):
            what = f"{twin.path} and {loop.path} hold the same blocks"
            return Refusal(what, detach)
        hit = look.member(device_by_number(look.sut, loop.lower)) if loop.lower else None
        if hit and not any(each.lower == loop.lower for each in below):
            return Refusal(f"{look.named(hit)} backs {loop.path}", detach)
    return None


def _image_used(look: Look) -> Refusal | None:
    for loop in look.loops:
        images = loop.images if loop.name in look.stack.descent else None
        how = next(_uses_of_file(look.sut, images, look.seen), None) if images else None
        if how:
            what = f"the image of {loop.path} {how}"
            return Refusal(what, "give that up first, or name another device")
    return None


def _backs_zram(look: Look) -> Refusal | None:
    for name in look.sut.list_dir("/sys/block"):
        backing = (look.sut.read_text(f"/sys/block/{name}/backing_dev") or "").strip()
        hit = look.member(find_device(look.sut, backing)) if backing.startswith("/") else None
        if hit:
            return Refusal(
                f"{look.named(hit)} backs {node_of(name)}",
                f"reset it (zramctl --reset {node_of(name)}), or name another device",
            )
    return None


def _exported(look: Look) -> Refusal | None:
    """Given to other hosts by the kernel: iSCSI and the like, NVMe over fabrics."""
    for path in _exports(look.sut):
        if hit := look.member(find_device(look.sut, path)):
            return Refusal(
                f"{look.named(hit)} is given to other hosts by this kernel",
                "take it out of the targets (targetcli, nvmetcli), or name another device",
            )
    return None


def _exports(sut: Sut) -> Iterator[str]:
    places = (
        ("/sys/kernel/config/target/core", "", "udev_path"),
        ("/sys/kernel/config/nvmet/subsystems", "/namespaces", "device_path"),
    )
    for base, folder, attribute in places:
        for group in sut.list_dir(base):
            for name in sut.list_dir(f"{base}/{group}{folder}"):
                yield (sut.read_text(f"{base}/{group}{folder}/{name}/{attribute}") or "").strip()


def _forbidden(look: Look) -> Refusal | None:
    (may_write,) = answers(look.sut, "can_write", [look.device.path])
    return None if may_write else forbidden(look.device)


def remedy_without_rights(path: str) -> str:
    """Not the device's group, which may write to all disks of the host."""
    return (
        "run as root, or let root give this device alone to the user:"
        f" iogate host install --user NAME --device {path}"
    )


def forbidden(device: Device) -> Refusal:
    """What is said to a user who may not open the device."""
    return Refusal(
        f"{device.path}: permission denied",
        remedy_without_rights(device.path),
    )


def claimed(look: Look) -> Refusal | None:
    """Last, the kernel's own word: it knows claims that no file in /proc shows here."""
    for each in look.stack.bare:
        if reason := look.sut.open_exclusive(each.path):
            hidden = look.seen.hidden
            more = f" (the mounts of {hidden} processes may not be read)" if hidden else ""
            return Refusal(
                f"{look.named(each)} cannot be opened for itself alone: {reason}", _NAMELESS + more
            )
    return None


WAYS: tuple[Way, ...] = (
    _system_disk,
    _mounted,
    _btrfs_member,
    _journal,
    _swap,
    _held,
    _backs_loop,
    _image_used,
    _backs_zram,
    _exported,
    _forbidden,
)
