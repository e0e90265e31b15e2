"""The devices of a run are locked as well: where a container has a /run/lock of its own, the
host lock of another does not keep its runs away.

The lock is flock on the node of the whole disk, the one that systemd-udevd respects: while a
run makes and unmakes filesystems there, udev does not open the device either. Who may not
open a device cannot lock it, and keeps nobody from it.
"""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from iogate.errors import RefusedError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.locks.host_lock import HeldError, Patience, acquire
from iogate.host.targets.check import Use
from iogate.model.spec import TargetKind
from iogate.sut.base import Sut

_UDEV_S = 10.0  # it holds the lock for a moment whenever a device changes


@contextmanager
def device_locks(devices: Sequence[Device], patience: Patience) -> Iterator[None]:
    """Hold each device, in the order of their names so that no two runs wait for each other.
    HeldError when another process holds one; RefusedError when one cannot be opened."""
    with ExitStack() as held:
        nodes = {_node(device): device for device in devices}
        for node in sorted(nodes):
            handle = _open(node, nodes[node])
            held.callback(os.close, handle)
            _acquire(handle, node, patience)
        yield


@contextmanager
def folder_locks(folders: Sequence[str], patience: Patience) -> Iterator[None]:
    """Hold folders, as ``device_locks`` does devices. Runs that share the host are kept so
    from one file: the file itself may not be there yet."""
    with ExitStack() as held:
        for folder in sorted(set(folders)):
            try:
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            except OSError as error:
                raise RefusedError(
                    f"cannot open {folder} to lock it: {error.strerror}",
                    remedy="let this user read it, or leave out exclusive: false",
                ) from error
            held.callback(os.close, handle)
            _acquire(handle, folder, patience)
        yield


def used_folders(uses: Sequence[Use]) -> tuple[str, ...]:
    """The folders of the files that targets are."""
    files = (use.target.path for use in uses if use.target.kind is TargetKind.FILE)
    return tuple(posixpath.dirname(path) or "." for path in files)


def used_devices(sut: Sut, uses: Sequence[Use]) -> tuple[Device, ...]:
    """The devices that targets are, or have their filesystem on."""
    paths = [
        use.target.device or use.target.path
        for use in uses
        if use.target.kind in (TargetKind.DEVICE, TargetKind.FILESYSTEM)
    ]
    found = (find_device(sut, path) for path in paths)
    return tuple(device for device in found if device)


def _node(device: Device) -> str:
    """The whole disk, by udev's rule; its partition where this user may open that alone."""
    disk = f"/dev/{device.disk}"
    return disk if os.access(disk, os.R_OK) else device.path


def _open(node: str, device: Device) -> int:
    try:
        handle = os.open(node, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise RefusedError(
            f"cannot open {node} to lock it: {error.strerror}",
            remedy=f"run as root, or join the group of the device: ls -l {node} shows it",
        ) from error
    found = os.fstat(handle)
    number = f"{os.major(found.st_rdev)}:{os.minor(found.st_rdev)}"
    is_it = node != device.path or number == device.number
    if not stat.S_ISBLK(found.st_mode) or not is_it:
        os.close(handle)
        raise RefusedError(f"{node} is not the device {device.number}", remedy="see lsblk")
    return handle


def _acquire(handle: int, node: str, patience: Patience) -> None:
    held = HeldError(
        f"{node} is locked by another process",
        remedy="wait for it (--wait 10m), or stop it: it may be a run in another container",
    )
    wait_s = max(patience.wait_s, _UDEV_S)
    own = Patience(wait_s, patience.on_wait, patience.give_up)
    acquire(handle, own, lambda: _who(node), held)


def _who(node: str) -> str:
    """The processes that have the device open, as far as they can be seen."""
    found = (int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit())
    others = [str(pid) for pid in sorted(found) if pid != os.getpid() and _has_open(pid, node)]
    return f"open in process {', '.join(others[:8])}" if others else "by none that is seen here"


def _has_open(pid: int, node: str) -> bool:
    with suppress(OSError):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                if str(link.readlink()) == node:
                    return True
    return False
