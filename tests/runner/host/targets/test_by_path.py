"""A host is examined for a place that no spec names yet: it is judged as a run would."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.host.checks import Finding, Severity, examine
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_root, sh, tmpfs

NEITHER = "is neither a directory nor a block device, nor a regular file"
KERNEL = "is where the kernel shows itself, not files"


def judged(path: object) -> Finding:
    return next(found for check, found in examine(LocalSut(), str(path)) if check.id == "target")


@pytest.mark.parametrize(
    ("path", "what"),
    [
        ("/dev/null", NEITHER),
        ("/dev/stdin/x", "does not exist"),
        ("/dev/no-such-disk", "does not exist"),
        ("/proc", KERNEL),
        ("/proc/self/status", KERNEL),
        ("/proc/self/fd", KERNEL),
        ("/proc/1/root/nowhere", "does not exist"),
        ("/sys/kernel", KERNEL),
        ("/dev", KERNEL),
        ("/etc/passwd", "may be a part of this host"),
    ],
)
def test_what_no_run_measures_is_bad(path: str, what: str) -> None:
    found = judged(path)
    assert (found.severity, what in found.found) == (Severity.BAD, True), found
    assert found.remedy
    assert "mkdir" not in found.remedy


def test_pipes_sockets_and_links_to_devices_are_bad(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/null")
    with socket.socket(socket.AF_UNIX) as server, tempfile.TemporaryDirectory() as short:
        server.bind(f"{short}/socket")
        for path in (tmp_path / "pipe", tmp_path / "link", f"{short}/socket"):
            assert judged(path) == Finding(
                Severity.BAD, f"{path} {NEITHER}", "name one of them: nothing else is measured"
            )


def test_a_folder_and_a_file_are_measured(tmp_path: Path) -> None:
    file = Path("/var/tmp") / f"iogate-test-{os.getpid()}"
    file.write_bytes(bytes(4096))
    try:
        for path in (tmp_path, file):
            assert judged(path) == Finding(Severity.OK, str(path))
        (other := file.with_suffix(".too")).hardlink_to(file)
        try:
            assert "has 2 names" in judged(file).found
        finally:
            other.unlink()
    finally:
        file.unlink()


@needs_root
def test_a_folder_in_which_no_file_can_be_made_is_bad(tmp_path: Path) -> None:
    with tmpfs(tmp_path / "ro", "64k") as point:
        sh("mount", "-o", "remount,ro", str(point))
        found = judged(point)
    assert found.severity is Severity.BAD
    assert "is mounted read-only" in found.found


@pytest.fixture
def immutable(tmp_path: Path) -> Iterator[Path]:
    with loop_device(tmp_path) as device, mounted(device, tmp_path / "mnt") as point:
        (folder := point / "folder").mkdir()
        sh("chattr", "+i", str(folder))
        yield folder
        sh("chattr", "-i", str(folder))


@needs_root
@pytest.mark.skipif(not shutil.which("chattr"), reason="chattr is not installed")
def test_root_is_told_why_it_may_not_write(immutable: Path) -> None:
    found = judged(immutable)
    assert found.severity is Severity.BAD
    assert f"lsattr -d {immutable}" in found.remedy


@needs_root
def test_a_disk_in_use_may_only_be_read(tmp_path: Path) -> None:
    with loop_device(tmp_path) as device:
        assert judged(device) == Finding(Severity.OK, device)
        with mounted(device, tmp_path / "mnt") as point:
            found = judged(device)
            assert found.severity is Severity.WARN
            assert str(point) in found.found
            assert found.found.endswith(": a run may only read it")


@needs_root
def test_a_disk_that_is_read_only_may_only_be_read(tmp_path: Path) -> None:
    with loop_device(tmp_path, readonly=True) as device:
        found = judged(device)
    assert found.severity is Severity.WARN
    assert found.found == f"{device} is read-only: a run may only read it"


@pytest.mark.parametrize("path", ["/dev/null", "/proc"])
def test_no_free_space_is_told_of_what_keeps_no_files(path: str) -> None:
    assert "space" not in {check.id for check, _found in examine(LocalSut(), path)}
