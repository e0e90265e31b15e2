"""A virtual machine on this machine, by QEMU: ``vm:FILE``, where the file describes it
(``iogate.vm.description``).

It boots when something is first asked of it, and ``boot`` boots it into another kernel: its disks
stay, all else is new. What answers in it is ``agent``, over a virtio port. It has no network.
A kernel that oopses, hangs or panics ends the machine, and the error says what its console said.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import IO, Any

from iogate.errors import IogateError, RefusedError, RunError
from iogate.sut.booting import booting
from iogate.sut.far import FarMachine, Line
from iogate.sut.guest_disk import GuestDisk
from iogate.sut.lending import Check
from iogate.sut.ssh import agent_archive
from iogate.sut.wire import MARK
from iogate.vm.console import last_words, panicked
from iogate.vm.description import Description, read_description
from iogate.vm.engine import own_engine
from iogate.vm.kept_console import KeptConsole
from iogate.vm.kernels import INSTALLED, Kernel, find_kernel
from iogate.vm.modules import modules_archive
from iogate.vm.own_files import new_console, take_machine
from iogate.vm.qemu import Boot, accelerator_of, command
from iogate.vm.userland import userland_archive

_END_S = 30.0
_PATIENCE_S = 600.0  # of a call that does not say how long it may take
_MARGIN_S = 120.0  # an emulated machine is slow
_TRIES = {"kvm": 1, "tcg": 3}
"""QEMU's emulation now and then fails a kernel that is in order: another boot tells."""


class VmSut(FarMachine):
    """A virtual machine."""

    is_virtual = True

    def __init__(self, address: str) -> None:
        self.description = read_description(Path(address))
        self.guest = _Guests(self.description)
        super().__init__(self.guest, "", f"vm:{self.description.name}")  # type: ignore[arg-type]

    def boot(self, kernel: Kernel) -> None:
        """As ``Bootable.boot``."""
        self.guest.boot(kernel)
        self._about = None

    def lend(self, check: Check) -> None:
        """As ``Lending.lend``."""
        self.guest.lend(check)

    def wake(self, kernel: Kernel) -> None:
        """As ``Bootable.wake``."""
        if not self.guest.runs:
            self.boot(kernel)

    settle = wake  # nothing ran before

    def kernel(self, text: str) -> Kernel:
        """As ``Bootable.kernel``."""
        return self.guest.kernel(text)

    def check_builds(self) -> None:
        """As ``Bootable.check_builds``: it boots any."""

    @property
    def up(self) -> bool:
        """As ``Bootable.up``."""
        return self.guest.runs

    @property
    def console(self) -> Path | None:
        """What the kernel that runs, or ran last, has said."""
        return self.guest.console

    def close(self) -> None:
        """Power it off; disks without a file are gone."""
        self.guest.close()


class _Guests:
    """The line to whatever is booted now; it has the calls of ``Line``."""

    def __init__(self, description: Description) -> None:
        self._description = description
        self._accelerator = accelerator_of(description)
        self._lock = take_machine(description.name)
        with contextlib.ExitStack() as undo:
            undo.callback(os.close, self._lock)
            own = (disk for disk in description.disks if not disk.device)
            self._disks = {disk.name: GuestDisk(disk) for disk in own}
            undo.pop_all()
        self._now: _Guest | None = None
        self.console: Path | None = None

    @property
    def runs(self) -> bool:
        """Whether a kernel is up."""
        return self._now is not None and self._now.runs

    def boot(self, kernel: Kernel) -> None:
        """In place of what runs now."""
        self._check_lent()
        self._shut_down()
        with booting():
            for left in reversed(range(_TRIES[self._accelerator])):
                self.console = new_console(self._description.name)
                try:
                    self._now = self._booted(kernel, self.console)
                except RunError:
                    if not left or not panicked(self.console):
                        raise
                else:
                    return

    def _booted(self, kernel: Kernel, console: Path) -> _Guest:
        guest = self._started(kernel, console)
        try:
            guest.wait(self._description.boot_s)
        except BaseException:
            guest.kill()
            raise
        return guest

    def lend(self, check: Check) -> None:
        """As ``Lending.lend``."""
        for disk in self._description.disks:
            if disk.device and disk.name not in self._disks:
                self._disks[disk.name] = GuestDisk(disk, check)

    def _check_lent(self) -> None:
        for disk in self._description.disks:
            if disk.name not in self._disks:
                raise RefusedError(
                    f"disk {disk.name}: nobody has allowed the guest to have {disk.device}"
                )

    def _started(self, kernel: Kernel, console: Path) -> _Guest:
        init = files("iogate").joinpath("vm/init.py").read_text("utf-8")
        userland = userland_archive(own_engine(), agent_archive(), init, self._description.programs)
        modules = modules_archive(kernel.modules, self._description.modules, kernel.added)
        boot = Boot(
            kernel=kernel,
            initramfs=Path(),
            console=-1,
            disks={name: disk.path for name, disk in self._disks.items()},
            line=-1,
            accelerator=self._accelerator,
            variables=_identity(self._description.name),
        )
        return _Guest(self._description, boot, userland.read_bytes() + modules, console)

    def kernel(self, text: str) -> Kernel:
        """That of the description where the text is empty."""
        named = text or self._description.kernel
        if not named:
            raise RefusedError(
                f"the machine {self._description.name} has no kernel to boot",
                remedy="say kernel: in its file, or name one in both arms: --base kernel=6.1",
            )
        return find_kernel(named, (*self._description.kernels, *INSTALLED))

    def ask(self, number: int, name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """As ``Line.ask``; boots what the description says where nothing has."""
        guest = self._running()
        guest.allow(arguments)
        return guest.line.ask(number, name, arguments)

    def ask_all(self, calls: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
        """As ``Line.ask_all``."""
        guest = self._running()
        guest.allow(*(each["with"] for each in calls))
        return guest.line.ask_all(calls)

    def later(self, call: dict[str, Any]) -> None:
        """As ``Line.later``."""
        self._running().line.later(call)

    def answer(self) -> dict[str, Any]:
        """As ``Line.answer``."""
        return self._running().line.answer()

    def frame(self) -> bytes:
        """As ``Line.frame``."""
        return self._running().line.frame()

    def _running(self) -> _Guest:
        if self._now is None:
            self.boot(self.kernel(""))
        assert self._now
        return self._now

    def _shut_down(self) -> None:
        if self._now is not None:
            self._now.close()
            self._now = None

    def close(self) -> None:
        """Power off, and give the disks up."""
        self._shut_down()
        for disk in self._disks.values():
            disk.close()
        os.close(self._lock)


class _Guest:
    """One boot, from QEMU's start to its end."""

    def __init__(
        self, description: Description, boot: Boot, initramfs: bytes, console: Path
    ) -> None:
        self._kernel, self._console = boot.kernel, console
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - as long as the machine
        self._image = _in_memory(initramfs)
        self._socket, there = socket.socketpair()
        self._kept = KeptConsole(console)
        with there, self._kept.writing() as written:
            place = Path(f"/proc/{os.getpid()}/fd/{self._image}")
            whole = replace(boot, initramfs=place, line=there.fileno(), console=written)
            self._qemu = subprocess.Popen(
                command(description, whole),
                stdin=subprocess.DEVNULL,
                stdout=self._said,
                stderr=self._said,
                pass_fds=[whole.line, whole.console],
                start_new_session=True,  # a Ctrl-C is for iogate, which ends what runs there
            )
        self._out, self._in = self._socket.makefile("wb"), self._socket.makefile("rb")
        self.line = Line(self._out, self._in, self._lost)

    def wait(self, seconds: float) -> None:
        """Until the agent answers. RunError when the machine ended, or takes too long."""
        self._socket.settimeout(seconds)
        try:
            _skip_to_mark(self._in)
        except (OSError, EOFError) as error:
            raise self._lost("", hung=isinstance(error, TimeoutError)) from error
        finally:
            os.close(self._image)
        self.line.answer()

    @property
    def runs(self) -> bool:
        """Whether it has not ended, nor been given up."""
        return self._qemu.poll() is None

    def allow(self, *calls: Mapping[str, Any]) -> None:
        """How long calls with these arguments may take, together."""
        asked = (each.get("timeout_s") for each in calls)
        each_s = (_PATIENCE_S if s is None else float(s) + _MARGIN_S for s in asked)
        self._socket.settimeout(max(sum(each_s), _PATIENCE_S if not calls else 0.0))

    def close(self) -> None:
        """The agent ends with the line, and the machine with it."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._qemu.wait(timeout=_END_S)
        self.kill()

    def kill(self) -> None:
        """End it at once."""
        self._qemu.kill()
        self._qemu.wait()
        self._kept.ended()
        with contextlib.suppress(OSError):  # whoever still has the disks' locks has the line, too
            self._socket.settimeout(_END_S)
            while self._socket.recv(1 << 16):
                pass
        for each in (self._out, self._in, self._socket, self._said):
            with contextlib.suppress(OSError):
                each.close()

    def _lost(self, why: str, *, hung: bool = False) -> IogateError:
        """What ended the machine, as far as it can be known."""
        deadline = time.monotonic() + 5
        while not hung and self._qemu.poll() is None and time.monotonic() < deadline:
            time.sleep(0.05)
        alive = self._qemu.poll() is None
        self._qemu.kill()
        self._kept.ended()
        words = last_words(self._console, self._kernel.vmlinux)
        # QEMU ends with 0 where the guest resets the machine, as a kernel does that goes down
        # before it can say so.
        killed = _signal_of(self._qemu.poll() or 0) if not alive else 0
        if not alive and not words and self._qemu.returncode and not killed:
            return RefusedError(
                f"QEMU does not start: {self._complaint()}",
                remedy="correct the machine's file where QEMU's words point at it, or install"
                " another version of QEMU",
            )
        gone = f"is gone, as QEMU was killed by signal {killed}" if killed else "is gone"
        did = "ended" if panicked(self._console) else "hangs" if alive else gone
        return RunError(
            f"kernel {self._kernel.release} {did}: {why or words or 'it said nothing'}",
            remedy=f"its console: {self._console}",
        )

    def _complaint(self) -> str:
        self._said.seek(0)
        said = self._said.read(1 << 16).decode(errors="replace").strip()
        return said.rpartition("\n")[2] or f"it ended with {self._qemu.returncode}"


def _signal_of(status: int) -> int:
    """What killed a process, or 0: a shell above it tells that by its own status."""
    number = -status if status < 0 else status - 128
    return number if number in signal.valid_signals() else 0


def _in_memory(data: bytes) -> int:
    """A descriptor of a file that is nowhere else."""
    fd = os.memfd_create("initramfs")
    with open(fd, "wb", closefd=False) as stream:
        stream.write(data)
    return fd


def _identity(name: str) -> dict[str, str]:
    """The machine is the same each time, and another than that of the same name elsewhere."""
    here = Path("/etc/machine-id")
    host = here.read_bytes().strip() if here.is_file() else socket.gethostname().encode()
    digest = hashlib.sha256(b"iogate vm\0" + host + b"\0" + name.encode()).hexdigest()
    return {"IOGATE_HOST_ID": digest[:32], "IOGATE_HOST_NAME": name}


def _skip_to_mark(stream: IO[bytes]) -> None:
    said = b""
    while not said.endswith(MARK):
        byte = stream.read(1)
        if not byte or len(said) > len(MARK):
            raise EOFError
        said += byte
