"""What is made once for virtual machines and used again: ``$XDG_CACHE_HOME/iogate``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from iogate.files.data_folder import make_folder

_KEPT = 4


def cache_folder(name: str) -> Path:
    """A folder of this user's. RefusedError where it cannot be made."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    root = given if given.is_absolute() else Path.home() / ".cache"
    return make_folder(root / "iogate" / name, "XDG_CACHE_HOME")


def _prune(folder: Path) -> None:
    """Leave room for another one: each iogate, and each change of a program, makes one."""
    newest_last = sorted(folder.glob("*"), key=lambda path: path.stat().st_mtime)
    for old in newest_last[: 1 - _KEPT]:
        old.unlink(missing_ok=True)


def cached(name: str, make: Callable[[], bytes]) -> Path:
    """The file of this name below ``initramfs``, made where it is missing: whole, or not there."""
    place = cache_folder("initramfs") / name
    if not place.exists():
        _prune(place.parent)
        fresh = place.with_name(f".{name}.{token_hex(4)}")
        fresh.write_bytes(make())
        fresh.replace(place)
    return place
