"""Machines that boot kernels."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol, cast

from iogate.errors import RunError
from iogate.sut.base import Sut


class WrongKernelError(RunError):
    """Another kernel is up than the one that was to be booted."""


class Bootee(Protocol):
    """A kernel, as a machine that boots it knows it."""

    @property
    def release(self) -> str:
        """As ``uname -r`` prints it."""


class Bootable(Protocol):
    """A machine that can be booted into a kernel of somebody's."""

    @property
    def is_virtual(self) -> bool:
        """Whether the kernel is held by something: it can do no harm, and may be any file here."""

    @property
    def console(self) -> Path | None:
        """The file with what the kernel that runs, or ran last, has said."""

    @property
    def up(self) -> bool:
        """Whether a kernel that was booted is still up."""

    def kernel(self, text: str) -> Bootee:
        """The kernel that a text names, what the machine boots by itself for an empty one.
        RefusedError where there is none, UsageError for one that a list does not have."""

    def check_builds(self) -> None:
        """RefusedError where it boots nothing that is built here."""

    def wake(self, kernel: Bootee) -> None:
        """Boot this kernel where none runs."""

    def settle(self, kernel: Bootee) -> None:
        """The boots are over: go back to what ran before them, and where nothing did have this
        kernel up. RunError where the machine does not go back."""

    def boot(self, kernel: Bootee) -> None:
        """End what runs there, and boot this. RunError where it does not come up: WrongKernelError
        where another one does."""


def bootable(sut: Sut) -> Bootable | None:
    """The machine as one that boots kernels; None where it does not."""
    return cast("Bootable", sut) if hasattr(sut, "boot") else None
