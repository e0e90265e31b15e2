"""An initramfs: a cpio archive in the "newc" form, as the kernel's
Documentation/driver-api/early-userspace/buffer-format.rst describes it. Several, one after the
other, are one."""

from __future__ import annotations

import stat
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

_MAGIC = b"070701"
_TRAILER = "TRAILER!!!"
_FIELDS = 13


@dataclass(frozen=True, slots=True)
class Item:
    """What stands at a path: a file's bytes, or a link's text. ``mode`` is as ``stat`` has it."""

    data: bytes
    mode: int


def file(data: bytes, *, runs: bool = False) -> Item:
    """A regular file of root's, which all may read, and run where it ``runs``."""
    return Item(data, stat.S_IFREG | (0o755 if runs else 0o644))


def link(to: str) -> Item:
    """A symbolic link."""
    return Item(to.encode(), stat.S_IFLNK | 0o777)


def folder(mode: int = 0o755) -> Item:
    """An empty folder."""
    return Item(b"", stat.S_IFDIR | mode)


def archive(items: Mapping[str, Item], there: Collection[str] = ()) -> bytes:
    """The items by absolute path, with the folders that they are in, but for those that are
    ``there`` already: the same bytes for the same items."""
    whole = dict(items)
    for path in items:
        for parent in PurePosixPath(path).parents:
            if str(parent) not in ("/", *there):
                whole.setdefault(str(parent), folder())
    parts = [
        _entry(number, path.lstrip("/"), whole[path])
        for number, path in enumerate(sorted(whole), start=1)
    ]
    return b"".join((*parts, _entry(0, _TRAILER, Item(b"", 0))))


def _entry(number: int, name: str, item: Item) -> bytes:
    encoded = name.encode() + b"\0"
    links = 2 if stat.S_ISDIR(item.mode) else 1
    fields = (number, item.mode, 0, 0, links, 0, len(item.data), 0, 0, 0, 0, len(encoded), 0)
    assert len(fields) == _FIELDS
    header = _MAGIC + b"".join(b"%08X" % field for field in fields)
    return _padded(header + encoded) + _padded(item.data)


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
