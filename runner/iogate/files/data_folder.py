"""Where iogate keeps the histories of a user, by the XDG base directories."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from iogate.errors import RefusedError


def data_folder() -> Path:
    """iogate's own folder for histories of this user. RefusedError where there can be none."""
    given = Path(os.environ.get("XDG_DATA_HOME", ""))
    if given.is_absolute():  # the specification has relative paths ignored
        return given / "iogate"
    try:
        return Path.home() / ".local/share/iogate"
    except RuntimeError:
        raise RefusedError(
            "this user has no home folder",
            remedy="set XDG_DATA_HOME to a folder that can be written",
        ) from None


def make_folder(folder: Path, variable: str) -> Path:
    """The folder, made where it is missing. RefusedError when it cannot be made or written;
    ``variable`` is what names another."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        reason = "" if os.access(folder, os.W_OK | os.X_OK) else os.strerror(errno.EACCES)
    except OSError as error:
        reason = str(error.strerror)
    if reason:
        raise RefusedError(
            f"{folder} cannot be written: {reason}",
            remedy=f"let this user write it, or set {variable} to a folder that can be written",
        )
    return folder
