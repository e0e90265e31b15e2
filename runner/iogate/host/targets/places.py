"""What stands at a path, so that it is known again whatever its name becomes."""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.host.devices.block_devices import device_by_number
from iogate.host.devices.mounts import mounts
from iogate.host.foreseen import answers, looked_at
from iogate.host.read_ahead import ReadAhead
from iogate.model.place import Identity, Place, PlaceKind
from iogate.sut.base import FileStat, Sut


def identity_of(sut: Sut, path: str) -> Identity | None:
    """The identity of what a path leads to, links followed; None where nothing is, or what is
    there is neither a block device, nor a regular file, nor a directory."""
    status = sut.stat(path)
    kind = _kind(status) if status else None
    if status is None or kind is None:
        return None
    if kind is not PlaceKind.BLOCK:
        return Identity(kind, status.device, status.inode)
    device = device_by_number(sut, status.rdev)
    if device is None:
        return None
    diskseq = (sut.read_text(f"/sys/block/{device.disk}/diskseq") or "0").strip()
    return Identity(
        kind, status.device, status.inode, status.rdev, int(diskseq or 0), device.size_bytes
    )


def place_of(sut: Sut, path: str) -> Place:
    """Where a path leads, looked up once, with what is found there: no link is left in it. A
    device is named by the kernel's own node, where that is one of it. RefusedError for a link that
    another user has put into a folder where all users may: it leads where he likes."""
    sut = looked_at(sut, f"place {path}")
    ((real, strange),) = answers(sut, "way", [path])
    if strange:
        raise RefusedError(
            f"{strange} is a link of another user, in a folder that all users may write",
            remedy="name the place that it leads to, if that is meant",
        )
    identity = identity_of(sut, real)
    if (
        identity
        and identity.kind is PlaceKind.BLOCK
        and (device := device_by_number(sut, identity.rdev))
    ):
        node = identity_of(sut, device.path)
        if node and node.rdev == identity.rdev and sut.real_path(device.path) == device.path:
            return Place(device.path, node)
    return Place(real, identity)


def changed(sut: Sut, place: Place) -> str:
    """What has become of a place since it was looked up; empty when it is as it was."""
    sut = ReadAhead(sut).read((), [place.path])
    if sut.real_path(place.path) != place.path:
        return "a link stands in its path now"
    now, before = identity_of(sut, place.path), place.identity
    if now == before:
        return ""
    if now is None or before is None:
        there = sut.stat(place.path) is not None
        return "something else stands there now" if there else "it is gone"
    return _difference(before, now)


def _difference(before: Identity, now: Identity) -> str:
    if now.kind is not before.kind or now.kind is not PlaceKind.BLOCK:
        return f"another {now.kind} stands there now"
    if now.rdev != before.rdev:
        return f"it is device {now.rdev} now, and was {before.rdev}"
    if now.diskseq != before.diskseq:
        return "another disk or image is behind it now"
    if now.size_bytes != before.size_bytes:
        return f"it has {now.size_bytes} bytes now, and had {before.size_bytes}"
    return "another node stands there now"


def real_names(sut: Sut, path: str) -> tuple[str, ...]:
    """Every path by which the mounts of this process reach what stands at ``path``, its own
    first: a bind mount shows a file under a second name."""
    seen = mounts(sut)
    above = [mount for mount in seen if _below(path, mount.point)]
    if not above:
        return (path,)
    here = max(above, key=lambda mount: len(mount.point))
    within = f"{here.root.rstrip('/')}{path[len(here.point.rstrip('/')) :]}"
    others = [
        f"{mount.point.rstrip('/')}{within[len(mount.root.rstrip('/')) :]}" or "/"
        for mount in seen
        if mount.number == here.number and _below(within, mount.root)
    ]
    return tuple(dict.fromkeys((path, *others)))


def _below(path: str, folder: str) -> bool:
    base = folder.rstrip("/")
    return path == base or path.startswith(f"{base}/")


def _kind(status: FileStat) -> PlaceKind | None:
    if status.is_block:
        return PlaceKind.BLOCK
    if status.is_file:
        return PlaceKind.FILE
    return PlaceKind.DIRECTORY if status.is_directory else None
