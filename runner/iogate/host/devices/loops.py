"""The loop devices of this host that stand on something, whatever its name became."""

from __future__ import annotations

from dataclasses import dataclass

from iogate.host.devices.block_devices import find_device, node_of
from iogate.host.devices.overlays import FileId, file_ids
from iogate.host.foreseen import answers
from iogate.sut.base import LoopStatus, Sut

_ENDLESS = 1 << 64


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop device that is attached. ``lower`` is the number of the device that holds its
    blocks; of one over a file, ``image`` is where that file lives and its inode, and ``images``
    are those of files below it, too. They are empty where neither the kernel nor a path tells.
    ``backing`` is the path of what it was made over, as far as the kernel knows that now.
    ``start`` and ``end`` are the bytes there."""

    name: str
    lower: str
    image: FileId | None
    images: frozenset[FileId]
    start: int
    end: int
    backing: str = ""

    @property
    def path(self) -> str:
        return node_of(self.name)

    def shares(self, other: Loop) -> bool:
        """Whether both stand on the same thing, and on the same part of it."""
        of_device = self.lower != "" and self.lower == other.lower
        same = of_device or not self.images.isdisjoint(other.images)
        return same and self.start < other.end and other.start < self.end


def loops(sut: Sut) -> tuple[Loop, ...]:
    """All that are attached."""
    names = [name for name in sut.list_dir("/sys/block") if name.startswith("loop")]
    said = {name: sut.read_text(f"/sys/block/{name}/loop/backing_file") for name in names}
    attached = {name: backing for name, backing in said.items() if backing is not None}
    known = answers(sut, "loop_status", [node_of(name) for name in attached])
    return tuple(
        _loop(sut, name, backing, status)
        for (name, backing), status in zip(attached.items(), known, strict=True)
    )


def _loop(sut: Sut, name: str, backing: str, status: LoopStatus | None) -> Loop:
    path = backing.strip("\n").removesuffix(" (deleted)")
    if status is None:
        return _by_path(sut, name, path)
    start = status.offset_bytes
    end = start + status.limit_bytes if status.limit_bytes else _ENDLESS
    image = None if status.rdev else (status.device, status.inode)
    return Loop(name, status.rdev, image, _images(sut, path, image), start, end, path)


def _by_path(sut: Sut, name: str, backing: str) -> Loop:
    """As well as can be known of a loop device that this user may not open."""
    device, status = find_device(sut, backing), sut.stat(backing)
    image = (status.device, status.inode) if status and status.is_file else None
    number = device.number if device else ""
    return Loop(name, number, image, _images(sut, backing, image), 0, _ENDLESS, backing)


def _images(sut: Sut, path: str, image: FileId | None) -> frozenset[FileId]:
    """An image and what is below it, where the path still leads to it."""
    if image is None:
        return frozenset()
    known = file_ids(sut, path)
    return known if image in known else frozenset({image})
