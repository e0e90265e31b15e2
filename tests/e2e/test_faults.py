"""Faults on purpose: whatever happens once a run has begun, it tells what it measured, and what
failed counts."""

from __future__ import annotations

import html
import json
import os
from pathlib import Path
from typing import Any

import pytest

from support.devices import loop_device, mounted, needs_kernel_log, needs_root, sh

from .conftest import Done, Iogate, engines_of, kill, wait_for

SPEC = """\
version: 1
name: faults
targets: { disk: { %s } }
workloads:
  io:
    target: disk
    fio: { %s }
    repetitions: %d
    thresholds: { %s }
"""
READING = "rw: randread, bs: 4k, size: 4m, ioengine: psync, direct: 1, time_based: 1, runtime: %s"


def verdict_of(iogate: Iogate) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((iogate.latest / "verdict.json").read_text())
    return found


def judged(iogate: Iogate, metric: str) -> dict[str, Any]:
    """The verdict on the only limit on a metric."""
    (found,) = (
        each for each in verdict_of(iogate)["thresholds"] if each["threshold"]["metric"] == metric
    )
    return dict(found)


def tells_all(iogate: Iogate, done: Done, *words: str) -> None:
    """Every document is there, and says these words as the terminal does."""
    for name in ("report.html", "junit.xml", "summary.md", "verdict.json", "run.json"):
        text = html.unescape((iogate.latest / name).read_text())
        for word in words:
            assert word in text, f"{name} does not say {word}"
    assert all(word in done.text for word in words), done.text
    assert verdict_of(iogate)["exit_code"] == done.code


def cut_off(device: str) -> None:
    """From now on a loop device answers with I/O errors: every sector is past its file's end."""
    os.truncate(Path(f"/sys/block/{Path(device).name}/loop/backing_file").read_text().strip(), 0)


@needs_root
@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_repetition_that_ends_in_eio_counts_as_errors(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        limits = "errors: '< 1', read.iops: '> 1'"
        spec = iogate.spec(SPEC % (f"device: {device}", READING % "2s", 2, limits))
        process = iogate.start("run", spec, "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        cut_off(device)
        done = iogate.end(process)
    assert done.code == 4, done.text
    assert judged(iogate, "errors")["outcome"] == "fail"
    assert judged(iogate, "errors")["value"] >= 1
    tells_all(iogate, done, "errors")
    (failure,) = iogate.run_document()["failures"]
    assert failure["errors"]["io"]["EIO"] >= 1


def test_a_repetition_whose_engine_was_killed_counts_as_an_error(iogate: Iogate) -> None:
    limits = "errors: '< 1'"
    spec = iogate.spec(SPEC % ("directory: auto", READING % "60s", 2, limits))
    process = iogate.start("run", spec)
    wait_for(lambda: engines_of(iogate.folder))
    kill(engines_of(iogate.folder)[0])
    done = iogate.end(process)
    assert done.code == 4, done.text
    assert (judged(iogate, "errors")["outcome"], judged(iogate, "errors")["value"]) == ("fail", 1)
    tells_all(iogate, done, "errors")


def measuring(iogate: Iogate, place: Path, what: str = READING % "3s", limits: str = "") -> Any:
    """A run with one case in a folder, two repetitions, that has begun to measure."""
    limits = limits or "read.iops: '> 1'"
    process = iogate.start("run", iogate.spec(SPEC % (f"directory: {place}", what, 2, limits)))
    wait_for(lambda: engines_of(iogate.folder))
    return process


@needs_root
@needs_kernel_log
def test_an_error_of_the_targets_filesystem_fails_a_run_that_read_well(iogate: Iogate) -> None:
    """errors=continue: the filesystem goes on, and every read succeeds."""
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        sh("mount", "-o", "remount,errors=continue", str(point))
        process = measuring(iogate, point)
        fault = Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error")
        fault.write_text("made by a test")
        done = iogate.end(process)
    assert done.code == 1, done.text
    found = judged(iogate, "kernel_errors")
    assert (found["outcome"], found["threshold"]["limit"]["text"]) == ("fail", "< 1 (iogate's own)")
    assert f"device {Path(device).name}" in found["reason"]
    tells_all(iogate, done, "kernel_errors", f"device {Path(device).name}")
    assert len(iogate.run_document()["measurements"]) == 2


@needs_root
@needs_kernel_log
def test_the_spec_may_allow_what_the_kernel_tells(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        sh("mount", "-o", "remount,errors=continue", str(point))
        process = measuring(iogate, point, limits="kernel_errors: '< 100'")
        Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("made by a test")
        done = iogate.end(process)
    assert done.code == 0, done.text
    assert judged(iogate, "kernel_errors")["value"] >= 1


@needs_root
def test_a_filesystem_that_went_read_only_fails_what_only_reads(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 32) as device, mounted(device, point):
        process = measuring(iogate, point)
        _force_read_only(device)
        done = iogate.end(process)
    assert done.code in (1, 4), done.text
    assert judged(iogate, "kernel_errors")["outcome"] == "fail"


@needs_root
def test_an_xfs_that_was_shut_down_tells_so(iogate: Iogate) -> None:
    point = iogate.folder / "mnt"
    with loop_device(iogate.folder, 320) as device, mounted(device, point, "xfs"):
        process = measuring(iogate, point, READING.replace("direct: 1", "direct: 0") % "3s")
        sh("xfs_io", "-x", "-c", "shutdown -f", str(point))
        done = iogate.end(process)
    assert done.code in (1, 4), done.text
    assert judged(iogate, "kernel_errors")["outcome"] == "fail"


def _force_read_only(device: str) -> None:
    """What ext4 does by itself with errors=remount-ro, its default here."""
    sh("mount", "-o", "remount,errors=remount-ro", device)
    Path(f"/sys/fs/ext4/{Path(device).name}/trigger_fs_error").write_text("made by a test")
