"""What stands at a path, so that it is known again whatever its name becomes."""

from __future__ import annotations

from iogate.host.devices import device_by_number
from iogate.model.place import Identity, Place, PlaceKind
from iogate.sut.base import FileStat, Sut


def identity_of(sut: Sut, path: str) -> Identity | None:
    """The identity of what a path leads to, links followed; None where nothing is, or what is
    there is neither a block device, nor a regular file, nor a directory."""
    found = sut.stat(path)
    kind = _kind(found) if found else None
    if found is None or kind is None:
        return None
    if kind is not PlaceKind.BLOCK:
        return Identity(kind, found.device, found.inode)
    device = device_by_number(sut, found.rdev)
    if device is None:
        return None
    diskseq = (sut.read_text(f"/sys/block/{device.disk}/diskseq") or "0").strip()
    return Identity(
        kind, found.device, found.inode, found.rdev, int(diskseq or 0), device.size_bytes
    )


def place_of(sut: Sut, path: str) -> Place:
    """Where a path leads, with what is found there."""
    real = sut.real_path(path)
    return Place(real, identity_of(sut, real))


def _kind(found: FileStat) -> PlaceKind | None:
    if found.is_block:
        return PlaceKind.BLOCK
    if found.is_file:
        return PlaceKind.FILE
    return PlaceKind.DIRECTORY if found.is_directory else None
