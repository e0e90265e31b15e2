"""What an engine leaves in its folder, without the rights that it may have given itself."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from iogate.files import bounded

_PASSED_ON = stat.S_ISUID | stat.S_ISGID
_PLAIN = 0o1777


def without_passed_on(folder: Path) -> None:
    """No file below a folder runs as its owner or group when another user calls it. No link is
    followed; what cannot be looked at is left."""
    for above, _folders, names in os.walk(folder):
        for name in names:
            with suppress(OSError):
                _take_away(Path(above) / name)


def _take_away(path: Path) -> None:
    if not path.lstat().st_mode & _PASSED_ON:
        return
    handle = bounded.open_file(path)
    try:
        os.fchmod(handle, os.fstat(handle).st_mode & _PLAIN)
    finally:
        os.close(handle)
