"""Which run is being measured on this host: the one whose process holds a host lock."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from tempfile import gettempdir

from iogate.host.lock import lock_path

_LONGEST_BYTES = 4096


def is_measuring(run_id: str) -> bool:
    """Whether a process of this host is at this run. The locks are those that any user has
    unless IOGATE_LOCK says otherwise, and the one that it names here."""
    return any(_names(path, run_id) and _is_held(path) for path in _lock_files())


def _lock_files() -> Iterator[Path]:
    yield lock_path()
    yield Path("/run/lock/iogate.lock")
    yield from Path("/run/user").glob("*/iogate.lock")
    yield from Path(gettempdir()).glob("iogate-*.lock")


def _names(path: Path, run_id: str) -> bool:
    """Whether the run signed it last. A run that was killed has left its name there."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            return bool(json.loads(os.pread(handle, _LONGEST_BYTES, 0))["run"] == run_id)
        finally:
            os.close(handle)
    return False


def _is_held(path: Path) -> bool:
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
    return False
