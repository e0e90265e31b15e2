"""This iogate's engine taken to a machine that has none: named by its hash, and checked there."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from iogate.errors import RunError
from iogate.sut.base import Sut
from iogate.sut.digest import digest_of
from iogate.sut.state_folder import state_folder


def uploaded(sut: Sut, places: Sequence[str]) -> str | None:
    """Where the copy of the first engine that is at one of the controller's ``places`` is on the
    machine; None when there is none to take. RunError when it cannot be put there."""
    own = next((Path(path) for path in places if Path(path).is_file()), None)
    if own is None:
        return None
    data = own.read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    path = f"{state_folder(sut)}/engines/{own.name}-{digest[:16]}"
    if digest_of(sut, path) != digest:
        try:
            sut.put(path, data, mode=0o755)
        except RunError as error:
            raise RunError(
                f"{sut.name} does not take the engine: {error.what}",
                remedy="make room there, or set XDG_STATE_HOME there to another folder",
            ) from error
    return path
