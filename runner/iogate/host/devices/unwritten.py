"""Whether a case would read what was never written. Such reads may be answered without the
storage: from a table in memory, by a thin layer, or by a drive that knows that it was trimmed."""

from __future__ import annotations

import random
from dataclasses import dataclass

from iogate.host.devices.block_devices import find_device
from iogate.host.devices.mounts import mount_of
from iogate.host.foreseen import looked_at
from iogate.jobs import estimate
from iogate.model.plan import Case
from iogate.model.spec import TargetKind
from iogate.sut.base import Sut

SAMPLES = 64
MOST_SHARE = 0.1
_BLOCK = 4096
_SQUEEZING = ("zfs", "bcachefs", "squashfs")


@dataclass(frozen=True, slots=True)
class Unwritten:
    """``share`` of the blocks that a case reads hold nothing, None where that is not known or
    it reads none; ``warnings`` say what that means."""

    share: float | None = None
    warnings: tuple[str, ...] = ()


def look_for_unwritten(sut: Sut, case: Case, place: str) -> Unwritten:
    """A look at SAMPLES blocks within what the case's jobs read of the device or the file at
    ``place``, and at what its jobs write where that is stored in less room. Writes nothing.
    ``sut`` may be a look at the machine, which goes on."""
    sut = looked_at(sut, f"unwritten {case.target.name}")
    plain = _shrinks(sut, case, place)
    share = _share(sut, case, place)
    if share is None or share <= MOST_SHARE:
        return Unwritten(share, plain)
    blank = round(share * SAMPLES)
    text = (
        f"{blank} of {SAMPLES} blocks looked at of what this reads of {place} were never written, "
        "or hold zeros alone: reading them may not reach the storage. Write all of it first"
    )
    device = case.target.is_block
    hint = " (precondition: { fill: { bs: 1m } })" if device else ""
    return Unwritten(share, (f"{text}{hint}", *plain))


def _share(sut: Sut, case: Case, place: str) -> float | None:
    total = _size(sut, case, place)
    ranges = [each for each in estimate.reads(case, total) if each[1] - each[0] >= _BLOCK]
    if not ranges:
        return None
    # No need of chance: the same case looks at the same blocks in each repetition.
    chance = random.Random(case.id)  # noqa: S311
    offsets = [_block(chance, ranges) for _ in range(SAMPLES)]
    blank = sut.blank_blocks(place, sorted(offsets), _BLOCK)
    return None if blank is None else blank / SAMPLES


def _block(chance: random.Random, ranges: list[tuple[int, int]]) -> int:
    start, end = chance.choice(ranges)
    return chance.randrange(-(-start // _BLOCK), max(end // _BLOCK, start // _BLOCK + 1)) * _BLOCK


def _size(sut: Sut, case: Case, place: str) -> int:
    """Of a device, or of a file that was there before the run; else 0."""
    if case.target.is_block:
        device = find_device(sut, place)
        return device.size_bytes if device else 0
    status = sut.stat(place) if case.target.kind is TargetKind.FILE else None
    return status.size_bytes if status and status.is_file else 0


def _shrinks(sut: Sut, case: Case, place: str) -> tuple[str, ...]:
    """A warning for data that compress or repeat, where something below makes less of them."""
    why = estimate.plain_data(case)
    below = _squeezer(sut, case, place) if why else ""
    if not below:
        return ()
    text = f"{why} lets {below} store next to nothing of what this writes or lays out"
    return (f"{text}: leave it out, or measure where nothing is compressed",)


def _squeezer(sut: Sut, case: Case, place: str) -> str:
    """What compresses below the place: a zram disk, or a filesystem mounted so."""
    device = find_device(sut, place) if case.target.is_block else None
    if device:
        return device.path if device.disk.startswith("zram") else ""
    mount = mount_of(sut, place)
    if mount is None:
        return ""
    options = [word.partition("=") for word in mount.options.split(",")]
    packed = any(name.startswith("compress") and value != "no" for name, _, value in options)
    return f"{mount.fs_type} at {mount.point}" if packed or mount.fs_type in _SQUEEZING else ""
