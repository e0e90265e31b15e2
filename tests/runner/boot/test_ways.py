"""The commands that boot a kernel, and its command line."""

from __future__ import annotations

from iogate.boot.description import HostKernel
from iogate.boot.ways import WAYS, command_line

OWN = "BOOT_IMAGE=/vmlinuz-6.1 root=UUID=1 ro console=ttyS0 panic=-1 initrd=\\initrd-6.1"
NEW = HostKernel("new", "/boot/new", "/boot/new.img", "Linux 6.12>new", ("quiet", "panic=1"))


def test_by_kexec_a_kernel_gets_what_the_host_boots_with_and_its_own_words_last() -> None:
    assert command_line("kexec", NEW, OWN).split() == [
        *("root=UUID=1", "ro", "console=ttyS0", "panic=-1"),
        *("panic=10", "oops=panic", "softlockup_panic=1", "iogate.kernel=new"),
        *("quiet", "panic=1"),
    ]


def test_elsewhere_it_must_have_its_own_words() -> None:
    assert command_line("grub", NEW, OWN) == "quiet panic=1"
    assert command_line("command", HostKernel("new"), OWN) == ""


def test_kexec() -> None:
    way = WAYS["kexec"]
    loads = ("/sbin/kexec", "-a", "-l", "/boot/new")
    said = way.prepare(("/sbin/kexec",), NEW, "a b")
    assert said == (*loads, "--initrd=/boot/new.img", "--command-line=a b")
    without = way.prepare(("/sbin/kexec",), HostKernel("new", "/boot/new"), "")
    assert without == (*loads, "--command-line=")
    assert way.undo(("/sbin/kexec",)) == ("/sbin/kexec", "-u")
    assert way.go == (("systemctl", "kexec"), ("kexec", "-e"))


def test_grub() -> None:
    way, programs = WAYS["grub"], ("/sbin/grub2-reboot", "/bin/grub2-editenv")
    assert way.prepare(programs, NEW, "") == ("/sbin/grub2-reboot", "Linux 6.12>new")
    assert way.undo(programs) == ("/bin/grub2-editenv", "-", "unset", "next_entry")
    assert way.go == (("systemctl", "reboot"), ("reboot",))
