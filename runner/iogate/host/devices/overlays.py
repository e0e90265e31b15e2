"""What is below a file that is seen through an overlay: it has another number there, and the same
bytes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from iogate.host.devices.mounts import Mount, mount_of, mounts, plain
from iogate.sut.base import Sut

FileId = tuple[str, int]
"""The device that a file is on, and its inode."""
_COLON = re.compile(r"(?<!\\):")
_DEEPEST = 4  # overlays over overlays: the kernel takes two


def file_ids(sut: Sut, path: str, *, written: bool = False) -> frozenset[FileId]:
    """What a file is, by its own number and by that of each file below it. What is to be
    ``written`` and is not in the writable layer yet is copied there first: nothing below
    changes."""
    return frozenset(_ids(sut, path, written, _DEEPEST))


def unseen_overlay(sut: Sut, path: str) -> str:
    """The mount point of an overlay that shows a file which is in none of the layers that can be
    found, so that nobody can say what is written; empty where it is. In a container / is such a
    one, and its layers are out of reach of what runs there."""
    mount = _overlay_of(sut, path) if sut.stat(path) else None
    if mount is None or not _layers(mount, "upperdir"):
        return ""
    if _found_upper(sut, mount) and _below(sut, mount, path, written=False):
        return ""
    own = any(each.point == "/" and each.number == mount.number for each in mounts(sut))
    return "" if own else mount.point


def written_folder(sut: Sut, folder: str) -> str:
    """The writable layer of the overlay that a folder is on; empty where there is none."""
    mount = _overlay_of(sut, folder)
    return _found_upper(sut, mount) if mount else ""


def _ids(sut: Sut, path: str, written: bool, depth: int) -> Iterator[FileId]:
    status = sut.stat(path)
    if status is None or not status.is_file:
        return
    yield status.device, status.inode
    mount = _overlay_of(sut, path) if depth else None
    if mount and (below := _below(sut, mount, path, written=written)):
        yield from _ids(sut, below, written, depth - 1)


def _overlay_of(sut: Sut, path: str) -> Mount | None:
    """Where there is none on the machine, nothing is looked up."""
    if all(each.fs_type != "overlay" for each in mounts(sut)):
        return None
    mount = mount_of(sut, path)
    return mount if mount and mount.fs_type == "overlay" else None


def _below(sut: Sut, mount: Mount, path: str, *, written: bool) -> str:
    """The path of a file in the first layer that has it; empty where none has."""
    within = f"{mount.root.rstrip('/')}{sut.real_path(path)[len(mount.point.rstrip('/')) :]}"
    layers = [*_layers(mount, "upperdir"), *(() if written else _layers(mount, "lowerdir"))]
    places = (f"{place}{within}" for layer in layers for place in _places(sut, mount, layer))
    return next((place for place in places if sut.stat(place)), "")


def _found_upper(sut: Sut, mount: Mount) -> str:
    layers = _layers(mount, "upperdir")
    uppers = (place for layer in layers for place in _places(sut, mount, layer))
    return next((place for place in uppers if sut.stat(place)), "")


def _layers(mount: Mount, kind: str) -> list[str]:
    options = (plain(each).partition("=") for each in mount.options.split(","))
    values = [value for name, _, value in options if name.rstrip("+") == kind]
    layers = [layer for value in values for layer in _COLON.split(value)]
    return [layer.replace("\\:", ":") for layer in layers if layer]


def _places(sut: Sut, mount: Mount, layer: str) -> list[str]:
    """Where a layer may be: the kernel shows it as it was given, perhaps from the folder that
    somebody was in, which is looked for above where the overlay is mounted."""
    if layer.startswith("/"):
        return [layer]
    points = [PurePosixPath(each.point) for each in mounts(sut) if each.number == mount.number]
    folders = dict.fromkeys(folder for point in points for folder in point.parents)
    return [str(folder / layer) for folder in folders]
