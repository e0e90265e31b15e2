"""Where a path of this machine leads, and who has put the links on the way there."""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

_MOST_LINKS = 40  # as the kernel follows


def way(path: str) -> tuple[str, str]:
    """As ``Sut.way`` says."""
    at, links, strange = "/", 0, ""
    todo = os.path.join(os.getcwd(), path).split("/")[::-1]  # noqa: PTH109, PTH118
    while todo:
        part = todo.pop()
        if part == "..":
            at = os.path.dirname(at)  # noqa: PTH120
        if part in ("", ".", ".."):
            continue
        entry = f"{at.rstrip('/')}/{part}"
        text = _link(entry) if links < _MOST_LINKS else ""
        if not text:
            at = entry
            continue
        strange = strange or (entry if _is_strange(entry, at) else "")
        links += 1
        todo.extend(text.split("/")[::-1])
        at = "/" if text.startswith("/") else at
    return at, strange


def _link(path: str) -> str:
    with suppress(OSError, ValueError):
        return str(os.readlink(path))  # noqa: PTH115
    return ""


def _is_strange(link: str, folder: str) -> bool:
    """As the kernel has it (fs.protected_symlinks), wherever that is off, or another program than
    the one that will open it looks the path up. One that is gone by now is somebody's game."""
    try:
        owner, above = Path(link).lstat().st_uid, Path(folder).stat()
    except (OSError, ValueError):
        return True
    return bool(above.st_mode & stat.S_IWOTH) and owner not in (os.geteuid(), above.st_uid)
