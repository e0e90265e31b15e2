"""Real loop devices in every state that must keep them from being overwritten."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import system_devices
from iogate.host.devices.safety import refusal
from iogate.model.spec import Destroy
from iogate.sut.local import LocalSut
from support.devices import (
    image_of,
    loop_device,
    mounted,
    needs_root,
    partition,
    sh,
    swapping,
)

pytestmark = needs_root
SIZE = 32 << 20


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path) as made:
        yield made


def device_at(sut: LocalSut, path: str) -> Device:
    found = find_device(sut, path)
    assert found is not None
    return found


def named(path: str, *holds: str) -> Destroy:
    return Destroy(backing=image_of(path), holds=holds)


def why_not(sut: LocalSut, path: str, destroy: Destroy | None = None) -> str:
    found = refusal(sut, device_at(sut, path), destroy or named(path))
    return found.reason if found else ""


def test_a_free_device_that_is_named_properly_may_be_written(sut: LocalSut, path: str) -> None:
    assert why_not(sut, path) == ""


def test_without_destroy_it_is_refused_and_the_remedy_names_it(sut: LocalSut, path: str) -> None:
    found = refusal(sut, device_at(sut, path), None)
    assert found is not None
    assert f"destroy: {{ backing: {image_of(path)} }}" in found.remedy


def test_a_mounted_device_without_destroy_is_mounted_first(
    sut: LocalSut, path: str, tmp_path: Path
) -> None:
    with mounted(path, tmp_path / "mnt"):
        found = refusal(sut, device_at(sut, path), None)
        assert found is not None
        assert found.reason == f"{path} is mounted at {tmp_path / 'mnt'}"
        assert "destroy" not in found.remedy


def test_a_user_who_may_not_open_it_is_told_so(
    sut: LocalSut, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sut, "can_write", lambda at: as_nobody("test", "-w", at))
    found = refusal(sut, device_at(sut, path), named(path))
    assert found is not None
    assert found.reason == f"{path}: permission denied"
    assert found.remedy.endswith(f"iogate host install --user NAME --device {path}")


def as_nobody(*argv: str) -> bool:
    """Whether a command works for a user who may do nothing: this process is root's."""
    return subprocess.run(argv, check=False, user="nobody", group="nogroup").returncode == 0


@pytest.mark.parametrize("fs_type", ["ext4", "xfs", "btrfs"])
def test_mounted(sut: LocalSut, tmp_path: Path, fs_type: str) -> None:
    if not shutil.which(f"mkfs.{fs_type}"):
        pytest.skip(f"mkfs.{fs_type} is not installed")
    with loop_device(tmp_path, 320) as path, mounted(path, tmp_path / "mnt", fs_type):
        reason = why_not(sut, path)
        assert reason == f"{path} is mounted at {tmp_path / 'mnt'}"


def test_a_mounted_partition_protects_its_disk_and_itself(
    sut: LocalSut, path: str, tmp_path: Path
) -> None:
    with partition(path) as part, mounted(part, tmp_path / "mnt"):
        assert why_not(sut, path) == f"{part} is mounted at {tmp_path / 'mnt'}"
        assert "is mounted" in why_not(sut, part)


def test_a_mounted_disk_protects_its_partitions(sut: LocalSut, path: str, tmp_path: Path) -> None:
    with mounted(path, tmp_path / "mnt"):
        disk = device_at(sut, path)
        part = dataclasses.replace(disk, name=f"{disk.name}p1", partitions=())
        found = refusal(sut, part, Destroy(size_bytes=SIZE))
        assert found is not None
        assert "is mounted" in found.reason


def test_a_free_partition_may_be_written(sut: LocalSut, path: str) -> None:
    with partition(path) as part:
        assert why_not(sut, part) == ""
        assert device_at(sut, path).partitions == (Path(part).name,)


def test_swap(sut: LocalSut, path: str) -> None:
    with swapping(path):
        assert why_not(sut, path) == f"{path} is active swap"


def test_it_backs_a_loop_device(sut: LocalSut, path: str) -> None:
    upper = sh("losetup", "--find", "--show", path)
    try:
        assert why_not(sut, path) == f"{path} backs {upper}"
        assert why_not(sut, upper, Destroy(backing=path)) == ""
    finally:
        sh("losetup", "--detach", upper)


def test_read_only(sut: LocalSut, tmp_path: Path) -> None:
    with loop_device(tmp_path, readonly=True) as path:
        assert why_not(sut, path) == f"{path} is read-only"


def test_claimed_by_someone_that_no_file_names(sut: LocalSut, path: str) -> None:
    import os

    holder = os.open(path, os.O_RDWR | os.O_EXCL)
    try:
        assert "cannot be opened for itself alone" in why_not(sut, path)
    finally:
        os.close(holder)


def test_a_symlink_is_the_device_that_it_leads_to(sut: LocalSut, path: str, tmp_path: Path) -> None:
    link = tmp_path / "by-id"
    link.symlink_to(path)
    with mounted(path, tmp_path / "mnt"):
        assert why_not(sut, str(link)).startswith(f"{path} is mounted")


def test_the_disk_that_the_system_runs_from_is_refused_whatever_the_spec_says(
    sut: LocalSut,
) -> None:
    _, root = next(system_devices(sut), ("", None))
    if root is None:
        pytest.skip("nothing of the system here is on a block device")
    for name in {root.name, root.disk}:
        disk = dataclasses.replace(root, name=name)
        found = refusal(sut, disk, Destroy(size_bytes=root.size_bytes))
        assert found is not None
        assert "the disk that holds /" in found.reason


def test_an_unmounted_partition_of_the_system_disk_is_refused_too(sut: LocalSut) -> None:
    _, root = next(system_devices(sut), ("", None))
    if root is None:
        pytest.skip("nothing of the system here is on a block device")
    other = dataclasses.replace(root, name=f"{root.disk}p9", number="259:99")
    found = refusal(sut, other, Destroy(size_bytes=root.size_bytes))
    assert found is not None
    assert "the disk that holds /" in found.reason


class SysfsOf(LocalSut):
    """This machine with files of one's own before the real ones: for device mapper and md,
    which not every kernel has."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read_text(self, path: str) -> str | None:
        return super().read_text(f"{self._root}{path}") or super().read_text(path)

    def list_dir(self, path: str) -> tuple[str, ...]:
        return super().list_dir(f"{self._root}{path}") or super().list_dir(path)


def test_part_of_a_volume(path: str, tmp_path: Path) -> None:
    holders = tmp_path / f"sys/block/{Path(path).name}/holders"
    (holders / "dm-7").mkdir(parents=True)
    assert why_not(SysfsOf(tmp_path), path) == f"{path} is part of /dev/dm-7"


def test_a_partition_in_a_volume_protects_its_disk(path: str, tmp_path: Path) -> None:
    with partition(path) as part:
        name = Path(path).name
        (tmp_path / f"sys/block/{name}/{Path(part).name}/holders/md0").mkdir(parents=True)
        assert why_not(SysfsOf(tmp_path), path) == f"{path} is part of /dev/md0"
