"""Who uses a device or a file: real loop devices, mounts, swap and filesystems, in every way
that a comparison of paths would miss."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import (
    claimed,
    file_user,
    look_at,
    system_devices,
    user_of,
)
from iogate.sut.base import LoopStatus
from iogate.sut.local import LocalSut
from repository.tree import ROOT
from support.devices import (
    elsewhere,
    loop_device,
    loop_over,
    mounted,
    needs_root,
    partition,
    sh,
    swap_file,
    swapping,
)

pytestmark = needs_root
MIB = 1 << 20


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return image_of(tmp_path / "disk.img")


def image_of(path: Path, size: int = 32 * MIB) -> Path:
    with path.open("wb") as out:
        out.truncate(size)
    return path


@pytest.fixture
def path(image: Path) -> Iterator[str]:
    with loop_over(image) as made:
        yield made


def device_at(sut: LocalSut, path: str) -> Device:
    found = find_device(sut, path)
    assert found is not None
    return found


def why(sut: LocalSut, path: str) -> str:
    """The reason that the tables give, without asking the kernel for a claim."""
    found = user_of(look_at(sut, device_at(sut, path)))
    return found.reason if found else ""


def test_nobody(sut: LocalSut, path: str) -> None:
    assert why(sut, path) == ""
    assert claimed(look_at(sut, device_at(sut, path))) is None


def test_a_loop_over_a_mounted_loop(sut: LocalSut, path: str, tmp_path: Path) -> None:
    with loop_over(path) as middle, loop_over(middle) as upper:
        assert why(sut, upper) == ""
        with mounted(path, tmp_path / "mnt"):
            for over in (middle, upper):
                assert why(sut, over) == (
                    f"{path}, which holds the blocks of {over}, is mounted at {tmp_path / 'mnt'}"
                )


def test_a_loop_over_a_loop_that_swaps(sut: LocalSut, path: str) -> None:
    with loop_over(path) as upper, swapping(path):
        assert why(sut, upper).endswith("is active swap")


def test_a_loop_over_a_disk_of_which_a_partition_is_mounted(
    sut: LocalSut, path: str, tmp_path: Path
) -> None:
    with partition(path) as part, loop_over(path) as upper, mounted(part, tmp_path / "mnt"):
        assert f"{part}, which holds the blocks of {upper}, is mounted" in why(sut, upper)


def test_what_lies_below_may_be_claimed_by_someone_that_no_file_names(
    sut: LocalSut, path: str
) -> None:
    with loop_over(path) as upper:
        holder = os.open(path, os.O_RDWR | os.O_EXCL)
        try:
            assert why(sut, upper) == ""
            found = claimed(look_at(sut, device_at(sut, upper)))
            assert found is not None
            assert found.reason.startswith(f"{path}, which holds the blocks of {upper}, cannot")
        finally:
            os.close(holder)


def test_two_loops_over_one_image(sut: LocalSut, path: str, image: Path) -> None:
    with loop_over(image) as other:
        assert why(sut, path) == f"{path} and {other} hold the same blocks"
        assert why(sut, other) == f"{other} and {path} hold the same blocks"


def test_two_loops_over_one_loop(sut: LocalSut, path: str) -> None:
    with loop_over(path) as one, loop_over(path) as other:
        assert why(sut, one) == f"{one} and {other} hold the same blocks"
        assert f"{path} backs" in why(sut, path)


def test_two_loops_over_parts_of_one_image_that_share_nothing(sut: LocalSut, image: Path) -> None:
    first = ("--offset", "0", "--sizelimit", str(16 * MIB))
    second = ("--offset", str(16 * MIB))
    overlapping = ("--offset", str(8 * MIB), "--sizelimit", str(9 * MIB))
    with loop_over(image, *first) as one, loop_over(image, *second) as other:
        assert why(sut, one) == why(sut, other) == ""
        with loop_over(image, *overlapping) as third:
            assert f"{one} and {third}" in why(sut, one)
            assert f"{other} and {third}" in why(sut, other)


@pytest.mark.parametrize("alias", ["hard link", "renamed", "deleted", "bind mount", "symlink"])
def test_the_other_loop_has_its_image_by_another_name(
    sut: LocalSut, path: str, image: Path, tmp_path: Path, alias: str
) -> None:
    other = tmp_path / "other.img"
    if alias == "bind mount":
        other.touch()
        sh("mount", "--bind", str(image), str(other))
    elif alias == "symlink":
        other.symlink_to(image)
    else:
        other.hardlink_to(image)
    try:
        with loop_over(other) as second:
            if alias == "renamed":
                other.rename(tmp_path / "renamed.img")
            elif alias == "deleted":
                other.unlink()
            assert why(sut, path) == f"{path} and {second} hold the same blocks"
            assert file_user(sut, str(image)) in {f"backs {path}", f"backs {second}"}
    finally:
        if alias == "bind mount":
            sh("umount", str(other))


def test_a_file_whose_loop_was_made_in_another_mount_namespace(
    sut: LocalSut, image: Path, tmp_path: Path
) -> None:
    """There the image is called what something else is called here."""
    (tmp_path / "there").mkdir()
    said = tmp_path / "loop"
    script = f"""\
mount -t tmpfs tmpfs {tmp_path}/there
touch {tmp_path}/there/disk.img
mount --bind {image} {tmp_path}/there/disk.img
losetup --find --show {tmp_path}/there/disk.img > {said}"""
    with elsewhere(tmp_path, script):
        made = said.read_text().strip()
        try:
            assert file_user(sut, str(image)) == f"backs {made}"
            with loop_over(image) as here:
                assert why(sut, here) == f"{here} and {made} hold the same blocks"
        finally:
            sh("losetup", "--detach", made)


def test_a_file_that_swaps_by_another_name(sut: LocalSut, tmp_path: Path) -> None:
    with swap_file(tmp_path) as swap:
        link = swap.with_name("link")
        link.hardlink_to(swap)
        with swapping(str(swap)):
            assert file_user(sut, str(link)) == "backs active swap"
            with loop_over(swap, "--read-only") as path:
                assert why(sut, path) == f"the image of {path} backs active swap"
        assert file_user(sut, str(link)) is None
        assert file_user(sut, str(tmp_path / "gone")) is None


@pytest.mark.parametrize("name", ["a\x0bb", "a\rb", "My\u2028Disk"])
def test_mounted_where_a_name_holds_what_looks_like_the_end_of_a_line(
    sut: LocalSut, path: str, tmp_path: Path, name: str
) -> None:
    sh("mkfs.ext4", "-q", "-F", path)
    (tmp_path / name).mkdir()
    with mounted(path, tmp_path / name):
        assert why(sut, path) == f"{path} is mounted at {tmp_path / name}"


def test_mounted_in_another_mount_namespace(sut: LocalSut, path: str, tmp_path: Path) -> None:
    sh("mkfs.ext4", "-q", "-F", path)
    (tmp_path / "mnt").mkdir()
    with (
        loop_over(path) as upper,
        elsewhere(tmp_path, f"mount {path} {tmp_path}/mnt") as process,
    ):
        there = f"{tmp_path}/mnt in the mount namespace of process {process}"
        assert why(sut, path) == f"{path} is mounted at {there}"
        assert f"which holds the blocks of {upper}, is mounted at {there}" in why(sut, upper)


def test_a_btrfs_of_two_devices(sut: LocalSut, tmp_path: Path) -> None:
    if not shutil.which("mkfs.btrfs"):
        pytest.skip("mkfs.btrfs is not installed")
    (tmp_path / "mnt").mkdir()
    with loop_device(tmp_path, 128) as one, loop_device(tmp_path, 128) as two:
        sh("mkfs.btrfs", "-q", "-f", one, two)
        sh("mount", "-o", f"device={one},device={two}", one, str(tmp_path / "mnt"))
        try:
            reasons = sorted((why(sut, one), why(sut, two)))
            assert any("is mounted at" in reason for reason in reasons)
            assert any("is a part of the mounted btrfs filesystem" in each for each in reasons)
            with loop_over(two) as upper:
                assert "which holds the blocks of" in why(sut, upper)
        finally:
            sh("umount", str(tmp_path / "mnt"))
            sh("btrfs", "device", "scan", "--forget")


def test_the_journal_of_a_mounted_ext4(sut: LocalSut, path: str, tmp_path: Path) -> None:
    with loop_device(tmp_path, 32) as journal:
        sh("mke2fs", "-q", "-F", "-O", "journal_dev", "-b", "4096", journal)
        sh("mkfs.ext4", "-q", "-F", "-b", "4096", "-J", f"device={journal}", path)
        (tmp_path / "mnt").mkdir()
        sh("mount", path, str(tmp_path / "mnt"))
        try:
            assert why(sut, journal) == f"{journal} is the journal of a mounted filesystem"
        finally:
            sh("umount", str(tmp_path / "mnt"))


def test_the_log_of_a_mounted_xfs(sut: LocalSut, tmp_path: Path) -> None:
    if not shutil.which("mkfs.xfs"):
        pytest.skip("mkfs.xfs is not installed")
    (tmp_path / "mnt").mkdir()
    with loop_device(tmp_path, 320) as data, loop_device(tmp_path, 128) as log:
        sh("mkfs.xfs", "-q", "-f", "-l", f"logdev={log}", data)
        sh("mount", "-o", f"logdev={log}", data, str(tmp_path / "mnt"))
        try:
            assert why(sut, log) == f"{log} is mounted at {tmp_path / 'mnt'}"
        finally:
            sh("umount", str(tmp_path / "mnt"))


def test_a_sister_of_a_mounted_partition_is_free_and_their_disk_is_not(
    sut: LocalSut, path: str, tmp_path: Path
) -> None:
    with partition(path) as part:
        sh("addpart", path, "2", "20480", "16384")
        try:
            with mounted(part, tmp_path / "mnt"):
                assert why(sut, f"{path}p2") == ""
                assert why(sut, path) == f"{part} is mounted at {tmp_path / 'mnt'}"
                with loop_over(f"{path}p2") as upper:
                    assert why(sut, upper) == ""
                    assert why(sut, f"{path}p2") == f"{path}p2 backs {upper}"
                    assert why(sut, path) != ""
        finally:
            sh("delpart", path, "2")


def test_a_partition_that_swaps_keeps_its_disk(sut: LocalSut, path: str) -> None:
    with partition(path) as part, swapping(part):
        assert why(sut, path) == f"{part} is active swap"


LOOK = f"""\
import sys
sys.path.insert(0, "{ROOT}/runner")
from iogate.host.devices.in_use import system_devices
from iogate.sut.local import LocalSut
"""


class OverRoot(LocalSut):
    """This machine with a loop device that stands on the disk of the root filesystem: where
    that disk may not even be opened, none can be made."""

    def __init__(self, number: str) -> None:
        self._number = number

    def loop_status(self, path: str) -> LoopStatus | None:
        found = super().loop_status(path)
        return found and replace(found, rdev=self._number)


def test_a_loop_over_the_disk_that_the_system_runs_from(sut: LocalSut, path: str) -> None:
    place, root = next(system_devices(sut), ("", None))
    if root is None:
        pytest.skip("nothing of the system here is on a block device")
    assert why(OverRoot(root.number), path) == (
        f"{root.path}, which holds the blocks of {path}, is on the disk that holds {place}"
    )


def test_a_container_runs_from_the_disk_that_its_hosts_file_is_bound_from(path: str) -> None:
    """There / is an overlay, which says nothing of a disk."""
    sh("mkfs.ext4", "-q", "-F", path)
    look = "for each in system_devices(LocalSut()): print(*each)"
    script = f"""\
mount {path} /mnt
touch /mnt/hosts
mount --bind /mnt/hosts /etc/hosts
umount --lazy /mnt
exec "$0" -c '{LOOK}{look}'"""
    said = sh("unshare", "--mount", "sh", "-ec", script, sys.executable).splitlines()
    assert any(f"name='{Path(path).name}'" in each for each in said if "/etc/hosts" in each)


class SysfsOf(LocalSut):
    """This machine with files of one's own before the real ones: for what not every kernel
    has."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read_text(self, path: str) -> str | None:
        return super().read_text(f"{self._root}{path}") or super().read_text(path)

    def list_dir(self, path: str) -> tuple[str, ...]:
        mine = super().list_dir(f"{self._root}{path}")
        return tuple(sorted({*mine, *super().list_dir(path)}))

    def write(self, path: str, text: str) -> None:
        at = Path(f"{self._root}{path}")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)


@pytest.fixture
def recorded(tmp_path: Path) -> SysfsOf:
    return SysfsOf(tmp_path / "recorded")


def test_it_holds_what_a_zram_device_writes_back(recorded: SysfsOf, path: str) -> None:
    recorded.write("/sys/block/zram7/backing_dev", f"{path}\n")
    assert why(recorded, path) == f"{path} backs /dev/zram7"


@pytest.mark.parametrize(
    "place",
    [
        "/sys/kernel/config/target/core/iblock_0/disk/udev_path",
        "/sys/kernel/config/nvmet/subsystems/nqn/namespaces/1/device_path",
    ],
)
def test_it_is_given_to_other_hosts(recorded: SysfsOf, path: str, place: str) -> None:
    recorded.write(place, f"{path}\n")
    assert why(recorded, path) == f"{path} is given to other hosts by this kernel"


def test_a_file_that_is_mounted_without_a_loop_device(
    recorded: SysfsOf, path: str, image: Path
) -> None:
    """As erofs can; here by a line of the table of mounts."""
    line = f"36 25 0:40 / /mnt/image rw - erofs {image} ro\n"
    recorded.write("/proc/self/mountinfo", line)
    assert file_user(recorded, str(image)) == f"backs {path}"
    assert why(recorded, path) == f"the image of {path} is mounted at /mnt/image"
    other = image.with_name("other.img")
    image.rename(other)
    image.write_bytes(b"")
    assert why(recorded, path) == ""
    assert file_user(recorded, str(image)) == "is mounted at /mnt/image"


def test_a_file_that_is_given_to_other_hosts(
    recorded: SysfsOf, path: str, image: Path, tmp_path: Path
) -> None:
    free = image_of(tmp_path / "free.img")
    place = "/sys/kernel/config/target/core/fileio_0/disk/udev_path"
    recorded.write(place, f"{free}\n")
    assert file_user(recorded, str(free)) == "is given to other hosts by this kernel"
    recorded.write(place, f"{image}\n")
    assert why(recorded, path) == f"the image of {path} is given to other hosts by this kernel"
    assert file_user(recorded, str(free)) is None


def test_a_loop_over_a_volume_of_which_another_is_mounted_is_free(
    recorded: SysfsOf, path: str, tmp_path: Path
) -> None:
    """Two volumes of device mapper on one disk: that the disk is held by both is no reason."""
    name = Path(path).name
    with loop_device(tmp_path) as volume, loop_over(volume) as upper:
        mine = Path(volume).name
        number = Path(f"/sys/block/{name}/dev").read_text()
        recorded.write(f"/sys/block/{mine}/slaves/{name}/dev", number)
        for holder in (mine, "dm-9"):
            recorded.write(f"/sys/block/{name}/holders/{holder}/dev", "254:0\n")
        assert why(recorded, volume) == f"{volume} backs {upper}"
        assert why(recorded, upper) == ""
        assert why(recorded, path) == f"{path} is part of /dev/dm-9, /dev/{mine}"
        recorded.write(f"/sys/block/{mine}/holders/dm-3/dev", "254:3\n")
        assert f"{volume}, which holds the blocks of {upper}, is part of" in why(recorded, upper)
