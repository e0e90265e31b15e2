"""Where a target's I/O goes, for those who count it."""

from __future__ import annotations

from iogate.host.devices.block_devices import disks_below, find_device
from iogate.host.facts import target_device
from iogate.host.validity.base import TargetDisks
from iogate.model.spec import Target, TargetKind
from iogate.sut.base import Sut


def target_disks(sut: Sut, target: Target, place: str) -> TargetDisks:
    """The disk of a target that is at ``place``, of several the first, and what its I/O passes."""
    devices = [find_device(sut, part.path) for part in target.made_on]
    found = [each for each in devices or [target_device(sut, target, place)] if each]
    if not found:
        return TargetDisks()
    if target.array and (joined := target_device(sut, target, place)):
        found.append(joined)
    stack = frozenset({each.disk for each in found}).union(*(disks_below(sut, e) for e in found))
    return TargetDisks(found[0].disk, stack=stack, raw=target.kind is TargetKind.DEVICE)
