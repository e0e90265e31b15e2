"""Where iogate keeps what is about a machine, on that machine: locks and journals of the host,
notes of a user.

What is of the host lies in places that no variable of the environment decides: two runs that
do not see each other's lock measure each other. What is of a user follows the XDG base
directories.
"""

from __future__ import annotations

from iogate.errors import RefusedError
from iogate.sut.base import Sut

LOCKS = "/run/lock"  # all users may make files there, and nobody may remove another's
HOST_LOCK = f"{LOCKS}/iogate.lock"
"""The file whose lock is the host."""


def journal_folders(sut: Sut) -> tuple[str, ...]:
    """Where journals of this user may lie; the first that can be written takes a new one. Some
    systems keep LOCKS for root."""
    machine = sut.about()
    own = (f"{machine.home}/.local/state/iogate",) if machine.home else ()
    return (LOCKS, f"/run/user/{machine.user}", *own)


def state_folder(sut: Sut) -> str:
    """iogate's own folder for notes of this user. RefusedError where there can be none."""
    machine = sut.about()
    given = machine.variables.get("XDG_STATE_HOME", "")
    if given.startswith("/"):  # the specification has relative paths ignored
        return f"{given.rstrip('/')}/iogate"
    home = machine.variables.get("HOME") or machine.home
    if not home:
        raise RefusedError(
            "this user has no home folder",
            remedy="set XDG_STATE_HOME to a folder that can be written",
        )
    return f"{home.rstrip('/')}/.local/state/iogate"
