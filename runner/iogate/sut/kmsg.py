"""The kernel's log of this machine: /dev/kmsg, a record a read."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

_KMSG = "/dev/kmsg"
_DEVICE = (1, 11)  # in a container the name may lead to a console, or to nothing
_LONGEST_BYTES = 8192  # what the kernel makes a record of at most
_MOST_RECORDS = 20_000


class LocalKernelLog:
    """What is logged after this was opened. OSError where that may not be read."""

    def __init__(self) -> None:
        number = Path(_KMSG).stat().st_rdev
        if (os.major(number), os.minor(number)) != _DEVICE:
            raise FileNotFoundError(_KMSG)
        self._fd = os.open(_KMSG, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
        self._to_end()

    def records(self) -> list[str] | None:
        """As ``Sut.kernel_log`` says; never waits."""
        records: list[str] = []
        for _ in range(_MOST_RECORDS):
            try:
                records.append(os.read(self._fd, _LONGEST_BYTES).decode(errors="replace"))
            except BlockingIOError:
                return records
            except BrokenPipeError:
                records.append("")
            except OSError:
                return None
        self._to_end()
        return [*records, ""]

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _to_end(self) -> None:
        with suppress(OSError):
            os.lseek(self._fd, 0, os.SEEK_END)


def open_kernel_log() -> LocalKernelLog | None:
    """None where there is none, or this user may not read it."""
    try:
        return LocalKernelLog()
    except OSError:
        return None
