"""A host that can be booted into other kernels for real: an emulated computer with sshd and kexec,
reached over loopback. What it boots by itself is Debian's older kernel; the newer one lies on its
disk. One that is brought there has modules of its own, which its initrd finds as any would."""

from __future__ import annotations

import json
import os
import shlex
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from iogate.sut.ssh import agent_archive
from iogate.vm import cpio
from iogate.vm.engine import own_engine
from iogate.vm.kernels import Kernel, find_kernel
from iogate.vm.modules import modules_archive
from iogate.vm.userland import userland_archive
from support.guests import NEW, OLD, PARTS

_PROGRAMS = ("sshd", "ssh-keygen", "kexec", "ip", "setsid", "modprobe")
_CONFIG = """\
HostKey /etc/host_key
AuthorizedKeysFile /etc/user_key
StrictModes no
UsePAM no
PidFile none
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
UseDNS no
"""
_PASSWD = "root:x:0:0:root:/root:/bin/sh\nsshd:x:100:65534::/run/sshd:/bin/false\n"
_INIT = '''\
"""The first process of the host: what it needs to be reached, and a disk that outlives a boot."""

import ctypes
import os
import subprocess
from pathlib import Path

libc = ctypes.CDLL(None)
for kind, place in (("proc", "/proc"), ("sysfs", "/sys"), ("devtmpfs", "/dev"), ("tmpfs", "/run"),
                    ("tmpfs", "/tmp"), ("tmpfs", "/var/tmp")):
    libc.mount(kind.encode(), place.encode(), kind.encode(), 0, None)
Path("/dev/pts").mkdir(exist_ok=True)
libc.mount(b"devpts", b"/dev/pts", b"devpts", 0, None)
os.environ["PATH"] = "/usr/bin"
own = Path("/iogate-modules")
modules = [*sorted(own.glob("*.ko")), *sorted(own.glob("later/*.ko"))]
if Path("/lib/modules", os.uname().release).is_dir():
    for _ in ("its buses", "what is on them"):
        names = [each.read_text().strip() for each in Path("/sys/bus").glob("*/devices/*/modalias")]
        subprocess.run(["modprobe", "-qab", *names, "ext4", "slow"], check=False)
    modules = []
for module in modules:
    with module.open("rb") as file:
        libc.syscall(313, file.fileno(), b"", 0)
for folder in ("/run/lock", "/run/sshd", "/disk", "/var/lib"):
    Path(folder).mkdir(parents=True, exist_ok=True)
by_id = Path("/dev/disk/by-id")
by_id.mkdir(parents=True)
for block in Path("/sys/block").iterdir():
    serial = block / "serial"
    if serial.exists() and serial.read_text().strip():
        (by_id / serial.read_text().strip()).symlink_to(f"../../{block.name}")
libc.mount(b"/dev/disk/by-id/disk", b"/disk", b"ext4", 0, None)
Path("/disk/state").mkdir(exist_ok=True)
libc.mount(b"/disk/state", b"/var/lib", b"", 4096, None)
libc.sethostname(b"lab", 3)
for words in ("link set lo up", "link set eth0 up", "addr add 10.0.2.15/24 dev eth0"):
    subprocess.run(["ip", *words.split()], check=False)
sshd = subprocess.Popen(["/usr/sbin/sshd", "-D", "-e", "-f", "/etc/sshd_config"])
while True:
    try:
        os.wait()
    except ChildProcessError:
        break
'''
_REBOOT = "#!/usr/bin/python3 -I\nimport ctypes\nctypes.CDLL(None).reboot(0x1234567)\n"
_CMDLINE = "console=ttyS0 rdinit=/init panic=5"
_UUID = "1c6d7f0e-0000-4000-8000-000000000047"
_POWER = """\
import socket, sys
with socket.socket(socket.AF_UNIX) as monitor:
    monitor.connect(sys.argv[1])
    answers = monitor.makefile("r")
    answers.readline()
    for word in ("qmp_capabilities", "system_reset"):
        monitor.sendall(b'{"execute": "%s"}\\n' % word.encode())
        while "return" not in answers.readline():  # but events
            pass
"""
_START_S = 240.0


@dataclass(frozen=True, slots=True)
class KexecHost:
    """The host: ``console`` is what all of its kernels have said. Its power switch is QEMU's."""

    folder: Path
    port: int
    console: Path

    @property
    def address(self) -> str:
        return f"root@127.0.0.1:{self.port}"

    def describe(self, **changed: object) -> str:
        """``host:FILE``, with other keys than usual."""
        new = {"image": "/disk/vmlinuz", "initrd": "/disk/initrd"}
        said = {
            "version": 1,
            "address": self.address,
            "boot": "kexec",
            "kernels": {
                "new": new,
                "panics": {**new, "cmdline": "rdinit=/no/such panic=1"},
                "other": {**new, "build_id": "0" * 40},
                "hangs": {**new, "cmdline": "rdinit=/no/such panic=0"},
            },
            "built": {"initrd": new["initrd"], "modules": ["slow"]},
            "boot_seconds": _START_S,
            "power": [sys.executable, str(self.folder / "power.py"), str(self.folder / "monitor")],
            **changed,
        }
        path = self.folder / "lab.yaml"
        path.write_text(json.dumps(said))
        return f"host:{path}"

    @property
    def variables(self) -> dict[str, str]:
        """Make iogate use its client's configuration."""
        return {"IOGATE_SSH": shlex.join(["ssh", "-F", str(self.folder / "config")])}


@contextmanager
def kexec_host(folder: Path) -> Iterator[KexecHost]:
    """The host, up, and ``IOGATE_SSH`` set for it."""
    host = KexecHost(folder, _free_port(), folder / "console.log")
    keys = _keys(host)
    old, new = (find_kernel(each, [f"{PARTS}/{each}"]) for each in (OLD, NEW))
    (folder / "power.py").write_text(_POWER)
    (folder / "initrd").write_bytes(_initrd(old, keys))
    _make_disk(folder, new, _initrd(new, keys))
    with subprocess.Popen(_command(host, old), stdin=subprocess.DEVNULL) as qemu:
        try:
            _until_it_answers(host)
            with patch.dict(os.environ, host.variables):
                yield host
        finally:
            qemu.kill()


def _command(host: KexecHost, kernel: Kernel) -> list[str]:
    disk = "if=none,format=raw,cache=unsafe"
    return [
        *("setpriv", "--pdeathsig", "KILL", "--", "qemu-system-x86_64"),
        *("-nodefaults", "-no-user-config", "-display", "none", "-M", "q35", "-accel", "tcg"),
        *(
            "-cpu",
            "max",
            "-smp",
            "2",
            "-m",
            "1024M",
            "-uuid",
            "1c6d7f0e-0000-4000-8000-000000000047",
        ),
        *("-kernel", str(kernel.image), "-initrd", str(host.folder / "initrd")),
        *("-append", _CMDLINE, "-serial", f"file:{host.console}"),
        *("-netdev", f"user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:{host.port}-10.0.2.15:22"),
        *("-device", "virtio-net-pci,netdev=net", "-device", "virtio-rng-pci"),
        *("-qmp", f"unix:{host.folder}/monitor,server=on,wait=off"),
        *("-drive", f"id=disk,file={host.folder}/disk.img,{disk}"),
        *("-device", "virtio-blk-pci,drive=disk,serial=disk"),
        *("-drive", f"id=scratch,file={host.folder}/scratch.img,throttling.iops-total=400,{disk}"),
        *("-device", "virtio-blk-pci,drive=scratch,serial=scratch"),
    ]


def _initrd(kernel: Kernel, keys: dict[str, str]) -> bytes:
    userland = userland_archive(own_engine(), agent_archive(), _INIT, _PROGRAMS)
    items = {path: cpio.file(text.encode()) for path, text in keys.items()}
    items["/etc/host_key"] = cpio.Item(keys["/etc/host_key"].encode(), 0o100600)
    items |= {
        "/etc/sshd_config": cpio.file(_CONFIG.encode()),
        "/etc/passwd": cpio.file(_PASSWD.encode()),
        "/usr/bin/reboot": cpio.file(_REBOOT.encode(), runs=True),
    }
    modules = modules_archive(kernel.modules, ["virtio_net"])
    return userland.read_bytes() + modules + cpio.archive(items)


def _keys(host: KexecHost) -> dict[str, str]:
    for name in ("host_key", "key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(host.folder / name)]
        subprocess.run(words, check=True, stdin=subprocess.DEVNULL)
    kind, text, *_ = (host.folder / "host_key.pub").read_text().split()
    (host.folder / "known_hosts").write_text(f"[127.0.0.1]:{host.port} {kind} {text}\n")
    (host.folder / "config").write_text(
        f"IdentityFile {host.folder}/key\nIdentitiesOnly yes\n"
        f"UserKnownHostsFile {host.folder}/known_hosts\nGlobalKnownHostsFile /dev/null\n"
    )
    return {
        "/etc/host_key": (host.folder / "host_key").read_text(),
        "/etc/user_key": (host.folder / "key.pub").read_text(),
    }


def _make_disk(folder: Path, kernel: Kernel, initrd: bytes) -> None:
    """With the newer kernel on it, and an empty one beside it."""
    inside = folder / "inside"
    inside.mkdir()
    (inside / "vmlinuz").write_bytes(kernel.image.read_bytes())
    (inside / "initrd").write_bytes(initrd)
    words = ["mkfs.ext4", "-q", "-F", "-O", "^has_journal", "-d", str(inside)]
    subprocess.run([*words, str(folder / "disk.img"), "384M"], check=True)
    with (folder / "scratch.img").open("wb") as scratch:
        scratch.truncate(16 << 20)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _until_it_answers(host: KexecHost) -> None:
    """QEMU takes the connection at once; sshd says who it is."""
    end = time.monotonic() + _START_S
    while time.monotonic() < end:
        with suppress(OSError), socket.create_connection(("127.0.0.1", host.port), 5) as line:
            line.settimeout(5)
            if line.recv(4) == b"SSH-":
                return
        time.sleep(0.2)
    raise AssertionError(f"it does not come up: {host.console.read_text(errors='replace')[-2000:]}")
