"""What an engine leaves in its folder, without the rights that it may have given itself."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_PASSED_ON = stat.S_ISUID | stat.S_ISGID
_PLAIN = 0o1777
_DEEPEST = 16  # folders within folders; an engine makes none
_WAY = os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC


def without_passed_on(folder: Path) -> None:
    """No file below a folder runs as its owner or group when another user calls it: what lies
    deeper than is looked for is shut to others. No link is followed."""
    with suppress(OSError):
        _look_at(str(folder), None, 0)


def _look_at(name: str, above: int | None, depth: int) -> None:
    """A file or folder. What it is, is asked of what is opened, and changed there: a process of the
    engine may be left that puts a link in its place."""
    way = os.open(name, _WAY, dir_fd=above)
    try:
        mode = os.fstat(way).st_mode
        if not stat.S_ISDIR(mode):
            if mode & _PASSED_ON and not stat.S_ISLNK(mode):
                _set_mode(way, mode & _PLAIN)
        elif depth > _DEEPEST:
            _set_mode(way, stat.S_IRWXU)
        else:
            _go_through(way, mode, depth)
    finally:
        os.close(way)


def _go_through(way: int, mode: int, depth: int) -> None:
    if mode & stat.S_IRWXU != stat.S_IRWXU:  # its owner could not list it, and others go in
        _set_mode(way, mode & _PLAIN | stat.S_IRWXU)
    handle = os.open(f"/proc/self/fd/{way}", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        with os.scandir(handle) as entries:
            for entry in entries:
                with suppress(OSError):
                    _look_at(entry.name, handle, depth + 1)
    finally:
        os.close(handle)


def _set_mode(way: int, mode: int) -> None:
    Path(f"/proc/self/fd/{way}").chmod(mode)
