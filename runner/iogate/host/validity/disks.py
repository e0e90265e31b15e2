"""Where a target's I/O goes, for those who count it."""

from __future__ import annotations

from iogate.host.devices.block_devices import disks_below, find_device
from iogate.host.facts import target_device
from iogate.host.validity.base import TargetDisks
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut


def target_disks(sut: Sut, target: Target, place: str) -> TargetDisks:
    """The disk of a target that is at ``place``, and what its I/O passes."""
    device = find_device(sut, target.device) if target.device else target_device(sut, target, place)
    if device is None:
        return TargetDisks()
    stack = disks_below(sut, device) | {device.disk}
    return TargetDisks(device.disk, stack=stack, raw=target.kind is TargetKind.DEVICE)
