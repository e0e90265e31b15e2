"""What tells one device from every other, and whether anything was written to it since."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.host.devices.block_devices import Device
from iogate.sut.base import Sut

_WRITTEN, _DISCARDED = 6, 13  # fields of a disk's stat file, in sectors of 512 bytes


@dataclass(frozen=True, slots=True)
class Signs:
    """``identity`` is empty where nothing tells the device from others; one that is ``bound``
    is good for this ``boot`` (the kernel's id of it) alone. ``written`` and ``discarded`` are
    sectors of 512 bytes since the device came."""

    identity: str
    bound: bool
    boot: str
    size_bytes: int
    firmware: str
    written: int
    discarded: int


def signs_of(sut: Sut, device: Device) -> Signs:
    """The signs of a device as it is now."""
    identity, bound = _identity(sut, device)
    written, discarded = _sectors(sut, device)
    boot = (sut.read_text("/proc/sys/kernel/random/boot_id") or "").strip()
    return Signs(
        identity if boot or not bound else "",
        bound,
        boot,
        device.size_bytes,
        device.firmware,
        written,
        discarded,
    )


def _identity(sut: Sut, device: Device) -> tuple[str, bool]:
    """A drive is known by what its maker gave it; a loop device by its file, and it and any
    other by the number that the kernel gives to each disk that comes, once in a boot."""
    part = _part(sut, device)
    own = [f"{name} {text}" for name, text in _marks(device) if text]
    if own:
        return ", ".join((*own, *part)), False
    diskseq = _number(sut, f"/sys/block/{device.disk}/diskseq")
    if not diskseq:
        return "", True
    return ", ".join((f"disk {diskseq}", *_backing(sut, device), *part)), True


def _marks(device: Device) -> tuple[tuple[str, str], ...]:
    """A model alone is shared by all of its kind."""
    known = device.wwn or device.serial
    model = device.model if known else ""
    return ("wwn", device.wwn), ("serial", device.serial), ("model", model)


def _backing(sut: Sut, device: Device) -> tuple[str, ...]:
    loop = sut.loop_status(f"/dev/{device.disk}") if device.disk.startswith("loop") else None
    return (f"file {loop.device} {loop.inode} from {loop.offset_bytes}",) if loop else ()


def _part(sut: Sut, device: Device) -> tuple[str, ...]:
    if device.name == device.disk:
        return ()
    return (f"from sector {_number(sut, f'{device.sysfs}/start')}",)


def _sectors(sut: Sut, device: Device) -> tuple[int, int]:
    """What was written and discarded. Of a partition also what went to the whole disk and to
    none of its partitions: it may have been here."""
    own = _stat(sut, device.sysfs)
    base = f"/sys/block/{device.disk}"
    if device.name == device.disk:
        return own
    parts = [n for n in sut.list_dir(base) if sut.stat(f"{base}/{n}/partition")]
    others = [_stat(sut, f"{base}/{name}") for name in parts]
    whole = _stat(sut, base)
    loose = [max(whole[i] - sum(each[i] for each in others), 0) for i in (0, 1)]
    return own[0] + loose[0], own[1] + loose[1]


def _stat(sut: Sut, folder: str) -> tuple[int, int]:
    words = (sut.read_text(f"{folder}/stat") or "").split()
    numbers = [int(word) if word.isdigit() else 0 for word in words]
    numbers += [0] * (_DISCARDED + 1 - len(numbers))
    return numbers[_WRITTEN], numbers[_DISCARDED]


def _number(sut: Sut, path: str) -> int:
    text = (sut.read_text(path) or "").strip()
    return int(text) if text.isascii() and text.isdigit() else 0
