"""QEMU's command line for a machine, and whether this host can run it by KVM."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from iogate.errors import RefusedError
from iogate.vm.description import Description, Disk
from iogate.vm.kernels import Kernel

PROGRAM = "qemu-system-x86_64"
_KVM = "/dev/kvm"
_BARE = ("-nodefaults", "-no-user-config", "-display", "none", "-M", "q35")
_QUIT = b'{"execute": "qmp_capabilities"}\n{"execute": "quit"}\n'
_PROBE_TIMEOUT_S = 30
CMDLINE = (
    "console=ttyS0 rdinit=/init panic=-1 oops=panic softlockup_panic=1 hung_task_panic=1 "
    "kernel.watchdog_thresh=60"
)
"""A kernel that oopses or hangs ends the machine: what it measures then is nothing."""
_NO_CHANGE = "elevateprivileges=deny,"
_FIRST = '"$@"; exit $?'  # a shell that stays
_SHUT = f"on,obsolete=deny,{_NO_CHANGE}spawn=deny,resourcecontrol=deny"


@dataclass(frozen=True, slots=True)
class Boot:
    """What one boot is made of: ``initramfs`` is a file, ``disks`` the file of each disk by name,
    ``console`` and ``line`` the numbers of a pipe and a socket that QEMU inherits. ``variables``
    are those of the environment that the guest's side of iogate has."""

    kernel: Kernel
    initramfs: Path
    console: int
    disks: Mapping[str, Path]
    line: int
    accelerator: str
    variables: Mapping[str, str]


def accelerator_of(description: Description) -> str:
    """``kvm`` or ``tcg``. RefusedError for kvm where it does not work, and without QEMU."""
    if platform.machine() != "x86_64":
        raise RefusedError(
            f"virtual machines are for x86-64, and this is {platform.machine()}",
            remedy="run iogate on an x86-64 machine, or measure on hosts: ssh:HOST",
        )
    if shutil.which(PROGRAM) is None:
        raise RefusedError(
            f"there is no {PROGRAM} here", remedy="install QEMU (Debian: qemu-system-x86)"
        )
    if description.accelerator == "tcg":
        return "tcg"
    if _has_kvm():
        return "kvm"
    if description.accelerator == "kvm":
        raise RefusedError(
            f"{_KVM} does not work here", remedy="use accelerator: tcg, which emulates CPUs"
        )
    return "tcg"


def _has_kvm() -> bool:
    """Whether a machine really starts by it: a host that is a guest itself may have the device and
    fail then."""
    if not os.access(_KVM, os.R_OK | os.W_OK):
        return False
    argv = [PROGRAM, *_BARE, "-accel", "kvm", "-cpu", "host", "-S", "-qmp", "stdio"]
    try:
        done = subprocess.run(
            argv, input=_QUIT, capture_output=True, check=False, timeout=_PROBE_TIMEOUT_S
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def command(description: Description, boot: Boot) -> list[str]:
    """QEMU's words. It dies with whoever starts it, has no network and no monitor, may start
    nothing, and is not root."""
    cpu = "host" if boot.accelerator == "kvm" else "max"
    return [
        *(*_keeper(), PROGRAM),
        *(*_BARE, "-no-reboot", *_rights()),
        *("-name", description.name, "-accel", boot.accelerator, "-cpu", cpu),
        *("-smp", str(description.cpus), "-m", f"{description.memory_bytes >> 20}M"),
        *("-smbios", f"type=1,manufacturer=QEMU,product={product(boot.accelerator)}"),
        *("-kernel", str(boot.kernel.image), "-initrd", str(boot.initramfs)),
        *("-append", _append(description, boot)),
        *("-serial", f"file:/proc/self/fd/{boot.console}"),
        *("-chardev", f"socket,id=line,fd={boot.line}", "-device", "virtio-serial-pci"),
        *("-device", "virtserialport,chardev=line,name=iogate", "-device", "virtio-rng-pci"),
        *(word for disk in description.disks for word in _disk(disk, boot.disks[disk.name])),
    ]


def _keeper() -> tuple[str, ...]:
    """What ends QEMU with whoever starts it, hung or not. The kernel forgets that of a process
    that becomes another user: then it goes with the first process of its namespace."""
    keeper = ("setpriv", "--pdeathsig", "KILL", "--")
    if os.geteuid() != 0:
        return keeper
    return (*keeper, "unshare", "--pid", "--fork", "--kill-child", "--", "sh", "-c", _FIRST, "sh")


def _rights() -> tuple[str, ...]:
    """What is left of this user's rights once its files are open. Root becomes nobody, which the
    strictest of the sandbox's rules would forbid."""
    if os.geteuid() != 0:
        return ("-sandbox", _SHUT)
    told = subprocess.run([PROGRAM, "-help"], capture_output=True, check=False).stdout
    how = ("-run-with", "user=nobody") if b"-run-with" in told else ("-runas", "nobody")
    return ("-sandbox", _SHUT.replace(_NO_CHANGE, ""), *how)


def product(accelerator: str) -> str:
    """What the guest believes that it is: machines of two accelerators are never compared."""
    return f"virtual machine ({accelerator})"


def _append(description: Description, boot: Boot) -> str:
    variables = [f"{name}={value}" for name, value in boot.variables.items()]
    return " ".join(filter(None, (CMDLINE, *variables, description.cmdline)))


def _disk(disk: Disk, file: Path) -> Iterator[str]:
    limits = {"throttling.iops-total": disk.iops, "throttling.bps-total": disk.bw_bytes}
    bounds = "".join(f",{name}={value}" for name, value in limits.items() if value)
    # A comma in a value is written twice.
    place = str(file).replace(",", ",,")
    cache = "none" if _takes_direct(file) else "writeback"
    yield "-drive"
    yield f"if=none,id={disk.name},file={place},format=raw,discard=unmap,cache={cache}{bounds}"
    yield "-device"
    if disk.interface == "virtio-blk":
        yield f"virtio-blk-pci,drive={disk.name},serial={disk.name}"
    elif disk.interface == "nvme":
        yield f"nvme,drive={disk.name},serial={disk.name}"
    else:
        yield f"nvme,id=c-{disk.name},serial={disk.name}"
        yield "-device"
        zoned = f"zoned=true,zoned.zone_size={disk.zone_bytes}"
        yield f"nvme-ns,bus=c-{disk.name},drive={disk.name},{zoned}"


def _takes_direct(file: Path) -> bool:
    try:
        os.close(os.open(file, os.O_RDONLY | os.O_DIRECT | os.O_CLOEXEC))
    except OSError:
        return False
    return True
