"""Block devices as sysfs and udev describe them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from iogate.host.devices.mounts import mount_of
from iogate.host.foreseen import looked_at
from iogate.host.read_ahead import ReadAhead
from iogate.sut.base import Sut

_SECTOR = 512
_VPD_HEADER = 4
_ATTRIBUTES = (
    "dev", "device/model", "device/serial", "serial", "device/vpd_pg80", "wwid", "device/wwid",
    "device/firmware_rev", "device/rev",
)  # fmt: skip
ALL_DEVICES = (
    *(f"/sys/dev/block/*{part}" for part in ("", "/partition", "/size", "/../dev")),
    *(f"/sys/block/*{part}" for part in ("", "/slaves", "/holders", "/hidden", "/size")),
    "/sys/block/*/loop/backing_file",
    *(f"/sys/block/*/{name}" for name in _ATTRIBUTES),
    *(f"/sys/block/*/*/{name}" for name in ("dev", "holders", "partition")),
    "/run/udev/data/b*",
)
"""What tells of all of them: of which device each number is, and on what it stands."""


@dataclass(frozen=True, slots=True)
class Device:
    """A disk or a partition. ``disk`` is the name of the whole disk (its own name, if it
    is one); model, serial, wwn and firmware are the disk's, empty when unknown."""

    name: str
    number: str
    disk: str
    size_bytes: int
    partitions: tuple[str, ...]
    model: str = ""
    serial: str = ""
    wwn: str = ""
    firmware: str = ""

    @property
    def path(self) -> str:
        return node_of(self.name)

    @property
    def sysfs(self) -> str:
        own = f"/{self.name}" if self.name != self.disk else ""
        return f"/sys/block/{self.disk}{own}"

    @property
    def family(self) -> tuple[str, ...]:
        """Names that share its blocks: itself, its partitions, and the disk it is part of."""
        return tuple(dict.fromkeys((self.name, *self.partitions, self.disk)))


def node_of(name: str) -> str:
    """The node of a device's name in sysfs, where ``!`` stands for a slash."""
    return "/dev/" + name.replace("!", "/")


def find_device(sut: Sut, path: str) -> Device | None:
    """The device behind a node or a symlink to one; None when it is no block device."""
    sut = looked_at(sut, f"device {path}")
    status = sut.stat(path)
    return device_by_number(sut, status.rdev) if status and status.is_block else None


def device_under(sut: Sut, path: str) -> Device | None:
    """The device that holds the filesystem of ``path``; None for tmpfs, NFS and the like."""
    status = sut.stat(path)
    device = device_by_number(sut, status.device) if status else None
    if device or not status:
        return device
    mount = mount_of(sut, path)
    if mount is None or not mount.source.startswith("/"):
        return None
    return find_device(sut, mount.source)


def device_by_number(sut: Sut, number: str) -> Device | None:
    """The device of a ``major:minor``, from sysfs."""
    link = f"/sys/dev/block/{number}"
    sut = looked_at(sut, f"device {number}")
    if not sut.is_here:
        ahead = ReadAhead(sut)
        sut = ahead.read(paths_of_numbers([number]))
        sut = ahead.read(paths_of_device(sut, number, ()))
    if not sut.stat(link):
        return None
    real = PurePosixPath(sut.real_path(link))
    disk = real.parent.name if sut.stat(f"{link}/partition") else real.name
    base = f"/sys/block/{disk}"
    return Device(
        name=real.name,
        number=number,
        disk=disk,
        size_bytes=int(_text(sut, f"{link}/size") or 0) * _SECTOR,
        partitions=_partitions(sut, base) if disk == real.name else (),
        model=_text(sut, f"{base}/device/model") or _udev(sut, base, "ID_MODEL"),
        serial=_serial(sut, base),
        wwn=_wwn(sut, base),
        firmware=_text(sut, f"{base}/device/firmware_rev") or _text(sut, f"{base}/device/rev"),
    )


def paths_of_numbers(numbers: Iterable[str]) -> tuple[str, ...]:
    """What has to be read to tell which devices these are, and on which disks."""
    links = [f"/sys/dev/block/{number}" for number in numbers]
    return tuple(f"{link}{part}" for link in links for part in ("", "/partition", "/../dev"))


def paths_of_device(sut: Sut, number: str, more: Sequence[str]) -> tuple[str, ...]:
    """What has to be read to describe a device, once ``paths_of_numbers`` is known, and ``more``
    of its disk."""
    link = f"/sys/dev/block/{number}"
    if not sut.stat(link):
        return ()
    real = PurePosixPath(sut.real_path(link))
    part = sut.stat(f"{link}/partition") is not None
    disk = f"/sys/block/{real.parent.name if part else real.name}"
    own = _text(sut, f"{link}/../dev") if part else number
    return (
        f"{link}/size",
        disk,
        f"{disk}/*/partition",
        *(f"{disk}/{name}" for name in (*_ATTRIBUTES, *more)),
        f"/run/udev/data/b{own}",
    )


def _partitions(sut: Sut, base: str) -> tuple[str, ...]:
    files = sut.read_many([f"{base}/*/partition"])
    return tuple(sorted(path.split("/")[-2] for path in files))


def all_disks(sut: Sut) -> Iterator[Device]:
    """Every whole disk that has a size. A hidden one is a path to another (NVMe)."""
    for name in sut.list_dir("/sys/block"):
        if _text(sut, f"/sys/block/{name}/hidden") == "1":
            continue
        device = device_by_number(sut, _text(sut, f"/sys/block/{name}/dev"))
        if device and device.size_bytes:
            yield device


def partitions_of(sut: Sut, disk: Device) -> tuple[Device, ...]:
    """The partitions of a whole disk."""
    numbers = (_text(sut, f"{disk.sysfs}/{name}/dev") for name in disk.partitions)
    return tuple(device for number in numbers if (device := device_by_number(sut, number)))


def whole_disk(sut: Sut, device: Device) -> Device:
    """The disk that a partition is of; a disk is its own."""
    if device.name == device.disk:
        return device
    return device_by_number(sut, _text(sut, f"/sys/block/{device.disk}/dev")) or device


def family_of(sut: Sut, device: Device) -> tuple[Device, ...]:
    """The devices that share its blocks: itself, its partitions, and the disk it is part of."""
    disk = whole_disk(sut, device)
    return (device, *partitions_of(sut, device)) if disk == device else (device, disk)


def slaves(sut: Sut, device: Device) -> tuple[Device, ...]:
    """What a dm, md or bcache device is made of; nothing for any other."""
    return _slaves(sut, device.disk)


def _slaves(sut: Sut, disk: str) -> tuple[Device, ...]:
    base = f"/sys/block/{disk}/slaves"
    numbers = (_text(sut, f"{base}/{name}/dev") for name in sut.list_dir(base))
    return tuple(device for number in numbers if (device := device_by_number(sut, number)))


def holders(sut: Sut, device: Device) -> tuple[str, ...]:
    """dm, md and bcache devices that are built on it, its partitions or its disk."""
    names: list[str] = []
    for name in device.family:
        base = f"/sys/block/{device.disk}"
        own = base if name == device.disk else f"{base}/{name}"
        names.extend(sut.list_dir(f"{own}/holders"))
    return tuple(dict.fromkeys(names))


def disks_below(sut: Sut, device: Device) -> frozenset[str]:
    """Names of the whole disks that it ends on, through dm, md and loop devices."""
    seen: set[str] = set()
    todo = [device]
    while todo:
        current = todo.pop()
        if current.disk in seen:
            continue
        seen.add(current.disk)
        todo.extend(_lower(sut, current.disk))
    return frozenset(seen)


def _lower(sut: Sut, disk: str) -> list[Device]:
    """What a stacked disk is made of: its slaves, or the disk of a loop's backing file."""
    devices = list(_slaves(sut, disk))
    backing = _text(sut, f"/sys/block/{disk}/loop/backing_file")
    if backing:
        status = sut.loop_status(node_of(disk))
        known = device_by_number(sut, status.rdev or status.device) if status else None
        below = known or find_device(sut, backing) or device_under(sut, backing)
        devices += [below] if below else []
    return devices


def serial_digest(serial: str) -> str:
    """A serial number made safe to publish: enough to tell two drives apart."""
    return hashlib.sha256(serial.encode()).hexdigest()[:12] if serial else ""


def _serial(sut: Sut, base: str) -> str:
    for attribute in (f"{base}/device/serial", f"{base}/serial"):
        if text := _text(sut, attribute):
            return text
    page = sut.read_text(f"{base}/device/vpd_pg80") or ""
    return page[_VPD_HEADER:].strip("\0 \n") or _udev(sut, base, "ID_SERIAL_SHORT")


def _wwn(sut: Sut, base: str) -> str:
    for attribute in (f"{base}/wwid", f"{base}/device/wwid"):
        if text := _text(sut, attribute):
            return text
    return _udev(sut, base, "ID_WWN")


def _udev(sut: Sut, base: str, key: str) -> str:
    number = _text(sut, f"{base}/dev")
    for line in (sut.read_text(f"/run/udev/data/b{number}") or "").splitlines():
        if line.startswith(f"E:{key}="):
            return line.partition("=")[2].strip()
    return ""


def _text(sut: Sut, path: str) -> str:
    return (sut.read_text(path) or "").strip("\0 \n")
