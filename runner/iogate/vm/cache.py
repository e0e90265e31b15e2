"""What is made once for virtual machines and used again: ``$XDG_CACHE_HOME/iogate``."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from secrets import token_hex

from iogate.errors import RefusedError
from iogate.files.data_folder import make_folder

KEPT = 4
"""So many stay of what is made once, the newest."""


def cache_folder(name: str) -> Path:
    """A folder of this user's. RefusedError where it cannot be made."""
    given = Path(os.environ.get("XDG_CACHE_HOME", ""))
    root = given if given.is_absolute() else Path.home() / ".cache"
    return make_folder(root / "iogate" / name, "XDG_CACHE_HOME")


def changed(path: Path) -> float:
    """When, in seconds since 1970; 0 for what another iogate has removed meanwhile."""
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _prune(folder: Path) -> None:
    """Leave room for another one: each iogate, and each change of a program, makes one."""
    newest_last = sorted(folder.glob("*"), key=changed)
    for old in newest_last[: 1 - KEPT]:
        old.unlink(missing_ok=True)


def cached(name: str, make: Callable[[], bytes]) -> Path:
    """The file of this name below ``initramfs``, made where it is missing: whole, or not there.
    RefusedError where there is no room for it."""
    place = cache_folder("initramfs") / name
    if not place.exists():
        _prune(place.parent)
        fresh = place.with_name(f".{name}.{token_hex(4)}")
        data = make()
        try:
            fresh.write_bytes(data)
            fresh.replace(place)
        except OSError as error:
            fresh.unlink(missing_ok=True)
            raise RefusedError(
                f"cannot keep {len(data):,} bytes as {place}: {error.strerror}",
                remedy="make room there, or name another folder: XDG_CACHE_HOME",
            ) from error
    return place
