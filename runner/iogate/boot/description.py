"""The file that describes a host that is booted into kernels.

version: 1
address: root@lab3
boot: kexec
kernels:
  old: { image: /boot/vmlinuz-6.1.0-40-amd64, initrd: /boot/initrd.img-6.1.0-40-amd64 }
  new: { image: /boot/vmlinuz-6.12.0, initrd: /boot/initrd.img-6.12.0, cmdline: slab_nomerge }
built: { initrd: /boot/initrd.img-6.12.0 }
power: [ipmitool, -H, lab3-bmc, power, cycle]

It belongs to whoever runs iogate: a spec names nothing but a kernel that stands in it, and where
it says ``built``, one that lies where iogate runs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from iogate.errors import SpecError, UsageError
from iogate.files.described import read_described

DEFAULT = "default"
"""What ``{kernel}`` in a command is for the kernel that the host boots by itself."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,62}")


@dataclass(frozen=True, slots=True)
class HostKernel:
    """A kernel of the host: ``image`` and ``initrd`` are files there, ``entry`` is one of GRUB's
    menu. ``release`` and ``version`` are what ``uname -r`` and ``uname -v`` must print, empty for
    anything; ``words`` are those that its command line must have. ``name`` is ``default`` for the
    one that the host boots by itself."""

    name: str
    image: str = ""
    initrd: str = ""
    entry: str = ""
    words: tuple[str, ...] = ()
    release: str = ""
    version: str = ""
    build_id: str = ""


@dataclass(frozen=True, slots=True)
class Built:
    """What a kernel gets that is built where iogate runs: the ``initrd`` on the host, ``words`` of
    its command line, and ``modules`` beside those that the host has loaded."""

    initrd: str = ""
    words: tuple[str, ...] = ()
    modules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HostDescription:
    """A host: ``boot`` is ``kexec``, ``grub`` or ``command``, whose words are ``command``; those
    of ``power`` switch it off and on, empty for nothing. ``boot_s`` is how long a boot may take.
    Where ``built`` is None it boots nothing but ``kernels``."""

    name: str
    address: str
    boot: str
    kernels: Mapping[str, HostKernel]
    command: tuple[str, ...] = ()
    power: tuple[str, ...] = ()
    boot_s: float = field(default=600.0)
    built: Built | None = None

    def kernel(self, name: str) -> HostKernel:
        """UsageError for one that the file does not have."""
        if name in self.kernels:
            return self.kernels[name]
        ways = [f"name one of {', '.join(self.kernels)}"] if self.kernels else []
        ways += ["add it to the host's file"]
        ways += (
            ["name a file or a tree here"] if self.built else ["say built: there, for those here"]
        )
        raise UsageError(f"host {self.name} has no kernel {name!r}", remedy=", or ".join(ways))


def read_host(path: Path) -> HostDescription:
    """What the file says. Errors as for ``read_described``."""
    said = read_described(path, "host")
    if not said.keys() & {"kernels", "built"}:
        raise SpecError(
            f"{path} has no kernels that the host may be booted into",
            remedy="list them under kernels, or say built: {} for those from here",
        )
    boot = said["boot"]
    way = boot if isinstance(boot, str) else "command"
    return HostDescription(
        name=said.get("name", path.stem),
        address=said["address"],
        boot=way,
        kernels={
            name: _kernel(path, way, name, each) for name, each in said.get("kernels", {}).items()
        },
        command=() if isinstance(boot, str) else tuple(boot["command"]),
        power=tuple(said.get("power", ())),
        boot_s=float(said.get("boot_seconds", 600)),
        built=_built(path, way, said["built"]) if "built" in said else None,
    )


def _built(path: Path, way: str, said: Mapping[str, Any]) -> Built:
    if way != "kexec":
        raise SpecError(
            f"{path}: built: kernels from here are booted by kexec, and this says boot: {way}",
            remedy="write boot: kexec, or leave built out",
        )
    words, modules = said.get("cmdline", ""), said.get("modules", ())
    return Built(said.get("initrd", ""), tuple(words.split()), tuple(modules))


def _kernel(path: Path, way: str, name: Any, said: Mapping[str, Any]) -> HostKernel:
    if not isinstance(name, str) or not _NAME.fullmatch(name) or name == DEFAULT:
        raise SpecError(
            f"{path}: kernels: {name} is no name of a kernel",
            remedy=f"write it in quotes: letters, digits, and . _ + -; not {DEFAULT}",
        )
    needed = {"kexec": "image", "grub": "entry"}.get(way)
    if needed and needed not in said:
        raise SpecError(
            f"{path}: kernels.{name} has no {needed}, which boot: {way} takes",
            remedy="'iogate schema host' prints what such a file may say",
        )
    return HostKernel(
        name=name,
        image=said.get("image", ""),
        initrd=said.get("initrd", ""),
        entry=said.get("entry", ""),
        words=tuple(said.get("cmdline", "").split()),
        release=said.get("release", ""),
        build_id=said.get("build_id", ""),
    )
