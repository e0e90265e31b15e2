"""Whether a virtual machine is being booted. Nothing is measured meanwhile, and nothing is lost:
who interrupts need not wait for its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

_now = 0


@contextmanager
def booting() -> Iterator[None]:
    """For as long as the block goes, one is."""
    global _now  # noqa: PLW0603 - a handler of signals is given nothing to look at
    _now += 1
    try:
        yield
    finally:
        _now -= 1


def is_booting() -> bool:
    """Whether one is."""
    return _now > 0
