"""Revisions that are kernels: each repetition has a boot of its own, as what differs from boot to
boot would else be taken for the revision's."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from iogate.errors import RefusedError, RunError
from iogate.files.bounds import LOG_BYTES
from iogate.sut.base import Sut
from iogate.sut.bootable import Bootable, WrongKernelError, bootable
from iogate.vm.console import kept_text
from iogate.vm.kernels import NoKernelError
from iogate.vm.packages import BrokenPackageError


class WentDownError(RunError):
    """A kernel that did not come up, or ended while it was measured."""


@dataclass(slots=True)
class Boots:
    """Boots in ``machine`` what a build has left at ``left``: a kernel, as an arm of a comparison
    names one. What each said is kept in the folder ``place``."""

    machine: Bootable
    left: Path
    place: Path
    _count: int = field(default=0, init=False)

    def why_not(self) -> str:
        """Why what the build has left is no kernel; empty where it is one. What this machine lacks
        to find out is an error: it would be taken for each revision's."""
        try:
            self.machine.kernel(str(self.left))
        except (NoKernelError, BrokenPackageError) as error:
            return error.what
        return ""

    def boot(self) -> None:
        """WentDownError where it does not come up, WrongKernelError where another one does."""
        kernel = self.machine.kernel(str(self.left))
        self._count += 1
        try:
            self.machine.boot(kernel)
        except WrongKernelError:
            raise
        except RunError as error:
            self.keep_console()
            raise WentDownError(error.what, remedy=error.remedy) from error

    def check_up(self, why: str) -> None:
        """WentDownError, for this reason, where the kernel is no longer up."""
        self.keep_console()
        if not self.machine.up:
            raise WentDownError(why)

    def keep_console(self) -> None:
        """What the kernel has said so far."""
        console = self.machine.console
        if console is not None and console.is_file():
            log = self.place / f"boot-{self._count:03}.log"
            try:
                log.write_text(kept_text(console, LOG_BYTES), encoding="utf-8")
            except OSError as error:
                raise RunError(
                    f"cannot keep the console in {log}: {error.strerror}",
                    remedy="make room there, or name another folder with --output",
                ) from error


def make_boots(sut: Sut, left: Path, place: Path) -> Boots:
    """RefusedError for a machine that boots nothing that is built here."""
    machine = bootable(sut)
    if machine is None:
        raise RefusedError(
            "--kernel boots what is built, and this machine boots none",
            remedy="measure in a virtual machine, iogate --machine vm:FILE bisect …, or on a host "
            "whose file says built: --machine host:FILE",
        )
    machine.check_builds()
    return Boots(machine, left, place)
