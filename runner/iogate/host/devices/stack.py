"""The devices whose blocks change when one of them is written: what is above and below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from iogate.host.devices.block_devices import Device, device_by_number, family_of, slaves
from iogate.host.devices.loops import Loop
from iogate.sut.base import Sut


@dataclass(frozen=True, slots=True)
class Stack:
    """``devices`` share blocks with the one that is written, which is the first; ``bare`` are
    those of them that nobody may have claimed. One that is below a dm, md or bcache device is
    claimed by that, and may carry its sisters: it is not among the bare. ``descent`` names the
    loop devices from the one that is written down."""

    devices: tuple[Device, ...]
    bare: tuple[Device, ...]
    descent: frozenset[str]


def stack_of(sut: Sut, device: Device, attached: Sequence[Loop]) -> Stack:
    """Everything below the device, with its family at each step. A loop device over a file ends
    it: the filesystem that holds the file has blocks for it alone."""
    by_name = {loop.name: loop for loop in attached}
    seen: dict[str, Device] = {}
    bare: dict[str, Device] = {}
    descent: set[str] = set()
    todo = [(device, True)]
    while todo:
        current, alone = todo.pop()
        if alone:
            bare.setdefault(current.name, current)
        elif current.name in seen:
            continue
        for member in family_of(sut, current):
            seen.setdefault(member.name, member)
        if loop := by_name.get(current.disk):
            lower = device_by_number(sut, loop.lower) if loop.lower else None
            if loop.name not in descent and lower:
                todo.append((lower, True))
            descent.add(loop.name)
        todo += [(lower, False) for lower in slaves(sut, current)]
    return Stack(tuple(seen.values()), tuple(bare.values()), frozenset(descent))
