"""Real files, directories and loop devices, known again by what they are."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

from iogate.host.targets.places import identity_of, place_of
from iogate.model.place import PlaceKind
from iogate.sut.local import LocalSut
from support.devices import loop_device, needs_root

_BLKGETDISKSEQ = 0x80081280
SIZE = 32 << 20


def test_a_file_has_the_identity_of_its_inode(sut: LocalSut, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    found = identity_of(sut, str(file))
    assert found is not None
    assert (found.kind, found.inode) == (PlaceKind.FILE, file.stat().st_ino)
    assert found.device == f"{os.major(file.stat().st_dev)}:{os.minor(file.stat().st_dev)}"


def test_two_names_of_one_file_are_one_and_two_files_are_not(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    (tmp_path / "b").hardlink_to(tmp_path / "a")
    (tmp_path / "c").write_text("x")
    names = [identity_of(sut, str(tmp_path / name)) for name in "abc"]
    assert names[0] == names[1] != names[2]


def test_what_is_no_target_has_no_identity(sut: LocalSut, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert identity_of(sut, str(tmp_path / "fifo")) is None
    assert identity_of(sut, str(tmp_path / "gone")) is None
    assert identity_of(sut, "/dev/null") is None


def test_a_place_is_named_without_links(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    found = place_of(sut, str(tmp_path / "link"))
    assert found.path == str(tmp_path / "real")
    assert found.identity is not None
    assert found.identity.kind is PlaceKind.DIRECTORY
    assert place_of(sut, str(tmp_path / "link/new")).identity is None


@needs_root
def test_a_device_has_what_the_kernel_says_on_a_descriptor(sut: LocalSut, tmp_path: Path) -> None:
    with loop_device(tmp_path) as path:
        found = identity_of(sut, path)
        assert found is not None
        with Path(path).open("rb") as opened:
            asked = fcntl.ioctl(opened, _BLKGETDISKSEQ, bytes(8))
            number = os.fstat(opened.fileno()).st_rdev
    assert found.kind is PlaceKind.BLOCK
    assert found.diskseq == struct.unpack("Q", asked)[0] > 0
    assert found.size_bytes == SIZE
    assert found.rdev == f"{os.major(number)}:{os.minor(number)}"


@needs_root
def test_the_same_node_over_another_image_is_another_device(sut: LocalSut, tmp_path: Path) -> None:
    seen = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        with loop_device(tmp_path / name) as path:
            found = identity_of(sut, path)
            assert found is not None
            seen.append(found.diskseq)
    assert seen[0] != seen[1]
