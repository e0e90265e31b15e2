"""Settings of this host that a test changes, put back whatever happens to the test."""

from __future__ import annotations

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

HARMLESS = "vm.page-cluster"  # of the swap's read-ahead: moves no measurement
_ALONE = Path(gettempdir()) / "iogate-tests-settings.lock"


def setting(name: str) -> Path:
    """The file of a kernel parameter."""
    return Path("/proc/sys") / name.replace(".", "/")


@contextmanager
def kept(*names: str) -> Iterator[tuple[Path, ...]]:
    """Files of kernel parameters that are afterwards what they were before. Of two that
    exclude each other, the one that is not 0 is written. Tests of other processes that do the
    same wait meanwhile: there is one of each on a host."""
    with _ALONE.open("w") as alone:
        fcntl.flock(alone, fcntl.LOCK_EX)
        yield from _kept(names)


def _kept(names: Sequence[str]) -> Iterator[tuple[Path, ...]]:
    before = {setting(name): setting(name).read_text() for name in names}
    try:
        yield tuple(before)
    finally:
        for path, text in before.items():
            if text.strip() != "0" and path.read_text() != text:
                path.write_text(text)
