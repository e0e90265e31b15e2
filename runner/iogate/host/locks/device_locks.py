"""The devices of a run are locked as well: where a container has a /run/lock of its own, the
host lock of another does not keep its runs away.

The lock is flock on the node of the whole disk, the one that systemd-udevd respects: while a
run makes and unmakes filesystems there, udev does not open the device either. Who may not
open a device cannot lock it, and keeps nobody from it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial

from iogate.errors import RefusedError, RunError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import remedy_without_rights
from iogate.host.locks.host_lock import HeldError, Patience, acquire
from iogate.host.targets.check import Use
from iogate.model.spec import TargetKind
from iogate.sut.base import LockFile, Sut

_UDEV_S = 10.0  # it holds the lock for a moment whenever a device changes


@contextmanager
def device_locks(sut: Sut, devices: Sequence[Device], patience: Patience) -> Iterator[None]:
    """Hold each device, in the order of their names so that no two runs wait for each other.
    HeldError when another process holds one; RefusedError when one cannot be opened."""
    with ExitStack() as held:
        nodes = {_node(sut, device): device for device in devices}
        for node in sorted(nodes):
            lock = _open(sut, node, nodes[node])
            held.callback(lock.close)
            _acquire(sut, lock, node, patience)
        yield


@contextmanager
def folder_locks(sut: Sut, folders: Sequence[str], patience: Patience) -> Iterator[None]:
    """Hold folders, as ``device_locks`` does devices. Runs that share the host are kept so
    from one file: the file itself may not be there yet."""
    with ExitStack() as held:
        for folder in sorted(set(folders)):
            try:
                lock = sut.lock_node(folder)
            except RunError as error:
                raise RefusedError(
                    error.what, remedy="let this user read it, or leave out exclusive: false"
                ) from error
            held.callback(lock.close)
            _acquire(sut, lock, folder, patience)
        yield


def used_folders(uses: Sequence[Use]) -> tuple[str, ...]:
    """The folders of the files that targets are."""
    files = (use.target.path for use in uses if use.target.kind is TargetKind.FILE)
    return tuple(posixpath.dirname(path) or "." for path in files)


def used_devices(sut: Sut, uses: Sequence[Use]) -> tuple[Device, ...]:
    """The devices that targets are, or have their filesystem on."""
    targets = (
        each
        for use in uses
        for each in use.target.made_on or (use.target,)
        if each.kind is TargetKind.DEVICE
    )
    devices = (find_device(sut, each.path) for each in targets)
    return tuple(device for device in devices if device)


def _node(sut: Sut, device: Device) -> str:
    """The whole disk, by udev's rule; its partition where this user may open that alone."""
    disk = f"/dev/{device.disk}"
    return disk if sut.can_read(disk) else device.path


def _open(sut: Sut, node: str, device: Device) -> LockFile:
    try:
        lock = sut.lock_node(node)
    except RunError as error:
        raise RefusedError(
            error.what,
            remedy=remedy_without_rights(node),
        ) from error
    status = lock.stat()
    is_it = node != device.path or status.rdev == device.number
    if not status.is_block or not is_it:
        lock.close()
        raise RefusedError(f"{node} is not the device {device.number}", remedy="see lsblk")
    return lock


def _acquire(sut: Sut, lock: LockFile, node: str, patience: Patience) -> None:
    held = HeldError(
        f"{node} is locked by another process",
        remedy="wait for it (--wait 10m), or stop it: it may be a run in another container",
    )
    wait_s = max(patience.wait_s, _UDEV_S)
    own = Patience(wait_s, patience.on_wait, patience.give_up)
    acquire(lock, own, partial(_who, sut, node), held)


def _who(sut: Sut, node: str) -> str:
    """The processes that have the device open, as far as they can be seen."""
    others = [str(pid) for pid in sut.openers(node)]
    return f"open in process {', '.join(others[:8])}" if others else "by none that is seen here"
