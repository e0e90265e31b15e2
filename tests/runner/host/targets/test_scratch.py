from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from iogate.errors import RunError
from iogate.host.targets.scratch import automatic_parent, is_scratch_left, scratch_directory, sweep
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_root, sh

CRASH = """
import os, sys
from iogate.host.targets.scratch import scratch_directory
from iogate.sut.local import LocalSut
with scratch_directory(LocalSut(), sys.argv[1], "crashed") as path:
    open(path + "/data", "w").write("x")
    os.kill(os.getpid(), 9)
"""


@contextmanager
def crashing(tmp_path: Path) -> Iterator[Path]:
    """What a run leaves that is killed, and that nobody waits for within."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen([sys.executable, "-c", CRASH, str(tmp_path)], env=env) as killed:
        os.waitid(os.P_PID, killed.pid, os.WEXITED | os.WNOWAIT)
        yield tmp_path / "iogate-crashed"
    assert killed.returncode == -signal.SIGKILL


def crash(tmp_path: Path) -> Path:
    with crashing(tmp_path) as left:
        return left


def test_it_is_there_inside_and_gone_after(sut: LocalSut, tmp_path: Path) -> None:
    with scratch_directory(sut, str(tmp_path), "t") as path:
        (Path(path) / "file").write_text("x")
        assert sweep(sut) == ()  # its owner lives
        assert Path(path).is_dir()
    assert not Path(path).exists()
    assert list((tmp_path / "state/iogate/scratch").iterdir()) == []


def test_what_a_killed_run_left_is_removed_by_the_next(sut: LocalSut, tmp_path: Path) -> None:
    left = crash(tmp_path)
    assert left.is_dir()
    assert sweep(sut) == (str(left),)
    assert not left.exists()
    assert sweep(sut) == ()


def test_a_killed_run_that_nobody_has_waited_for_yet_is_gone(sut: LocalSut, tmp_path: Path) -> None:
    with crashing(tmp_path) as left:
        assert is_scratch_left(sut)
        assert sweep(sut) == (str(left),)
    assert not left.exists()


def test_a_directory_without_our_mark_is_never_removed(sut: LocalSut, tmp_path: Path) -> None:
    left = crash(tmp_path)
    (left / ".iogate-scratch").write_text("someone else's")
    assert sweep(sut) == ()
    assert (left / "data").exists()


def test_a_symlink_inside_is_removed_and_not_followed(sut: LocalSut, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    with scratch_directory(sut, str(tmp_path), "t") as path:
        (Path(path) / "link").symlink_to(precious)
    assert (precious / "file").exists()


def test_broken_notes_are_passed_over(sut: LocalSut, tmp_path: Path) -> None:
    notes = tmp_path / "state/iogate/scratch"
    notes.mkdir(parents=True)
    (notes / "a.json").write_text("{")
    (notes / "b.json").write_text("[]")
    assert sweep(sut) == ()


def test_the_automatic_place_can_be_named(
    sut: LocalSut, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("IOGATE_SCRATCH", str(tmp_path))
    assert automatic_parent(sut) == str(tmp_path)


@needs_root
def test_what_cannot_be_removed_is_told_of_and_tried_again(sut: LocalSut, tmp_path: Path) -> None:
    point = tmp_path / "mnt"
    with loop_device(tmp_path) as device, mounted(device, point):
        left = crash(point)
        sh("mount", "-o", "remount,ro", str(point))
        told: list[str] = []
        assert sweep(sut, told.append) == ()
        (why,) = told
        assert f"cannot remove {left}" in why
        assert f"rm -rf --one-file-system -- {left}" in why
        assert is_scratch_left(sut)
        other = tmp_path / "other"
        other.mkdir()
        with scratch_directory(sut, str(other), "fine") as path:
            assert Path(path).is_dir()
        sh("mount", "-o", "remount,rw", str(point))
        assert sweep(sut, told.append) == (str(left),)
    assert not is_scratch_left(sut)


@needs_root
def test_one_that_cannot_be_removed_at_its_end_is_no_error(sut: LocalSut, tmp_path: Path) -> None:
    point = tmp_path / "mnt"
    told: list[str] = []
    with (
        loop_device(tmp_path) as device,
        mounted(device, point),
        scratch_directory(sut, str(point), "t", told.append),
    ):
        sh("mount", "-o", "remount,ro", str(point))
    assert len(told) == 1
    assert list((tmp_path / "state/iogate/scratch").iterdir()), "the next one tries again"


@needs_root
def test_one_on_a_filesystem_that_is_not_mounted_now_waits(sut: LocalSut, tmp_path: Path) -> None:
    point = tmp_path / "mnt/deep"
    point.parent.mkdir()
    with loop_device(tmp_path) as device:
        with mounted(device, point):
            inner = point / "inner"
            inner.mkdir()
            left = crash(inner)
        told: list[str] = []
        assert (sweep(sut, told.append), told) == ((), [])
        sh("mount", device, str(point))
        try:
            assert sweep(sut) == (str(left),)
        finally:
            sh("umount", str(point))


def test_one_that_was_killed_before_its_mark_is_removed(sut: LocalSut, tmp_path: Path) -> None:
    left = crash(tmp_path)
    for file in left.iterdir():
        file.unlink()
    assert sweep(sut) == (str(left),)


def test_a_link_in_its_place_is_not_followed(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    victim, made = tmp_path / "victim", sut.make_dir
    victim.mkdir()

    def swapped(path: str) -> None:
        made(path)
        Path(path).rmdir()
        Path(path).symlink_to(victim)

    monkeypatch.setattr(sut, "make_dir", swapped)
    with (
        pytest.raises(RunError, match="not what was made there"),
        scratch_directory(sut, str(tmp_path), "t"),
    ):
        pass
    assert list(victim.iterdir()) == []
