"""Slowing a block device for one process and its children, to the I/O a second."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_V1 = Path("/sys/fs/cgroup/blkio")
_V2 = Path("/sys/fs/cgroup")


@contextmanager
def throttled(device: str, iops: int) -> Iterator[list[str]]:
    """The words to put before a command, so that its I/O on the device is held to ``iops``
    reads and as many writes a second."""
    group = (_V1 if _V1.is_dir() else _V2) / f"iogate-test-{os.getpid()}-{time.monotonic_ns()}"
    number = Path(device).stat().st_rdev
    limit(group, f"{os.major(number)}:{os.minor(number)}", iops)
    try:
        yield ["sh", "-c", f'echo $$ > {group}/cgroup.procs && exec "$@"', "sh"]
    finally:
        _remove(group)


def limit(group: Path, device: str, iops: int) -> None:
    """Make the group with its limit, by whichever version of cgroups is here."""
    if _V1.is_dir():
        group.mkdir()
        for direction in ("read", "write"):
            (group / f"blkio.throttle.{direction}_iops_device").write_text(f"{device} {iops}")
        return
    with suppress(OSError):
        (_V2 / "cgroup.subtree_control").write_text("+io")
    if "io" not in (_V2 / "cgroup.subtree_control").read_text().split():
        pytest.skip("no cgroup here can limit I/O")
    group.mkdir()
    (group / "io.max").write_text(f"{device} riops={iops} wiops={iops}")


def _remove(group: Path) -> None:
    """A group is busy until the last of its processes is reaped."""
    for _ in range(100):
        try:
            group.rmdir()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise AssertionError(f"{group} is still there")
