"""The engine by hand writes nothing that is in use, by whatever name it is given."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.devices import (
    SWAP_HEADER,
    elsewhere,
    image_of,
    loop_device,
    loop_over,
    mounted,
    needs_root,
    overlay,
    partition,
    sh,
    swapping,
)
from support.engine_runs import run

pytestmark = needs_root


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path) as made:
        yield made


def written(engine: Path, folder: Path, target: str) -> str:
    """What the engine says to a job that writes there; nothing when it did."""
    text = f"[j]\nrw=write\nsize=1m\nfilename={target}\n"
    ran = run(engine, ["-", "--output-format=json"], folder, text)
    assert (ran.status == 0) is (ran.err == ""), ran.err
    return ran.err


def refused(engine: Path, folder: Path, target: str, image: str, stays: int | None = None) -> str:
    """What the engine says; the first bytes of the image, or all of them, are what they were."""
    before = hashlib.sha256(Path(image).read_bytes()[:stays]).hexdigest()
    said = written(engine, folder, target)
    assert "must not be written" in said, said
    assert hashlib.sha256(Path(image).read_bytes()[:stays]).hexdigest() == before
    return said


def test_what_nobody_uses_is_written(engine: Path, path: str, tmp_path: Path) -> None:
    with loop_over(path) as upper:
        assert written(engine, tmp_path, upper) == ""
    assert written(engine, tmp_path, path) == ""


def test_a_loop_over_a_mounted_loop(engine: Path, path: str, tmp_path: Path) -> None:
    with (
        loop_over(path) as middle,
        loop_over(middle) as upper,
        mounted(path, tmp_path / "mnt"),
    ):
        said = refused(engine, tmp_path, upper, image_of(path))
        assert f"is mounted on {tmp_path / 'mnt'};" in said


def test_a_loop_over_swap(engine: Path, path: str, tmp_path: Path) -> None:
    with loop_over(path) as upper, swapping(path):
        assert "swap" in refused(engine, tmp_path, upper, image_of(path), SWAP_HEADER)


def test_two_loops_over_one_image(engine: Path, path: str, tmp_path: Path) -> None:
    image = image_of(path)
    (tmp_path / "link").hardlink_to(image)
    with loop_over(tmp_path / "link") as other:
        assert f"{other} stores its blocks" in refused(engine, tmp_path, path, image)
        (tmp_path / "link").unlink()
        assert f"{path} stores its blocks" in refused(engine, tmp_path, other, image)
        assert "stores its blocks" in refused(engine, tmp_path, image, image)


@pytest.mark.parametrize("relative", [False, True], ids=["absolute", "relative"])
def test_an_image_through_an_overlay(engine: Path, tmp_path: Path, relative: bool) -> None:
    folder = tmp_path / "o v"
    below, seen, lower = (folder / name for name in ("u/a", "m/a", "l/b"))
    for image in (below, lower):
        image.parent.mkdir(parents=True)
        image.write_bytes(bytes(8 << 20))
    with overlay(folder, relative=relative):
        with loop_over(below) as loop:
            said = refused(engine, tmp_path, str(seen), str(below))
            assert f"{loop} stores its blocks" in said
            with loop_over(seen) as other:
                assert "stores its blocks" in refused(engine, tmp_path, other, str(below))
        with loop_over(seen):
            assert "stores its blocks" in refused(engine, tmp_path, str(below), str(below))
        with loop_over(folder / "m/b", "--read-only"):
            assert "stores its blocks" in refused(engine, tmp_path, str(lower), str(lower))
        with loop_over(lower):
            before = lower.read_bytes()
            assert written(engine, tmp_path, str(folder / "m/b")) == ""
            assert lower.read_bytes() == before
        assert written(engine, tmp_path, str(seen)) == ""


def test_parts_of_one_image_that_share_nothing(engine: Path, path: str, tmp_path: Path) -> None:
    with (
        loop_over(path, "--sizelimit", str(16 << 20)) as one,
        loop_over(path, "--offset", str(16 << 20)) as other,
    ):
        assert written(engine, tmp_path, one) == ""
        with mounted(other, tmp_path / "mnt"):
            assert written(engine, tmp_path, one) == ""
            refused(engine, tmp_path, path, image_of(path))


def test_an_image_whose_loop_has_it_by_another_name(
    engine: Path, path: str, tmp_path: Path
) -> None:
    image = Path(image_of(path))
    image.rename(tmp_path / "renamed")
    try:
        assert "stores its blocks" in refused(
            engine, tmp_path, str(tmp_path / "renamed"), str(tmp_path / "renamed")
        )
    finally:
        (tmp_path / "renamed").rename(image)


def test_another_mount_namespace(engine: Path, path: str, tmp_path: Path) -> None:
    sh("mkfs.ext4", "-q", "-F", path)
    (tmp_path / "mnt").mkdir()
    with (
        loop_over(path) as upper,
        elsewhere(tmp_path, f"mount {path} {tmp_path}/mnt") as process,
    ):
        for target in (path, upper):
            said = refused(engine, tmp_path, target, image_of(path))
            assert f"in the mount namespace of process {process}" in said


def test_a_btrfs_of_two_devices(engine: Path, tmp_path: Path) -> None:
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("mkfs.btrfs is not installed")
    (tmp_path / "mnt").mkdir()
    with loop_device(tmp_path, 128) as one, loop_device(tmp_path, 128) as two:
        sh("mkfs.btrfs", "-q", "-f", one, two)
        sh("mount", "-o", f"device={one},device={two}", one, str(tmp_path / "mnt"))
        sh("sync", "-f", str(tmp_path / "mnt"))  # what it would write by itself a moment later
        try:
            said = [refused(engine, tmp_path, each, image_of(each)) for each in (one, two)]
            assert sum("a part of a btrfs" in each for each in said) == 1
            with loop_over(two) as upper:
                refused(engine, tmp_path, upper, image_of(two))
        finally:
            sh("umount", str(tmp_path / "mnt"))
            sh("btrfs", "device", "scan", "--forget")


def test_the_journal_of_a_mounted_ext4(engine: Path, path: str, tmp_path: Path) -> None:
    with loop_device(tmp_path, 32) as journal:
        sh("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "4096", journal)
        sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-J", f"device={journal}", path)
        (tmp_path / "mnt").mkdir()
        sh("mount", path, str(tmp_path / "mnt"))
        try:
            assert "journal" in refused(engine, tmp_path, journal, image_of(journal))
        finally:
            sh("umount", str(tmp_path / "mnt"))


def test_what_lies_below_is_claimed(engine: Path, path: str, tmp_path: Path) -> None:
    with loop_over(path) as upper:
        holder = os.open(path, os.O_RDWR | os.O_EXCL)
        try:
            assert f"the blocks of {path}" in refused(engine, tmp_path, upper, image_of(path))
        finally:
            os.close(holder)


def test_a_sister_of_a_mounted_partition(engine: Path, path: str, tmp_path: Path) -> None:
    with partition(path) as part:
        sh("addpart", path, "2", "20480", "16384")
        try:
            with mounted(part, tmp_path / "mnt"):
                assert written(engine, tmp_path, f"{path}p2") == ""
                refused(engine, tmp_path, path, image_of(path))
                refused(engine, tmp_path, part, image_of(path))
        finally:
            sh("delpart", path, "2")
