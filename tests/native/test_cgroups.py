"""Control groups that jobs ask for: made, joined, weighed, and taken away however a run ends."""

from __future__ import annotations

import os
import signal
import subprocess
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import needs_root
from support.engine_runs import run

NULL = ["--name=j", "--ioengine=null", "--size=64k"]
ENDLESS = ["--time_based", "--runtime=100", "--rate_iops=100"]
pytestmark = needs_root


def root() -> Path | None:
    """Where groups of block I/O are mounted, those of version 1 first."""
    found = None
    for line in Path("/proc/self/mounts").read_text().splitlines():
        _, folder, kind, options, *_ = line.split()
        if kind == "cgroup" and "blkio" in options.split(","):
            return Path(folder)
        if kind == "cgroup2" and found is None:
            found = Path(folder)
    return found


@pytest.fixture
def group() -> Iterator[Path]:
    """A group that is not there, and not afterwards."""
    place = root()
    if place is None or not os.access(place, os.W_OK):
        pytest.skip("no groups of block I/O are mounted here")
    path = place / f"iogate-test-{uuid.uuid4().hex[:12]}"
    yield path
    for each in (path / "inner", path):
        if each.exists():
            each.rmdir()


def wait_for(path: Path, *, there: bool) -> None:
    """Until a path is there, or is not any more."""
    deadline = time.monotonic() + 30
    while path.exists() is not there:
        assert time.monotonic() < deadline, f"{path} is {'not ' if there else ''}there"
        time.sleep(0.02)


@pytest.mark.parametrize("thread", ["--thread=0", "--thread=1"])
def test_a_job_is_in_its_group_which_is_gone_afterwards(
    engine: Path, tmp_path: Path, group: Path, thread: str
) -> None:
    job = [*NULL, thread, f"--cgroup=/{group.name}/inner", "--exec_prerun=cat /proc/self/cgroup"]
    ran = run(engine, job, tmp_path)
    assert ran.status == 0, ran.err
    assert f":/{group.name}/inner\n" in (tmp_path / "j.prerun.txt").read_text()
    assert not group.exists()


def test_a_group_is_left_when_that_is_asked_for(engine: Path, tmp_path: Path, group: Path) -> None:
    job = [*NULL, f"--cgroup={group.name}", "--cgroup_nodelete=1"]
    assert run(engine, job, tmp_path).status == 0
    assert group.is_dir()


def test_a_group_of_somebody_else_is_left(engine: Path, tmp_path: Path, group: Path) -> None:
    group.mkdir()
    assert run(engine, [*NULL, f"--cgroup={group.name}"], tmp_path).status == 0
    assert group.is_dir()


def test_a_weight_is_set_or_the_run_refused(engine: Path, tmp_path: Path, group: Path) -> None:
    """Which file has it is the kernel's choice; one without any says so."""
    files = " ".join(f"{group}/{name}" for name in ("blkio.weight", "blkio.bfq.weight"))
    look = f"--exec_prerun=cat {files} {group}/io.weight {group}/io.bfq.weight 2>/dev/null || true"
    job = [*NULL, f"--cgroup={group.name}", "--cgroup_weight=321", look]
    ran = run(engine, job, tmp_path)
    if ran.status == 0:
        assert "321" in (tmp_path / "j.prerun.txt").read_text()
    else:
        assert "cgroup_weight: " in ran.err
    assert not group.exists()


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_no_group_is_left_by_an_engine_that_is_ended(
    engine: Path, tmp_path: Path, group: Path, end: signal.Signals
) -> None:
    arguments = [str(engine), *NULL, *ENDLESS, f"--cgroup={group.name}/inner", "--output=out"]
    with subprocess.Popen(arguments, cwd=tmp_path, stderr=subprocess.DEVNULL) as process:
        wait_for(group / "inner", there=True)
        process.send_signal(end)
        process.wait(timeout=60)
    wait_for(group, there=False)


def test_the_keeper_holds_nothing_open(engine: Path, tmp_path: Path, group: Path) -> None:
    """Whoever reads what the engine prints is not kept waiting by it."""
    arguments = [str(engine), *NULL, *ENDLESS, f"--cgroup={group.name}"]
    with subprocess.Popen(arguments, cwd=tmp_path, stdout=subprocess.PIPE) as process:
        wait_for(group, there=True)
        process.kill()
        process.communicate(timeout=60)
    wait_for(group, there=False)


@pytest.mark.parametrize(
    ("option", "why"),
    [
        ("cgroup=../a", "no part of it begins with a dot"),
        ("cgroup=a/../../b", "no part of it begins with a dot"),
        ("cgroup_weight=50", "at least 100"),
        ("cgroup_weight=1001", "at most 1000"),
    ],
)
def test_a_wrong_group_is_told(engine: Path, tmp_path: Path, option: str, why: str) -> None:
    ran = run(engine, ["-"], tmp_path, f"[j]\nsize=4k\n{option}\n")
    assert ran.status == 2
    assert why in ran.err
