"""The note that a host is booted into another kernel, kept on the host, and here as well: a host
may forget all with a reboot, and one that hangs shows nothing."""

from __future__ import annotations

import hashlib
import os
import socket
from contextlib import suppress
from pathlib import Path

from iogate.boot.standing import Note, parse_note
from iogate.errors import RunError
from iogate.files import bounded, bounds
from iogate.sut.base import Sut
from iogate.vm.own_files import machine_file

PLACE = "/var/lib/iogate-booted.json"
"""On the host: it outlives a reboot there."""


class BootNotes:
    """The notes of a host of this name."""

    def __init__(self, name: str) -> None:
        self._here = machine_file(f"host {name}.json")

    @property
    def controller(self) -> str:
        """Who keeps notes: this user of this machine."""
        place = Path("/etc/machine-id")
        known = place.read_bytes().strip() if place.is_file() else socket.gethostname().encode()
        digest = hashlib.sha256(b"iogate controller\0" + known + bytes(self._here))
        return f"{socket.gethostname()} {digest.hexdigest()[:16]}"

    def here(self) -> Note | None:
        """What was kept here."""
        try:
            return parse_note(bounded.read_text(self._here, bounds.NOTE_BYTES))
        except (OSError, UnicodeError):
            return None

    def there(self, sut: Sut) -> Note | None:
        """What was kept on the host."""
        return parse_note(sut.read_own(PLACE) or "")

    def write(self, sut: Sut, note: Note) -> None:
        """Keep it in both places; on return it survives a crash."""
        data = note.to_text().encode()
        fresh = self._here.with_suffix(".new")
        try:
            with fresh.open("wb") as out:
                out.write(data)
                out.flush()
                os.fsync(out.fileno())
            fresh.replace(self._here)
        except OSError as error:
            raise RunError(f"cannot write {self._here}: {error.strerror}") from error
        sut.put(PLACE, data)

    def remove(self, sut: Sut) -> None:
        """The host is as it was."""
        sut.remove_file(PLACE)
        with suppress(OSError):
            self._here.unlink(missing_ok=True)
