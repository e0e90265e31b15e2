"""Machines that boot kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, cast

from iogate.sut.base import Sut
from iogate.vm.kernels import Kernel


class Bootable(Protocol):
    """A machine that can be booted into a kernel of somebody's."""

    @property
    def console(self) -> Path | None:
        """The file with what the kernel that runs, or ran last, has said."""

    @property
    def up(self) -> bool:
        """Whether a kernel that was booted is still up."""

    def kernel(self, text: str) -> Kernel:
        """The kernel that a text names, what the machine boots by itself for an empty one.
        RefusedError where there is none."""

    def wake(self, kernel: Kernel) -> None:
        """Boot this kernel where none runs."""

    def boot(self, kernel: Kernel) -> None:
        """End what runs there, and boot this. RunError where it does not come up."""


def bootable(sut: Sut) -> Bootable | None:
    """The machine as one that boots kernels; None where it does not."""
    return cast("Bootable", sut) if hasattr(sut, "boot") else None
