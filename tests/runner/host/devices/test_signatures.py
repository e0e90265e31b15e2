"""What is on a device, by the real blkid: filesystems made there, partitions, and the marks of
LVM, md, LUKS and ZFS, which not every kernel runs, written as bytes."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import RFC_4122, UUID

import pytest

from iogate.errors import RunError
from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.in_use import Refusal
from iogate.host.devices.safety import refusal
from iogate.host.devices.signatures import foreign, is_own, stamp
from iogate.model.filesystem import MAKERS, mkfs_argv
from iogate.model.signatures import SIGNATURES, plain_name
from iogate.model.spec import Destroy
from iogate.sut.base import Completed, FileStat
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, loop_over, needs_root, partition, sh, zram_device
from support.marks import MARKS, put_mark

pytestmark = needs_root
SIZE_MIB = 320


@pytest.fixture
def path(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, SIZE_MIB) as made:
        yield made


def device_at(sut: LocalSut, path: str) -> Device:
    found = find_device(sut, path)
    assert found is not None
    return found


def why(sut: LocalSut, path: str, *holds: str) -> Refusal | None:
    return refusal(sut, device_at(sut, path), Destroy(backing=image_of(path), holds=holds))


def mkfs(fs_type: str, path: str) -> None:
    if not shutil.which(f"mkfs.{fs_type}"):
        pytest.skip(f"mkfs.{fs_type} is not installed")
    sh(f"mkfs.{fs_type}", "-q", "-f" if fs_type in ("xfs", "btrfs") else "-F", path)


def test_an_empty_device_holds_nothing(sut: LocalSut, path: str) -> None:
    assert why(sut, path) is None
    assert why(sut, path, "ext4") is None
    assert why(sut, path, "anything") is None


@pytest.mark.parametrize("fs_type", ["ext2", "ext4", "xfs", "btrfs"])
def test_a_filesystem_that_nobody_mentioned(sut: LocalSut, path: str, fs_type: str) -> None:
    mkfs(fs_type, path)
    found = why(sut, path)
    assert found is not None
    assert found.reason.startswith(f"{path} holds {fs_type} (")
    assert found.reason.endswith("and destroy: expects nothing")
    assert found.remedy.endswith(f"destroy: {{ backing: {image_of(path)}, holds: {fs_type} }}")
    assert why(sut, path, "swap") is not None
    assert why(sut, path, fs_type) is None
    assert why(sut, path, "swap", fs_type) is None
    assert why(sut, path, "anything") is None


@pytest.mark.parametrize("name", MARKS)
def test_what_is_no_filesystem(sut: LocalSut, path: str, name: str) -> None:
    put_mark(name, path)
    found = why(sut, path)
    assert found is not None
    assert f"{path} holds {name}" in found.reason
    assert why(sut, path, name) is None


@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_a_partition_table_and_what_is_in_its_partitions(
    sut: LocalSut, path: str, label: str
) -> None:
    sh("sh", "-c", f"echo 'start=2048, size=16384' | sfdisk -q --no-reread -X {label} {path}")
    found = why(sut, path)
    assert found is not None
    assert f"{path} holds {label}, and" in found.reason
    assert why(sut, path, label) is None
    with partition(path) as part:
        assert why(sut, path, label) is None
        assert why(sut, part) is None
        mkfs("ext4", part)
        found = why(sut, path, label)
        assert found is not None
        assert found.reason.startswith(f"{part} holds ext4 (")
        assert f"holds: [{label}, ext4]" in found.remedy
        assert why(sut, path, label, "ext4") is None
        assert why(sut, path, "ext4") is not None
        assert why(sut, part, "ext4") is None


@pytest.mark.parametrize("label", ["gpt", "dos"])
def test_partitions_that_the_kernel_has_not_read(sut: LocalSut, path: str, label: str) -> None:
    table = "start=2048,size=16384\\nstart=20480,size=16384"
    sh("sh", "-c", f"printf '{table}' | sfdisk -q --no-reread -X {label} {path}")
    assert why(sut, path, label) is None
    with loop_over(path, "--offset", str(20480 * 512), "--sizelimit", str(16384 * 512)) as second:
        mkfs("ext4", second)
    found = why(sut, path, label)
    assert found is not None
    assert found.reason.startswith(f"{path} holds ext4 (")
    assert f"holds: [{label}, ext4]" in found.remedy
    assert why(sut, path, label, "ext4") is None


def test_partitions_of_which_the_kernel_has_read_some(sut: LocalSut, path: str) -> None:
    table = "start=2048,size=16384\\nstart=20480,size=16384"
    sh("sh", "-c", f"printf '{table}' | sfdisk -q --no-reread -X gpt {path}")
    with partition(path) as part:
        mkfs("ext4", part)
        assert why(sut, path, "gpt", "ext4") is None
        found = foreign(sut, device_at(sut, path))
        assert [(one.path, one.name) for one in found] == [(path, "gpt"), (part, "ext4")]
        range_of = ("--offset", str(20480 * 512), "--sizelimit", str(16384 * 512))
        with loop_over(path, *range_of) as second:
            mkfs("ext2", second)
        refused = why(sut, path, "gpt", "ext4")
        assert refused is not None
        assert refused.reason.startswith(f"{path} holds ext2 (")


def test_several_that_do_not_belong_together(sut: LocalSut, path: str) -> None:
    mkfs("btrfs", path)
    with Path(path).open("rb+") as disk:
        disk.seek(64 << 10)
        superblock = disk.read(4096)
    mkfs("ext4", path)
    with Path(path).open("rb+") as disk:
        disk.seek(64 << 10)
        disk.write(superblock)
    found = why(sut, path, "ext4")
    assert found is not None
    assert f"{path} holds btrfs (" in found.reason
    assert {one.name for one in foreign(sut, device_at(sut, path))} == {"ext4", "btrfs"}
    assert why(sut, path, "ext4", "btrfs") is None
    assert why(sut, path, "anything") is None


@pytest.mark.parametrize("fs_type", ["ext2", "ext3", "ext4", "xfs", "btrfs"])
def test_what_iogate_has_made_itself_is_expected(
    sut: LocalSut, path: str, tmp_path: Path, fs_type: str
) -> None:
    if not shutil.which(MAKERS[fs_type].program):
        pytest.skip(f"{MAKERS[fs_type].program} is not installed")
    uuid = stamp(device_at(sut, path))
    sh(*mkfs_argv(fs_type, (), path, keep_blocks=False, uuid=uuid))
    assert why(sut, path) is None
    (tmp_path / "mnt").mkdir()
    sh("mount", path, str(tmp_path / "mnt"))
    sh("umount", str(tmp_path / "mnt"))
    assert why(sut, path) is None
    mkfs(fs_type, path)
    assert why(sut, path) is not None


def test_a_stamp_is_of_one_device_and_never_the_same(sut: LocalSut, path: str) -> None:
    device = device_at(sut, path)
    made = {stamp(device) for _ in range(100)}
    assert len(made) == 100
    assert all(is_own(device, each) for each in made)
    assert all(is_own(device, each.upper()) for each in made)
    assert {UUID(text).variant for text in made} == {RFC_4122}
    assert {UUID(text).version for text in made} == {8}
    assert not is_own(device, "")
    assert not is_own(device, "11111111-2222-8333-8444-555555555555")
    with zram_device(41) as other:
        assert not any(is_own(device_at(sut, other), each) for each in made)


class Failing(LocalSut):
    """This machine, where a program does not do what it should."""

    def __init__(self, program: str, answer: Completed | RunError | None) -> None:
        self._program = program
        self._answer = answer

    def which(self, program: str) -> str | None:
        return None if self._absent(program) else super().which(program)

    def stat(self, path: str) -> FileStat | None:
        return None if self._absent(Path(path).name) else super().stat(path)

    def _absent(self, program: str) -> bool:
        return self._answer is None and program == self._program

    def run(self, argv: Sequence[str], **more: Any) -> Completed:
        if self._program in argv[0]:
            if isinstance(self._answer, RunError):
                raise self._answer
            assert self._answer is not None
            return self._answer
        return super().run(argv, **more)


@pytest.mark.parametrize(
    "answer",
    [
        None,
        RunError("blkid did not end within 30 s"),
        Completed(("blkid",), 2, "", "blkid: error: /dev/x: Input/output error\n"),
        Completed(("blkid",), 4, "", ""),
        Completed(("blkid",), -9, "", ""),
    ],
)
def test_what_cannot_be_known_is_refused(path: str, answer: Completed | RunError | None) -> None:
    sut = Failing("blkid", answer)
    found = why(sut, path)
    assert found is not None
    assert f"it cannot be known what is on {path}: " in found.reason
    assert "holds: anything" in found.remedy
    assert why(sut, path, "anything") is None


def test_every_name_of_libblkid_is_one_that_a_spec_may_give() -> None:
    known = {plain_name(each) for each in sh("blkid", "-k").split()}
    assert known <= SIGNATURES
