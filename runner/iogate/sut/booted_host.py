"""A host at the end of an ssh line that is booted into kernels: ``host:FILE``, where the file
describes it (``iogate.boot.description``).

Before the first boot a note is kept of what ran there. Whoever opens the host next, after a crash
as well, goes back to that. A kernel that does not come up is given up after a while: the host is
back by itself (a panic reboots it, GRUB boots an entry once), or a command switches it off and on.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from iogate.boot.description import DEFAULT, HostDescription, HostKernel, read_host
from iogate.boot.standing import Note, Running, build_id, differences
from iogate.boot.ways import GO, REBOOT, WAYS, command_line, mark_of
from iogate.errors import IogateError, RefusedError, RunError
from iogate.sut.boot_notes import PLACE, BootNotes
from iogate.sut.bootable import WrongKernelError
from iogate.sut.built_kernel import BuiltKernel, give_modules, remove_copies
from iogate.sut.host_kernels import HostKernels
from iogate.sut.ssh import AWAY_S, SshSut, check_address
from iogate.sut.state_folder import HOST_LOCK
from iogate.vm.own_files import take_machine

_SETTLE_S = 3.0  # until a host that was told to reboot is on its way
_PAUSE_S = 1.0
_PREPARE_S = 300.0
_HERE_S = 600.0  # of a command of the site's own
_NOTES = "/sys/kernel/notes"
_SYSTEMD = "/run/systemd/system"


class HostSut(SshSut):
    """A host that boots kernels."""

    connect_s = 10  # one that goes down says nothing for as long
    is_virtual = False
    console = None

    def __init__(self, address: str) -> None:
        self.description: HostDescription = read_host(Path(address))
        check_address(self.description.address)
        self._taken = take_machine(self.description.name, "host")
        self._kept = BootNotes(self.description.name)
        self._kernels = HostKernels(self, self.description)
        self._told: tuple[str, ...] = ()
        self._gone = self._away = False
        try:
            self._open()
        except BaseException:
            if "_line" in self.__dict__:
                self._leave()
            os.close(self._taken)
            raise

    def _open(self) -> None:
        """The line, and the host as it was before a killed run has booted it."""
        own = self.description
        try:
            SshSut.__init__(self, own.address, f"host:{own.name}")
        except RefusedError:
            if self._kept.here() is None:
                raise
            if (why := self._answers("")) and (more := self._power("")) and self._gone:
                what = f"{own.name} is away since a killed run booted it: {why}; {more}"
                raise RunError(what, remedy="see its console") from None
        now = self.running()
        note = self._left(now)
        self._home = note.home if note else now
        if note:
            self._recover(note, now)

    def _left(self, now: Running) -> Note | None:
        """What a killed run has noted. A note that the host does not have, too, is one of a host
        without a disk, or an old one: somebody else has put the host back."""
        there, here = self._kept.there(self), self._kept.here()
        if there or here is None or self.description.boot == "command":
            return there or here
        return here if mark_of(here.kernel) in now.cmdline.split() else None

    def _recover(self, note: Note, now: Running) -> None:
        """RefusedError while it is another iogate's that boots it."""
        self._away = True
        ours = note.controller == self._kept.controller
        late = note.until - self.clocks()[0] / 1e9
        try:
            if not ours and late > 0:
                raise _in_use(self.description.name, note)
            self._wait_free(AWAY_S if ours else 0.0)
        except RefusedError:
            self._away = False
            raise
        self.settle()
        had = f"a killed run had left {self.description.name} under {now.release}"
        self._told = (f"{had}: it runs {self._home.release} again",)

    def put_back(self) -> tuple[str, ...]:
        """As ``Sut.put_back`` says, with what was done when the host was opened."""
        told, self._told = self._told, ()
        return (*told, *self.__getattr__("put_back")())

    @property
    def up(self) -> bool:
        """As ``Bootable.up``."""
        return not self._line.ended

    def running(self) -> Running:
        """What runs there now."""
        names = ("osrelease", "version")
        said = [self.read_text(f"/proc/sys/kernel/{name}") for name in names]
        release, version, cmdline = (
            " ".join((text or "").split()) for text in (*said, self.read_text("/proc/cmdline"))
        )
        notes = self.read_many([_NOTES]).get(_NOTES)
        known = build_id(notes.data) if notes and notes.data else ""
        return Running(release, version, cmdline, known, self.about().boot)

    def kernel(self, text: str) -> HostKernel:
        """As ``Bootable.kernel``: one of the host's file, by its name, or where that allows it, one
        that is built here."""
        if not text:
            self._kernels.programs()
            return HostKernel(DEFAULT, release=self._home.release)
        return self._kernels.find(text, self._home.release)

    def check_builds(self) -> None:
        """As ``Bootable.check_builds``."""
        self._kernels.check_builds()

    def wake(self, kernel: HostKernel) -> None:
        """As ``Bootable.wake``: a host is up."""

    def boot(self, kernel: HostKernel) -> None:
        """As ``Bootable.boot``."""
        self._reach()
        name = self.description.name
        before = self.about().boot
        words = ""
        if kernel.name != DEFAULT:
            words = command_line(self.description.boot, kernel, self._home.cmdline)
        self._note(kernel)
        if isinstance(kernel, BuiltKernel):
            self._kernels.bring(kernel)
            self._note(kernel)  # that took its time
        self._set_off(kernel, words)
        if why := self._answers(before):
            raise self._lost_kernel(kernel, before, why)
        now = self.running()
        if kernel.name == DEFAULT:
            wrong: tuple[str, ...] = () if now.is_same(self._home) else (f"release {now.release}",)
        else:
            wrong = differences(kernel, words, now)
        if wrong and now.is_same(self._home):
            raise RunError(
                f"kernel {kernel.name} ({kernel.release}) did not come up: {name} is back under "
                f"{now.release}, which it boots by itself",
                remedy="see the host's console: it may have panicked",
            )
        if wrong:
            raise WrongKernelError(f"the wrong kernel came up on {name}: {'; '.join(wrong)}",
                                   remedy=f"see how {name} boots {kernel.name}")  # fmt: skip
        if isinstance(kernel, BuiltKernel):
            give_modules(self, kernel)

    def _lost_kernel(self, kernel: HostKernel, before: str, why: str) -> RunError:
        """It is not up in time."""
        name, seconds = self.description.name, self.description.boot_s
        if self.up:
            return RunError(f"{name} did not go down within {seconds:.0f} s for kernel "
                            f"{kernel.name}", remedy="try the command at the host")  # fmt: skip
        return RunError(
            f"kernel {kernel.name} ({kernel.release}) did not come up on {name} within "
            f"{seconds:.0f} s ({why}); {self._power(before)}",
            remedy="see the host's console",
        )

    def _power(self, before: str) -> str:
        """Switch it off and on, and say what became of it."""
        power = self.description.power
        self._gone = True
        if not power:
            return "no power command in its file brings it back"
        try:
            _run_here(power)
        except RunError as error:
            return error.what
        if why := self._answers(before):
            return f"{power[0]} did not bring it back: {why}"
        self._gone = False
        return f"{power[0]} brought it back, under {self.running().release}"

    def _reach(self) -> None:
        """The line, and the host for this iogate alone. RefusedError where it is gone."""
        if self._gone:
            raise RefusedError(
                f"{self.description.name} is out of reach since a kernel did not come up",
                remedy=f"switch it off and on; the next run there goes back to "
                f"{self._home.release}",
            )
        again = self._line.ended
        if again and (why := self._answers("")):
            raise RunError(f"{self.description.name} does not come back: {why}; {self._power('')}")
        self._wait_free(AWAY_S if again else 0.0)

    def _wait_free(self, seconds: float) -> None:
        """Whoever measures there is not rebooted: RefusedError. An agent whose line was cut keeps
        the host for a while."""
        lock = self.lock_file(HOST_LOCK, make=True)
        try:
            deadline = time.monotonic() + seconds
            while not lock.take(shared=False):
                if time.monotonic() >= deadline:
                    raise _in_use(self.description.name, None)
                time.sleep(_PAUSE_S)
        finally:
            lock.close()

    def _note(self, kernel: HostKernel) -> None:
        """RefusedError where another iogate has begun to boot the host since this one opened it."""
        there = self._kept.there(self)
        if there and there.controller != self._kept.controller:
            raise _in_use(self.description.name, there)
        until = self.clocks()[0] / 1e9 + 2 * self.description.boot_s
        note = Note(self._kept.controller, kernel.name, until, self._home)
        self._kept.write(self, note)
        self._away = True

    def _set_off(self, kernel: HostKernel, words: str) -> None:
        """The host is on its way, and the line let go."""
        way = WAYS.get(self.description.boot)
        if way is None:
            self._leave()
            _run_here([each.replace("{kernel}", kernel.name) for each in self.description.command])
            return
        go = REBOOT
        if kernel.name != DEFAULT:
            go = way.go
            argv = way.prepare(self._kernels.programs(), kernel, words)
            done = self.run(argv, timeout_s=_PREPARE_S)
            if done.status:
                said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
                raise RunError(f"{argv[0]} does not take kernel {kernel.name}: {said}",
                               remedy="try it at the host")  # fmt: skip
        last = go[0] if self.stat(_SYSTEMD) else go[1]
        self.run(["setsid", "sh", "-c", f"({GO}) </dev/null >/dev/null 2>&1 &", "sh", *last])
        self._leave()
        time.sleep(_SETTLE_S)

    def _leave(self) -> None:
        self._line.goodbye()
        self._shut()

    def _answers(self, before: str) -> str:
        """Wait for the host in another boot than ``before``. Why there is none; empty where there
        is."""
        deadline = time.monotonic() + self.description.boot_s
        while (why := self._tried(before)) and time.monotonic() < deadline:
            time.sleep(_PAUSE_S)
        return why

    def _tried(self, before: str) -> str:
        if "_line" in self.__dict__:
            self._leave()
        try:
            self._connect()
            back, self._line.again = self._line.again, None  # what goes down is not waited for
            boot = self.about().boot
        except IogateError as error:
            return error.what
        self._line.again = back
        return "it is still in the same boot" if boot == before else ""

    def settle(self, kernel: HostKernel | None = None) -> None:  # noqa: ARG002
        """As ``Bootable.settle``."""
        if not self._away:
            return
        self._reach()
        now = self.running()
        if now.boot == self._home.boot:
            self._disarm()
        elif not now.is_same(self._home):
            self._set_off(HostKernel(DEFAULT), "")
            if why := self._answers(now.boot):
                raise RunError(f"{self.description.name} does not come back: {why}; "
                               f"{self._power(now.boot)}")  # fmt: skip
            now = self.running()
        remove_copies(self)
        self._kept.remove(self)
        self._away = False
        was, self._home = self._home, now
        if not now.is_same(was):
            raise RunError(
                f"{self.description.name} went back to kernel {now.release} "
                f"({now.cmdline}), and not to {was.release} ({was.cmdline}), which ran before",
                remedy="see what its boot loader boots by itself",
            )

    def _disarm(self) -> None:
        """What was prepared for the next boot is taken back: none came of it."""
        way = WAYS.get(self.description.boot)
        if way is not None:
            with suppress(RunError):
                self.run(way.undo(self._kernels.programs()))

    def close(self) -> None:
        """Back to the kernel that ran before; a host that is out of reach stays noted."""
        try:
            if not self._gone:
                self.settle()
        finally:
            SshSut.close(self)
            os.close(self._taken)


def _in_use(name: str, note: Note | None) -> RefusedError:
    who = "another run measures"
    if note:
        who = f"iogate on {note.controller.split()[0]} boots kernels"
    return RefusedError(
        f"{who} on {name} now",
        remedy=f"wait for it; what it keeps there is {PLACE if note else HOST_LOCK}",
    )


def _run_here(argv: Sequence[str]) -> None:
    """A command of the site's own. RunError where it fails."""
    try:
        done = subprocess.run(
            argv, stdin=subprocess.DEVNULL, capture_output=True, check=False, text=True,
            errors="replace", timeout=_HERE_S,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        raise RunError(f"{argv[0]}: {error}") from error
    if done.returncode:
        said = (done.stderr or done.stdout).strip().rpartition("\n")[2]
        raise RunError(f"{argv[0]} ended with {done.returncode}: {said}")
