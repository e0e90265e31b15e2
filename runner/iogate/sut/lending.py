"""Machines that are lent block devices of this host."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, cast

from iogate.model.spec import Destroy
from iogate.sut.base import Sut

Check = Callable[[str, Destroy], str]
"""Whether the device at a path may be overwritten: its ``major:minor``. RefusedError where not."""


class Lending(Protocol):
    """A machine whose disks may be devices of this host."""

    def lend(self, check: Check) -> None:
        """Take those that its description names, each once ``check`` allows it. RefusedError where
        it does not, or where a device is in use by then. Without this call none is touched."""


def lending(sut: Sut) -> Lending | None:
    """The machine as one that is lent devices; None where it is not."""
    return cast("Lending", sut) if hasattr(sut, "lend") else None
