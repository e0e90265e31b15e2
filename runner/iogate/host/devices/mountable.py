"""Which filesystems the kernel of a machine can mount."""

from __future__ import annotations

from iogate.errors import RunError
from iogate.sut.base import Sut

_KNOWN = "/proc/filesystems"
_TIMEOUT_S = 10.0


def unmountable(sut: Sut, fs_type: str) -> str:
    """Why the kernel mounts no filesystem of a type; empty where it does, or nobody can tell."""
    listed = [line.split()[-1] for line in (sut.read_text(_KNOWN) or "").splitlines()]
    if fs_type in listed or not listed or module_may_be(sut, f"fs-{fs_type}"):
        return ""
    return f"this kernel has no filesystem {fs_type}"


def module_may_be(sut: Sut, alias: str) -> bool:
    """Whether the kernel may have a module of that alias: in a container modules are not seen."""
    if not sut.stat("/proc/modules"):
        return False
    modprobe = sut.which("modprobe")
    release = (sut.read_text("/proc/sys/kernel/osrelease") or "").strip()
    if not modprobe or not sut.stat(f"/lib/modules/{release}/modules.dep"):
        return True
    try:
        done = sut.run([modprobe, "--dry-run", "--quiet", alias], timeout_s=_TIMEOUT_S)
    except RunError:
        return True
    return done.status == 0
