"""Whole runs on block devices that the test makes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from support.devices import loop_device, mounted, needs_kernel_log, needs_root
from support.html_tree import read_html

from .conftest import Iogate, engines_of, wait_for

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


READING = """\
version: 1
name: reading
targets: { disk: { device: %s } }
workloads:
  io:
    target: disk
    fio: { rw: randread, size: 4m, ioengine: psync, direct: 1, time_based: true, runtime: 2s }
    repetitions: 1
"""


def cut_off(device: str) -> None:
    """From now on the loop device answers with I/O errors, as the end of its file is before
    every sector."""
    os.truncate(Path(f"/sys/block/{Path(device).name}/loop/backing_file").read_text().strip(), 0)


@needs_kernel_log
def test_what_the_kernel_says_meanwhile_is_in_the_report(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, loop_device(iogate.folder, 8) as other:
        process = iogate.start("run", iogate.spec(READING % device))
        wait_for(lambda: engines_of(iogate.folder))
        cut_off(other)
        with Path(other).open("rb", buffering=0) as disk, pytest.raises(OSError, match="Input"):
            disk.read(4096)
        done = iogate.end(process)
    assert done.code == 0, done.text
    (measured,) = iogate.run_document()["measurements"]
    (told,) = [one for one in measured["kernel_log"] if one["kind"] == "I/O error"]
    assert any(f"dev {Path(other).name}, sector 0" in line for line in told["lines"])
    strip = read_html((iogate.latest / "report.html").read_text()).all("ul", "checks")[0]
    assert "× I/O error" in strip.text
    assert told["lines"][0] in strip.text


@needs_kernel_log
def test_what_the_kernel_says_is_with_the_reason_of_a_failure(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        process = iogate.start("run", iogate.spec(READING % device))
        wait_for(lambda: engines_of(iogate.folder))
        cut_off(device)
        done = iogate.end(process)
    assert done.code == 4, done.text
    (failure,) = iogate.run_document()["failures"]
    assert f"the kernel's log: I/O error, dev {Path(device).name}," in failure["reason"]
