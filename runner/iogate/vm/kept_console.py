"""What a kernel says on its console, kept in a file that cannot fill the disk: the beginning, and
the end."""

from __future__ import annotations

import fcntl
import os
import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from iogate.files.bounds import CONSOLE_BEGIN_BYTES, CONSOLE_END_BYTES, MIB

_PAUSE_S = 0.05
"""Between two looks: QEMU writes each character by itself."""
_END_S = 30.0
_LEFT_OUT = re.compile(
    r"^\[\.\.\. ([0-9,]+) bytes of the console are left out \.\.\.\]$", re.MULTILINE
)


class KeptConsole:
    """Reads a pipe into the file at ``place`` until nobody can write into it any more."""

    def __init__(self, place: Path) -> None:
        reads, self._writes = os.pipe2(os.O_CLOEXEC)
        with suppress(OSError):  # more than the system allows this user
            fcntl.fcntl(reads, fcntl.F_SETPIPE_SZ, MIB)
        self._begin, self._end, self._beyond = 0, b"", 0
        self._thread = threading.Thread(target=self._follow, args=(reads, place), daemon=True)
        self._thread.start()

    @contextmanager
    def writing(self) -> Iterator[int]:
        """The end to write into, for a process that is started meanwhile."""
        try:
            yield self._writes
        finally:
            os.close(self._writes)

    def ended(self) -> None:
        """Wait until all that was written is kept."""
        self._thread.join(_END_S)

    def _follow(self, reads: int, place: Path) -> None:
        with open(reads, "rb", buffering=0) as said:
            while data := said.read(MIB):
                with suppress(OSError):  # a full disk: the guest does not wait for it
                    self._keep(data, place)
                time.sleep(_PAUSE_S)

    def _keep(self, data: bytes, place: Path) -> None:
        own = data[: CONSOLE_BEGIN_BYTES - self._begin]
        more = data[len(own) :]
        self._end = (self._end + more)[-CONSOLE_END_BYTES:]
        self._beyond += len(more)
        with place.open("r+b", buffering=0) as file:
            file.seek(self._begin)
            file.write(own)
            self._begin += len(own)
            left_out = self._beyond - len(self._end)
            if left_out:
                file.write(f"\n[... {left_out:,} bytes of the console are left out ...]\n".encode())
            file.write(self._end)
            file.truncate()


def left_out(text: str) -> str:
    """How many bytes are left out of a console that was kept, in digits; empty where none are."""
    found = _LEFT_OUT.search(text)
    return found[1] if found else ""
