"""Slowing a block device for one process and its children, to the I/O a second."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

_V1 = Path("/sys/fs/cgroup/blkio")
_V2 = Path("/sys/fs/cgroup")


@dataclass(frozen=True, slots=True)
class Throttle:
    """A group (either version of cgroups) that is held back on one device, MAJOR:MINOR."""

    group: Path
    device: str

    @property
    def before(self) -> list[str]:
        """What a command has to begin with to run in the group."""
        return ["sh", "-c", f'echo $$ > {self.group}/cgroup.procs && exec "$@"', "sh"]

    def setting(self, iops: int) -> str:
        """The shell command that allows so many reads and as many writes a second from now on."""
        if not _V1.is_dir():
            return f"echo {self.device} riops={iops} wiops={iops} > {self.group}/io.max"
        return " && ".join(
            f"echo {self.device} {iops} > {self.group}/blkio.throttle.{way}_iops_device"
            for way in ("read", "write")
        )


@contextmanager
def throttle(device: str) -> Iterator[Throttle]:
    """A new group, without a limit on the device as yet."""
    number = Path(device).stat().st_rdev
    group = (_V1 if _V1.is_dir() else _V2) / f"iogate-test-{os.getpid()}-{time.monotonic_ns()}"
    _make(group)
    try:
        yield Throttle(group, f"{os.major(number)}:{os.minor(number)}")
    finally:
        _remove(group)


@contextmanager
def throttled(device: str, iops: int) -> Iterator[list[str]]:
    """The words to put before a command, so that its I/O on the device is held to ``iops``
    reads and as many writes a second."""
    with throttle(device) as made:
        subprocess.run(["sh", "-c", made.setting(iops)], check=True)
        yield made.before


def _make(group: Path) -> None:
    if not _V1.is_dir():
        with suppress(OSError):
            (_V2 / "cgroup.subtree_control").write_text("+io")
        if "io" not in (_V2 / "cgroup.subtree_control").read_text().split():
            pytest.skip("no cgroup here can limit I/O")
    group.mkdir()


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
