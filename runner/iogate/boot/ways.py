"""The ways to boot a kernel: which commands, in which order, on the host. A site's own command is
not here: it is called where iogate runs. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from iogate.boot.description import HostKernel

Words = tuple[str, ...]

PANIC = ("panic=10", "oops=panic", "softlockup_panic=1")
"""A kernel that falls over reboots the host, through its firmware, into what it boots by itself."""
_OF_THE_LOADER = ("BOOT_IMAGE=", "initrd=")
GO = 'sleep 1; sync; exec "$@"'
"""What a shell on the host does with the last command, when nobody waits for it any more."""


@dataclass(frozen=True, slots=True)
class Way:
    """``programs`` are what the host must have, one of each group, in the Debian package
    ``package``. ``prepare`` and ``undo`` make words of the programs found, the kernel and its
    command line; ``go`` are the last words, with systemd and without."""

    programs: tuple[Words, ...]
    package: str
    prepare: Callable[[Words, HostKernel, str], Words]
    undo: Callable[[Words], Words]
    go: tuple[Words, Words]


def _load(programs: Words, kernel: HostKernel, cmdline: str) -> Words:
    initrd = (f"--initrd={kernel.initrd}",) if kernel.initrd else ()
    return (programs[0], "-a", "-l", kernel.image, *initrd, f"--command-line={cmdline}")


REBOOT: tuple[Words, Words] = (("systemctl", "reboot"), ("reboot",))
WAYS: Mapping[str, Way] = {
    "kexec": Way(
        programs=(("kexec",),),
        package="kexec-tools",
        prepare=_load,
        undo=lambda programs: (programs[0], "-u"),
        go=(("systemctl", "kexec"), ("kexec", "-e")),
    ),
    "grub": Way(
        programs=(("grub-reboot", "grub2-reboot"), ("grub-editenv", "grub2-editenv")),
        package="grub2-common",
        prepare=lambda programs, kernel, _cmdline: (programs[0], kernel.entry),
        undo=lambda programs: (programs[1], "-", "unset", "next_entry"),
        go=REBOOT,
    ),
}


def mark_of(name: str) -> str:
    """What the command line of a kernel that iogate boots by kexec says: the same in each boot."""
    return f"iogate.kernel={name}"


def command_line(way: str, kernel: HostKernel, own: str) -> str:
    """What the kernel's command line must hold. By kexec that is the whole of it: what the host
    boots with by itself (``own``), without what its boot loader has put there, and the kernel's own
    words, which so have the last say."""
    if way != "kexec":
        return " ".join(kernel.words)
    kept = [word for word in own.split() if not word.startswith(_OF_THE_LOADER)]
    return " ".join((*kept, *PANIC, mark_of(kernel.name), *kernel.words))
