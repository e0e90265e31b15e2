"""Real files, directories and loop devices, known again by what they are."""

from __future__ import annotations

import fcntl
import os
import struct
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.host.targets.check import Use, check_targets
from iogate.host.targets.places import identity_of, place_of
from iogate.model.place import PlaceKind
from iogate.model.spec import Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import loop_device, needs_root
from support.own_locks import NOBODY

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


@needs_root
@pytest.mark.parametrize("mode", [0o1777, 0o777])
@pytest.mark.parametrize("kind", [TargetKind.FILE, TargetKind.DIRECTORY])
def test_a_link_of_another_user_in_a_folder_of_all_is_not_followed(
    sut: LocalSut, tmp_path: Path, kind: TargetKind, mode: int
) -> None:
    shared, victim = tmp_path / "shared", tmp_path / "victim"
    shared.mkdir()
    victim.mkdir()
    (victim / "f").write_text("x")
    shared.chmod(mode)
    link = shared / "link"
    link.symlink_to(victim / "f" if kind is TargetKind.FILE else victim)
    (tmp_path / "second").symlink_to("shared")
    target = Target("t", kind, str(tmp_path / "second/link"), overwrite=True)
    use = Use(target, writes=True, bytes_needed=4096)
    for owner, is_refused in ((0, False), (NOBODY, True)):
        os.lchown(link, owner, owner)
        if not is_refused:
            check_targets(sut, [use], trusted=True)
            continue
        with pytest.raises(RefusedError, match="is a link of another user") as caught:
            check_targets(sut, [use], trusted=True)
        assert str(link) in caught.value.what
    os.chown(shared, NOBODY, NOBODY)
    check_targets(sut, [use], trusted=True)  # whose folder it is, he may do that anyway
    os.chown(shared, 1, 1)
    shared.chmod(0o755)
    check_targets(sut, [use], trusted=True)


def test_the_way_leads_where_the_path_does(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a/b").mkdir(parents=True)
    for name, leads in (("up", "a/b/.."), ("loop", "loop"), ("abs", "/proc/self/cwd/a")):
        (tmp_path / name).symlink_to(leads)
    (tmp_path / "broken").symlink_to("none/../more")
    paths = "a up/b abs/b/../x broken/y none/../x / //a . a/./b/ .. /proc/self/exe /dev/stdin"
    for path in (*paths.split(), str(tmp_path / "up/../up")):
        assert sut.way(path) == (sut.real_path(path), ""), path
    assert sut.way("loop")[1] == ""
