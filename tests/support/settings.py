"""Settings of this host that a test changes, put back whatever happens to the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HARMLESS = "vm.page-cluster"  # of the swap's read-ahead: moves no measurement


def setting(name: str) -> Path:
    """The file of a kernel parameter."""
    return Path("/proc/sys") / name.replace(".", "/")


@contextmanager
def kept(*names: str) -> Iterator[tuple[Path, ...]]:
    """Files of kernel parameters that are afterwards what they were before. Of two that
    exclude each other, the one that is not 0 is written."""
    before = {setting(name): setting(name).read_text() for name in names}
    try:
        yield tuple(before)
    finally:
        for path, text in before.items():
            if text.strip() != "0" and path.read_text() != text:
                path.write_text(text)
