"""What is kept of machines below ``$XDG_STATE_HOME/iogate``: their newest consoles, and who uses
them."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path

from iogate.errors import RefusedError
from iogate.files.data_folder import make_folder
from iogate.vm.cache import changed

_KEPT = 50


def new_console(name: str) -> Path:
    """An empty file for a boot of the machine of this name. RefusedError where there can be
    none."""
    folder = _folder("consoles")
    for old in sorted(folder.glob("*.log"), key=changed)[:-_KEPT]:
        old.unlink(missing_ok=True)
    stamp = time.strftime("%Y%m%dT%H%M%S", time.gmtime())
    place = folder / f"{name}-{stamp}-{os.getpid()}-{time.monotonic_ns() % 10**6:06}.log"
    place.touch(mode=0o600)
    return place


def take_machine(name: str, kind: str = "virtual machine") -> int:
    """A descriptor that keeps a machine of this kind for this process. RefusedError while another
    has it: two of one name would be taken for the same in a history."""
    lock = os.open(
        _folder("machines") / f"{kind} {name}.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600
    )
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise RefusedError(
            f"the {kind} {name} is in use by another iogate",
            remedy="wait for it, or give this one another name: in its file",
        ) from None
    return lock


def machine_file(name: str) -> Path:
    """Where a note of this name about a machine is kept."""
    return _folder("machines") / name


def _folder(name: str) -> Path:
    given = Path(os.environ.get("XDG_STATE_HOME", ""))
    root = given if given.is_absolute() else Path.home() / ".local/state"
    return make_folder(root / "iogate" / name, "XDG_STATE_HOME")
