"""The file that describes a virtual machine.

version: 1
kernel: 6.12
kernels: [/srv/kernels]
memory: 1g
disks:
  scratch: { interface: nvme, size: 4g, iops: 20000 }

It belongs to whoever runs iogate, as it names files of his; a spec never says it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iogate.errors import SpecError
from iogate.files.described import read_described
from iogate.model.spec import Destroy

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,62}", re.ASCII)
_LEAST_MEMORY = 512 << 20
_UNITS = {"k": 10, "m": 20, "g": 30, "t": 40}


@dataclass(frozen=True, slots=True)
class Disk:
    """A disk: ``interface`` is ``virtio-blk``, ``nvme`` or ``zns`` (NVMe with zones). Its blocks
    are those of ``device``, a block device of this host that ``destroy`` allows to overwrite, or
    are in ``file``, or where there is neither in a file that is made for as long as the machine is
    used. ``size_bytes`` is 0 for a device, which has its own. ``iops`` and ``bw_bytes`` (bytes a
    second) are what it does at most, None for as much as it can."""

    name: str
    interface: str
    size_bytes: int
    file: Path | None = None
    device: str = ""
    destroy: Destroy | None = None
    iops: int | None = None
    bw_bytes: int | None = None
    zone_bytes: int = 0


@dataclass(frozen=True, slots=True)
class Description:
    """A machine: ``kernel`` is what boots where nothing else is said, empty for nothing.
    ``kernels`` are roots (with ``boot`` and ``lib/modules``) in which releases are looked for.
    ``accelerator`` is ``kvm``, ``tcg`` or ``auto``; ``boot_s`` is how long it may take to boot."""

    name: str
    disks: tuple[Disk, ...]
    kernel: str = ""
    kernels: tuple[str, ...] = ()
    cpus: int = 2
    memory_bytes: int = 1 << 30
    accelerator: str = "auto"
    cmdline: str = ""
    modules: tuple[str, ...] = ()
    programs: tuple[str, ...] = field(default=())
    boot_s: float = 300.0


def read_description(path: Path) -> Description:
    """What the file says; paths in it are from its folder on. Errors as for ``read_described``."""
    return _described(path, read_described(path, "vm"))


def bytes_of(text: str | int) -> int:
    """``4g``: a number of bytes, of powers of 1024."""
    word = str(text).lower().removesuffix("b").removesuffix("i")
    return int(word) if word.isdigit() else int(word[:-1]) << _UNITS[word[-1]]


def _described(path: Path, said: Mapping[str, Any]) -> Description:
    folder = path.resolve().parent
    return Description(
        name=_name(path, said),
        disks=tuple(_disk(name, each, folder) for name, each in said.get("disks", {}).items()),
        kernel=_kernel(said.get("kernel", ""), folder),
        kernels=tuple(str(folder / each) for each in said.get("kernels", ())),
        cpus=said.get("cpus", 2),
        memory_bytes=_memory(path, said),
        accelerator=said.get("accelerator", "auto"),
        cmdline=said.get("cmdline", ""),
        modules=tuple(said.get("modules", ())),
        programs=tuple(said.get("programs", ())),
        boot_s=float(said.get("boot_seconds", 300)),
    )


def _name(path: Path, said: Mapping[str, Any]) -> str:
    """It goes into options of QEMU's, the kernel's command line and names of files."""
    name: str = said.get("name", path.stem)
    if not _NAME.fullmatch(name):
        raise SpecError(
            f"{path}: {name!r} is no name of a machine",
            remedy="say name: in the file, up to 63 letters, digits and _ . - (not first)",
        )
    return name


def _memory(path: Path, said: Mapping[str, Any]) -> int:
    memory = bytes_of(said.get("memory", "1g"))
    if memory < _LEAST_MEMORY:
        raise SpecError(
            f"{path}: memory: {memory:,} bytes are too few for a machine",
            remedy="at least 512m: without a unit the number is of bytes",
        )
    return memory


def _kernel(said: str | float, folder: Path) -> str:
    text = str(said)
    return str(folder / text) if "/" in text else text


def _disk(name: str, said: Mapping[str, Any], folder: Path) -> Disk:
    interface = said.get("interface", "virtio-blk")
    return Disk(
        name=name,
        interface=interface,
        size_bytes=bytes_of(said["size"]) if "size" in said else 0,
        file=folder / said["file"] if "file" in said else None,
        device=said.get("device", ""),
        destroy=_destroy(said["destroy"]) if "destroy" in said else None,
        iops=said.get("iops"),
        bw_bytes=bytes_of(said["bw"]) if "bw" in said else None,
        zone_bytes=bytes_of(said.get("zone_size", "64m")) if interface == "zns" else 0,
    )


def _destroy(said: Mapping[str, Any]) -> Destroy:
    holds = said.get("holds", ())
    return Destroy(
        serial=said.get("serial"),
        wwn=said.get("wwn"),
        model=said.get("model"),
        size_bytes=bytes_of(said["size"]) if "size" in said else None,
        by_id=said["by_id"].removeprefix("/dev/disk/by-id/") if "by_id" in said else None,
        backing=said.get("backing"),
        holds=(holds,) if isinstance(holds, str) else tuple(holds),
    )
