"""Where iogate keeps what is not of one run folder: locks and journals of the host, notes and
histories of a user.

What is of the host lies in places that no variable of the environment decides: two runs that
do not see each other's lock measure each other. What is of a user follows the XDG base
directories.
"""

from __future__ import annotations

import errno
import os
import pwd
from contextlib import suppress
from pathlib import Path

from iogate.errors import RefusedError

LOCKS = Path("/run/lock")  # all users may make files there, and nobody may remove another's


def host_lock_path() -> Path:
    """The file whose lock is the host."""
    return LOCKS / "iogate.lock"


def journal_folders() -> tuple[Path, ...]:
    """Where journals of this user may lie; the first that can be written takes a new one. Some
    systems keep LOCKS for root."""
    uid = os.geteuid()
    folders = [LOCKS, Path(f"/run/user/{uid}")]
    with suppress(KeyError):
        folders.append(Path(pwd.getpwuid(uid).pw_dir) / ".local/state/iogate")
    return tuple(folders)


def state_folder() -> Path:
    """iogate's own folder for notes of this user. RefusedError where there can be none."""
    return _of_user("XDG_STATE_HOME", ".local/state")


def data_folder() -> Path:
    """iogate's own folder for histories of this user. RefusedError where there can be none."""
    return _of_user("XDG_DATA_HOME", ".local/share")


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


def _of_user(variable: str, usual: str) -> Path:
    """The base directory specification has relative paths ignored."""
    given = Path(os.environ.get(variable, ""))
    if given.is_absolute():
        return given / "iogate"
    try:
        return Path.home() / usual / "iogate"
    except RuntimeError:
        raise RefusedError(
            "this user has no home folder",
            remedy=f"set {variable} to a folder that can be written",
        ) from None
