"""Whole runs on block devices that the test makes."""

from __future__ import annotations

import hashlib
import os
from contextlib import ExitStack
from pathlib import Path

import pytest

from support.devices import (
    image_of,
    loop_device,
    loop_over,
    mounted,
    needs_kernel_log,
    needs_root,
    sh,
)
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


def allowed(device: str, *holds: str) -> str:
    more = f", holds: [{', '.join(holds)}]" if holds else ""
    return f", destroy: {{ backing: {image_of(device)}{more} }}"


def digest(path: str) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_a_device_that_is_named_properly_is_written(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, allowed(device), "write")))
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
        assert allowed(device).removeprefix(", ") in done.err
        assert digest(device) == before
        assert not (iogate.folder / "iogate-runs").exists()


def test_a_mounted_device(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        before = digest(device)
        done = iogate("run", iogate.spec(SPEC % (device, allowed(device), "write")))
        assert done.code == 3
        assert f"is mounted at {iogate.folder / 'mnt'}" in done.err
        assert digest(device) == before


def test_a_symlink_to_a_mounted_device(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        link = iogate.folder / "by-id"
        link.symlink_to(device)
        assert iogate("run", iogate.spec(SPEC % (link, allowed(device), "write"))).code == 3


def test_a_filesystem_that_nobody_mentioned(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        before = digest(device)
        spec = iogate.spec(SPEC % (device, allowed(device), "write"))
        done, dry = iogate("run", spec), iogate("run", spec, "--dry-run")
        assert (done.code, dry.code) == (3, 3), done.text
        assert f"{spec}:4:" in done.err
        assert f"{device} holds ext4 (" in done.err
        assert f"destroy: {{ backing: {image_of(device)}, holds: ext4 }}" in done.err
        assert digest(device) == before
        assert (
            iogate("run", iogate.spec(SPEC % (device, allowed(device, "ext4"), "write"))).code == 0
        )
        assert digest(device) != before


def test_a_precondition_of_a_device_that_is_only_read_overwrites_it(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        before = digest(device)
        text = SPEC % (device, allowed(device), "read") + "precondition: { fill: { bs: 1m } }\n"
        for words in ((), ("--dry-run",)):
            done = iogate("run", iogate.spec(text), *words)
            assert done.code == 3, done.text
            assert f"{device} holds ext4 (" in done.err
        assert digest(device) == before


@pytest.mark.parametrize("engine", ["native", "fio"])
@pytest.mark.parametrize("destroy", ["{ size: 8m }", "{ model: x, size: 8m }", "{ serial: S }"])
def test_an_identity_that_is_none_of_a_loop_device(
    iogate: Iogate, engine: str, destroy: str
) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        spec = iogate.spec(SPEC % (device, f", destroy: {destroy}", "write"))
        done = iogate("run", spec, "--engine", engine)
        assert done.code == 3, done.text
        assert f"this device would be: {allowed(device).removeprefix(', ')}" in done.err
        assert digest(device) == before


@pytest.mark.parametrize("empty", ['""', '"  "', '"${IOGATE_VAR_UNSET:-}"', '"\\u200b"'])
@pytest.mark.parametrize("key", ["serial", "wwn", "by_id", "backing", "size"])
def test_an_empty_identity_is_an_error_of_the_spec(iogate: Iogate, key: str, empty: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        before = digest(device)
        spec = iogate.spec(SPEC % (device, f", destroy: {{ {key}: {empty} }}", "write"))
        for command in ("run", "validate"):
            done = iogate(command, spec)
            assert done.code == 2, done.text
            assert f"{spec}:4:" in done.err
            assert f"{key} is empty" in done.err
        assert digest(device) == before


@pytest.mark.parametrize("engine", ["native", "fio"])
@pytest.mark.parametrize("which", ["upper", "twin", "image"])
def test_blocks_that_another_name_has(iogate: Iogate, engine: str, which: str) -> None:
    """A loop over a mounted loop, a second loop over its image, and the image itself."""
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        image = image_of(device)
        with loop_over(device if which == "upper" else image) as other:
            before = digest(image)
            if which == "image":
                text = SPEC % (image, ", overwrite: true", "write")
                spec = iogate.spec(text.replace("device:", "file:"))
            else:
                spec = iogate.spec(SPEC % (other, allowed(other, "anything"), "write"))
            done = iogate("run", spec, "--engine", engine)
            assert done.code == 3, done.text
            assert digest(image) == before


SLOW = """\
version: 1
name: device
targets:
  disk: { %s }
workloads:
  io:
    target: disk
    fio: { rw: write, bs: 4k, offset: 4m, size: 1m, rate: 500k, ioengine: psync }
    repetitions: 2
validity: { again: 0, off: [cpu, io] }
"""


@pytest.mark.parametrize("engine", ["native", "fio"])
def test_a_device_is_not_mounted_while_it_is_written(iogate: Iogate, engine: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        text = SLOW % f"device: {device}{allowed(device, 'ext4')}"
        process = iogate.start("run", iogate.spec(text), "--engine", engine)
        wait_for(lambda: engines_of(iogate.folder))
        wait_for(lambda: is_claimed(device), timeout_s=5)
        done = iogate.end(process)
        assert done.code == 0, done.text


def is_claimed(device: str) -> bool:
    """Whether the kernel lets nobody mount it."""
    try:
        os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
    except OSError:
        return True
    return False


@pytest.mark.parametrize(
    ("engine", "what"), [("fio", "device"), ("fio", "file"), ("native", "file")]
)
def test_what_comes_into_use_unkept_does_not_count(iogate: Iogate, engine: str, what: str) -> None:
    with loop_device(iogate.folder, 8) as device:
        sh("mkfs.ext4", "-q", "-F", device)
        file = iogate.folder / "file"
        file.write_bytes(bytes(8 << 20))
        target = f"device: {device}{allowed(device, 'ext4')}"
        if what == "file":
            target = f"file: {file}, overwrite: true"
        words = ("--engine", engine, "--unconfined")
        process = iogate.start("run", iogate.spec(SLOW % target), *words)
        wait_for(lambda: engines_of(iogate.folder))
        with ExitStack() as stack:
            if what == "device":
                stack.enter_context(mounted(device, iogate.folder / "mnt"))
            else:
                stack.enter_context(loop_over(file))
            done = iogate.end(process)
        assert done.code == 3, done.text
        assert "came into use while it was measured" in done.err
        assert iogate.run_document()["measurements"] == []


def test_repetitions_do_not_trip_over_what_they_wrote(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device:
        text = SPEC % (device, allowed(device), "write, buffer_pattern: '\"hsqs\"'")
        done = iogate(
            "run", iogate.spec(text.replace("repetitions: 1", "repetitions: 3")), "--engine", "fio"
        )
        assert done.code == 0, done.text
        assert len(iogate.run_document()["measurements"]) == 3


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
        done = iogate("run", iogate.spec(SPEC % (device, allowed(device), "write")), "--dry-run")
        assert done.code == 0
        assert f"OVERWRITES the device {device}" in done.out
        assert digest(device) == before


def test_a_dry_run_refuses_what_the_run_would(iogate: Iogate) -> None:
    with loop_device(iogate.folder, 8) as device, mounted(device, iogate.folder / "mnt"):
        before = digest(device)
        spec = iogate.spec(SPEC % (device, allowed(device), "write"))
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
    assert told["whose"] == "elsewhere"
    assert any(f"dev {Path(other).name}, sector 0" in line for line in told["lines"])
    strip = read_html((iogate.latest / "report.html").read_text()).all("ul", "checks")[0]
    assert "no errors of the target; elsewhere on the host" in strip.text
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
    failure, *_again = iogate.run_document()["failures"]
    assert f"the kernel's log: I/O error, dev {Path(device).name}," in failure["reason"]
