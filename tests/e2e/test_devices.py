"""Whole runs on block devices that the test makes."""

from __future__ import annotations

import hashlib
from pathlib import Path

from support.devices import loop_device, mounted, needs_root

from .conftest import Iogate

pytestmark = needs_root
SPEC = """\
version: 1
name: device
targets:
  disk: { device: %s%s }
workloads:
  io:
    target: disk
    fio: { rw: %s, bs: 4k, size: 4m, ioengine: psync }
    repetitions: 1
"""
DESTROY = ", destroy: { size: 8m }"


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_device_that_is_named_properly_is_written(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, DESTROY, "write")))
        assert done.code == 0, done.text
        assert digest(device) != before


def test_reading_changes_nothing_and_needs_no_permission(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, "", "randread")))
        assert done.code == 0, done.text
        assert digest(device) == before


def test_a_device_that_nobody_allowed_to_destroy(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        spec = iogate.spec(SPEC % (device, "", "randrw"))
        done = iogate("run", spec)
        assert done.code == 3
        assert f"{spec}:4:" in done.err
        assert "destroy: { size:" in done.err
        assert digest(device) == before
        assert not (iogate.folder / "iogate-runs").exists()


def test_a_mounted_device(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, DESTROY, "write")))
        assert done.code == 3
        assert f"is mounted at {iogate.folder / 'mnt'}" in done.err
        assert digest(device) == before


def test_a_symlink_to_a_mounted_device(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        link = iogate.folder / "by-id"
        link.symlink_to(device)
        assert iogate("run", iogate.spec(SPEC % (link, DESTROY, "write"))).code == 3


def test_a_job_cannot_smuggle_a_device_in(iogate: Iogate) -> None:
    """A directory target whose job names a device as its file."""
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        text = SPEC % ("X", "", f"write, filename: {device}")
        done = iogate("run", iogate.spec(text.replace("device: X", "directory: auto")))
        assert done.code in (2, 3), done.text
        assert digest(device) == before


def test_a_dry_run_says_what_would_be_destroyed(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, DESTROY, "write")), "--dry-run")
        assert done.code == 0
        assert f"OVERWRITES the device {device}" in done.out
        assert digest(device) == before


def test_a_dry_run_refuses_what_the_run_would(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        before = digest(device)
        spec = iogate.spec(SPEC % (device, DESTROY, "write"))
        dry, real = iogate("run", spec, "--dry-run"), iogate("run", spec)
        assert (dry.code, dry.err) == (real.code, real.err)
        assert dry.code == 3
        assert f"OVERWRITES the device {device}" in dry.out
        assert f"is mounted at {iogate.folder / 'mnt'}" in dry.err
        assert digest(device) == before
