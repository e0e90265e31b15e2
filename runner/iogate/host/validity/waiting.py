"""Waiting that the kernel counts for the group of processes that the run is in, and by CPU."""

from __future__ import annotations

import re
from collections.abc import Iterable

from iogate.host.devices.mounts import mounts
from iogate.sut.base import Sut

_TOTAL = re.compile(r"some .*\btotal=(\d+)")
_CPU_LINE = re.compile(r"cpu(\d+) (.*)")
_RUN_DELAY = 7  # of nine fields, of versions 15 to 17


def own_group(sut: Sut) -> str:
    """The folder of the cgroup (version 2) that this process, and so its engines, are in. Empty
    for none, and for the root: that one is the whole host."""
    for line in (sut.read_text("/proc/self/cgroup") or "").splitlines():
        number, _, rest = line.partition(":")
        path = rest.partition(":")[2]
        if number == "0" and path.strip("/") and ".." not in path:
            return _folder(sut, path)
    return ""


def _folder(sut: Sut, path: str) -> str:
    """Where a mount shows the group: one may begin below the root."""
    for mount in mounts(sut):
        root = mount.root.rstrip("/")
        if mount.fs_type == "cgroup2" and (path == root or path.startswith(f"{root}/")):
            return mount.point.rstrip("/") + path.removeprefix(root)
    return ""


def pressures(sut: Sut, files: Iterable[tuple[str, str]]) -> dict[str, int]:
    """µs that something waited since the boot, by kind, of files in the kernel's PSI format."""
    texts = ((kind, sut.read_text(path) or "") for kind, path in files)
    matches = ((kind, _TOTAL.search(text)) for kind, text in texts)
    return {kind: int(match[1]) for kind, match in matches if match}


def run_delays(text: str) -> dict[int, int]:
    """ns that runnable threads waited for each CPU, from /proc/schedstat; empty for a form that
    is not known."""
    delays = {}
    for match in _CPU_LINE.finditer(text):
        fields = match[2].split()
        if len(fields) == 9 and fields[_RUN_DELAY].isdigit():
            delays[int(match[1])] = int(fields[_RUN_DELAY])
    return delays
