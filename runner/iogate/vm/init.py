"""The first process of a virtual machine: mounts what every program expects, loads modules, and
starts the agent on the line to iogate. When the agent ends it powers the machine off.

It is put into the initramfs as it stands, and needs nothing but Python's own library."""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import os
import sys
import time
from pathlib import Path

_MODULES = Path("/iogate-modules")
_LATER = _MODULES / "later"
_ASKING = Path("/proc/sys/kernel/modprobe")
_ASKED, _HAS_ASKED = "/iogate-modprobe", Path("/run/iogate-modprobe")
_FINIT_MODULE = 313  # of x86-64
_POWER_OFF = 0x4321FEDC
_MOUNTS = (
    ("proc", "/proc", "proc"),
    ("sysfs", "/sys", "sysfs"),
    ("devtmpfs", "/dev", "devtmpfs"),
    ("tmpfs", "/run", "tmpfs"),
    ("tmpfs", "/tmp", "tmpfs"),  # noqa: S108 - nobody else is there
    ("tmpfs", "/var/tmp", "tmpfs"),  # noqa: S108
    ("debugfs", "/sys/kernel/debug", "debugfs"),
    ("cgroup2", "/sys/fs/cgroup", "cgroup2"),
)
_LINE = "iogate"
_PATIENCE_S = 10.0
_libc = ctypes.CDLL(None, use_errno=True)


def main() -> None:
    """Never returns, but where the kernel asks for a module."""
    if os.getpid() != 1:
        _load_what(sys.argv[1])
        return
    for source, place, kind in _MOUNTS:
        _libc.mount(source.encode(), place.encode(), kind.encode(), 0, None)
    Path("/run/lock").mkdir(mode=0o1777, exist_ok=True)
    Path("/run/lock").chmod(0o1777)
    for folder in (_MODULES,) if _asks_for_modules() else (_MODULES, _LATER):
        for module in sorted(folder.glob("*.ko")) if folder.is_dir() else ():
            _load(module)
    port = _port()
    _name_disks()
    if child := os.fork():
        _reap(child)
        os.sync()
        _libc.reboot(_POWER_OFF)
    _serve(port)


def _asks_for_modules() -> bool:
    """Whether the kernel asks for what it lacks: it need not be able to. It does when a filesystem
    is to be mounted that it does not know."""
    try:
        _ASKING.write_text(_ASKED)
    except OSError:
        return False
    _libc.mount(b"none", b"/mnt", b"iogate", 0, None)
    return _HAS_ASKED.exists()


def _load_what(name: str) -> None:
    """What the kernel calls so, after what that needs. A file that is gone was loaded already."""
    for module in (_LATER / name).read_text().splitlines():
        with contextlib.suppress(FileNotFoundError):
            _load(_LATER / module)


def _load(module: Path) -> None:
    told = module.with_suffix(".txt")
    parameters = told.read_bytes() if told.exists() else b""
    with module.open("rb") as file:
        if _libc.syscall(_FINIT_MODULE, file.fileno(), parameters, 0):
            error = ctypes.get_errno()
            if parameters or error not in (17, 19):  # it is there already; no such hardware
                _say(f"module {module.name}: {os.strerror(error)}")
    module.unlink()


def _say(text: str) -> None:
    os.write(1, f"iogate: {text}\n".encode())


def _port() -> str:
    """The line's device: it takes the kernel a while to find it."""
    deadline = time.monotonic() + _PATIENCE_S
    while time.monotonic() < deadline:
        for name in Path("/sys/class/virtio-ports").glob("*/name"):
            if name.read_text().strip() == _LINE:
                return f"/dev/{name.parent.name}"
        time.sleep(0.02)
    _say("this kernel has no virtio console: CONFIG_VIRTIO_CONSOLE")
    _libc.reboot(_POWER_OFF)
    sys.exit(1)


def _name_disks() -> None:
    """/dev/disk/by-id/NAME for each disk, by the serial number that QEMU gave it."""
    folder = Path("/dev/disk/by-id")
    folder.mkdir(parents=True, exist_ok=True)
    for block in Path("/sys/block").iterdir():
        for place in (block / "serial", block / "device/serial"):
            with contextlib.suppress(OSError):
                serial = place.read_text().strip()
                if serial and "/" not in serial:
                    (folder / serial).symlink_to(f"../../{block.name}")
                    break


def _reap(child: int) -> None:
    """Waits for the agent, and for whoever has lost his parent."""
    with contextlib.suppress(ChildProcessError):
        while os.wait()[0] != child:
            pass


def _serve(port: str) -> None:
    line = os.open(port, os.O_RDWR)
    os.dup2(line, 0)
    os.dup2(line, 1)
    os.close(line)
    os.setsid()
    os.chdir("/")
    for word in Path("/proc/cmdline").read_text().split():
        name, equals, value = word.partition("=")
        if equals and name.startswith("IOGATE_"):
            os.environ[name] = value
    if host := os.environ.pop("IOGATE_HOST_NAME", "").encode():
        _libc.sethostname(host, len(host))
    os.environ.update(PATH="/usr/bin", HOME="/root", LC_ALL="C.UTF-8")
    os.environ["TMPDIR"] = "/var/tmp"  # noqa: S108
    sys.path.insert(0, "/iogate.zip")
    importlib.import_module("iogate.sut.agent").serve()  # of the archive
    os._exit(0)


if __name__ == "__main__":
    main()
