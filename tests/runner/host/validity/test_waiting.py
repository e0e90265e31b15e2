"""What the kernel counts of waiting: of a real cgroup, and of a text as its manual describes it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.host.devices.mounts import mounts
from iogate.host.validity.snapshot import take
from iogate.host.validity.waiting import own_group, run_delays
from iogate.sut.local import LocalSut
from support.devices import needs_root

# In the form of sched-stats.rst of the kernel: not every kernel is built with it.
SCHEDSTAT = """\
version 15
timestamp 4294937296
cpu0 0 0 0 0 0 0 128398364 5214782 10231
domain0 3 1 2 3
cpu1 0 0 0 0 0 0 99 77 5
"""
LOOK = """\
from iogate.host.validity.snapshot import take
from iogate.host.validity.waiting import own_group
from iogate.sut.local import LocalSut
print(own_group(LocalSut()), sorted(take(LocalSut()).own_pressure))
"""


@pytest.fixture
def group() -> Iterator[Path]:
    """A cgroup of version 2 with nothing in it."""
    base = next((one.point for one in mounts(LocalSut()) if one.fs_type == "cgroup2"), "")
    if not base:
        pytest.skip("this host has no cgroup of version 2")
    own = Path(base) / f"iogate-test-{os.getpid()}"
    try:
        own.mkdir()
    except OSError as error:
        pytest.skip(f"no cgroup can be made here: {error}")
    if not (own / "io.pressure").exists():
        own.rmdir()
        pytest.skip("this kernel has no pressure of groups")
    yield own
    own.rmdir()


@needs_root
def test_the_pressure_of_the_runs_own_group_is_read(group: Path) -> None:
    move = f"echo $$ > {group}/cgroup.procs && exec {sys.executable} -c '{LOOK}'"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(["sh", "-c", move], env=env, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == f"{group} ['cpu', 'io', 'memory']"


def test_the_root_group_is_the_whole_host(sut: LocalSut) -> None:
    """Whatever group this test is in: its own readings are there where a group is."""
    assert bool(take(sut).own_pressure) <= bool(own_group(sut))


def test_waiting_by_cpu() -> None:
    assert run_delays(SCHEDSTAT) == {0: 5214782, 1: 77}
    for text in ("", "version 99\ncpu0 1 2 3\n", "cpu0 0 0 0 0 0 0 1 x 2"):
        assert run_delays(text) == {}
