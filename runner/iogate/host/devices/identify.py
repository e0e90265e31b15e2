"""Is this the device that ``destroy:`` means, and does what it says mean this one alone?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from iogate.host.devices.block_devices import (
    Device,
    all_disks,
    find_device,
    partitions_of,
    whole_disk,
)
from iogate.host.devices.in_use import Look
from iogate.host.devices.loops import Loop
from iogate.model.spec import Destroy
from iogate.sut.base import Sut

_BY_ID = "/dev/disk/by-id"
# Blocks in memory, gone with the power: such a device has no name but its size.
_IN_MEMORY = re.compile(r"(zram|ram|nullb)\d+")
_PLAIN = re.compile(r"[A-Za-z_/][A-Za-z0-9_./-]*", re.ASCII)
_NOT_TEXT = re.compile(r"true|false|null|yes|no|on|off|[yn]", re.IGNORECASE)


def identity_hint(look: Look, holds: tuple[str, ...] = ()) -> str:
    """The ``destroy:`` value that would pass for this device; nothing when there is none."""
    named = next((each for each in _proposals(look) if not mismatch(look, each)), None)
    return _shown(replace(named, holds=holds)) if named else ""


def no_identity(look: Look) -> str:
    """What to do about a device that no ``destroy:`` can name."""
    if _loop_of(look):
        return "its image has no name here: detach it, and attach one that has"
    if _IN_MEMORY.fullmatch(look.device.disk):
        return "make it of a size that no other has"
    return f"nothing tells it from others: give it a serial number, or a link in {_BY_ID}"


def mismatch(look: Look, destroy: Destroy) -> str | None:
    """Why ``destroy`` does not mean this device, or not this one alone; None when it does."""
    device = look.device
    asked = {key: value for key, value in _words(destroy).items() if value is not None}
    blank = [key for key, value in asked.items() if not str(value).strip()]
    if not asked or blank:
        what = f"an empty {blank[0]}" if blank else "no identity"
        return f"destroy: names {what} for {device.path}"
    for key, value in asked.items():
        has = _has(look, device, key, value)
        if has is not None:
            difference = f"{key} {has}" if has else f"no {key}"
            return f"{device.path} has {difference}, and destroy: says {value}"
    return _too_little(look, asked) or _several(look, asked)


def _words(destroy: Destroy) -> dict[str, str | int | None]:
    return {
        "serial": destroy.serial,
        "wwn": destroy.wwn,
        "by_id": destroy.by_id,
        "model": destroy.model,
        "size": destroy.size_bytes,
        "backing": destroy.backing,
    }


def _has(look: Look, device: Device, key: str, value: str | int) -> str | None:
    """What the device has where ``destroy`` says something else; None when it is that."""
    if key == "by_id":
        named = find_device(look.sut, f"{_BY_ID}/{value}")
        return None if named and named.number == device.number else "of another name"
    if key == "backing":
        loop = next((each for each in look.loops if each.name == device.disk), None)
        is_it = loop is not None and _is_backing(look.sut, loop, str(value))
        return None if is_it else _image_path(look.sut, loop) if loop else ""
    has = {
        "serial": device.serial,
        "wwn": device.wwn,
        "model": device.model,
        "size": device.size_bytes,
    }[key]
    same = _bare(has) == _bare(value) if key == "wwn" else has == value
    return None if same else str(has)


def _bare(wwn: object) -> str:
    """The kernel says naa.5000…, lsblk 0x5000…: the same name."""
    return str(wwn).lower().removeprefix("naa.").removeprefix("0x")


def _is_backing(sut: Sut, loop: Loop, path: str) -> bool:
    """By device and inode: a path may be stale, or one of several."""
    status = sut.stat(path)
    if status is None:
        return False
    return (
        status.rdev == loop.lower
        if status.is_block
        else (status.device, status.inode) == loop.image
    )


def _too_little(look: Look, asked: dict[str, str | int]) -> str | None:
    """Why what matches is no identity for a device of this kind."""
    device = look.device
    if "by_id" in asked:
        return None
    if _loop_of(look):
        what = "is a loop device, which its image alone tells from others"
        return None if "backing" in asked else f"{device.path} {what}"
    if _IN_MEMORY.fullmatch(device.disk) or asked.keys() & {"serial", "wwn"}:
        return None
    names = [name for name, has in (("serial", device.serial), ("wwn", device.wwn)) if has]
    if names:
        return f"{device.path} has a {names[0]}, and destroy: does not say which"
    if asked.keys() >= {"model", "size"}:
        return None
    return f"the {' and '.join(asked)} of {device.path} may be that of many devices"


def _several(look: Look, asked: dict[str, str | int]) -> str | None:
    """The other devices that ``destroy`` would mean as well. Those below this one (the paths of
    a multipath device) are the same device."""
    if "by_id" in asked:
        return None
    stack = {each.name for each in look.stack.devices}
    others = [
        each.path
        for each in _alike(look)
        if each.name not in stack
        and all(_has(look, each, key, value) is None for key, value in asked.items())
    ]
    if not others:
        return None
    said = ", ".join(f"{key} {value}" for key, value in asked.items())
    return f"{said} is that of {', '.join([look.device.path, *others])}"


def _alike(look: Look) -> Iterator[Device]:
    """All disks, for one; all partitions, for a partition. A size counts among devices in
    memory alone."""
    in_memory = _IN_MEMORY.fullmatch(look.device.disk) is not None
    for disk in all_disks(look.sut):
        if in_memory and not _IN_MEMORY.fullmatch(disk.name):
            continue
        if look.device.name == look.device.disk:
            yield disk
        else:
            yield from partitions_of(look.sut, disk)


def _proposals(look: Look) -> Iterator[Destroy]:
    device, sut = look.device, look.sut
    size = device.size_bytes
    if loop := _loop_of(look):
        image = _image_path(sut, loop)
        yield from (Destroy(backing=image), Destroy(backing=image, size_bytes=size))
    if _IN_MEMORY.fullmatch(device.disk):
        yield Destroy(size_bytes=size)
    if device.serial:
        yield Destroy(serial=device.serial)
    if device.wwn:
        yield Destroy(wwn=device.wwn)
    for name in sut.list_dir(_BY_ID):
        yield Destroy(by_id=name)
    for known in (Destroy(serial=device.serial or None), Destroy(wwn=device.wwn or None)):
        yield replace(known, size_bytes=size)
    if device.model:
        yield Destroy(model=device.model, size_bytes=size)


def _loop_of(look: Look) -> Loop | None:
    disk = whole_disk(look.sut, look.device).name
    return next((each for each in look.loops if each.name == disk), None)


def _image_path(sut: Sut, loop: Loop) -> str:
    said = sut.read_text(f"/sys/block/{loop.name}/loop/backing_file") or ""
    return said.strip("\n")


def _shown(destroy: Destroy) -> str:
    pairs = [f"{key}: {_scalar(v)}" for key, v in _words(destroy).items() if v is not None]
    if len(destroy.holds) == 1:
        pairs.append(f"holds: {destroy.holds[0]}")
    elif destroy.holds:
        pairs.append(f"holds: [{', '.join(destroy.holds)}]")
    return f"{{ {', '.join(pairs)} }}"


def _scalar(value: str | int) -> str:
    """As YAML reads it back."""
    if isinstance(value, int) or (_PLAIN.fullmatch(value) and not _NOT_TEXT.fullmatch(value)):
        return str(value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
