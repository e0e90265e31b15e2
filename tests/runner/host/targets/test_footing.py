"""Each path is looked up once, and what stands there is asked again before each repetition."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.errors import RefusedError
from iogate.host.targets.check import Use, check_targets, prepared, resolved
from iogate.host.targets.footing import Footing
from iogate.host.targets.places import changed, place_of, real_names
from iogate.model.place import PlaceKind
from iogate.model.spec import Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import loop_device, loop_over, needs_root, own_loop_over, reattach, sh


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 8) as made:
        yield made


def footing_of(sut: LocalSut, use: Use) -> Footing:
    uses = resolved(sut, [use])
    assert uses[0].place is not None
    return Footing(sut, uses, {use.target.name: uses[0].place})


def file_use(path: Path) -> Use:
    return Use(Target("t", TargetKind.FILE, str(path), overwrite=True), writes=True)


def test_a_place_holds_no_link(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "real/f").write_text("x")
    (tmp_path / "way").symlink_to("real")
    (tmp_path / "name").symlink_to("way/f")
    place = place_of(sut, str(tmp_path / "name"))
    assert place.path == str(tmp_path / "real/f")
    assert place.identity is not None
    assert place.identity.kind is PlaceKind.FILE
    assert not changed(sut, place)
    assert place_of(sut, str(tmp_path / "way/none")).path == str(tmp_path / "real/none")


@needs_root
def test_a_device_is_named_by_the_kernels_node(sut: LocalSut, tmp_path: Path, device: str) -> None:
    link, node = tmp_path / "link", tmp_path / "node"
    link.symlink_to(device)
    numbers = Path(device).stat().st_rdev
    os.mknod(node, 0o600 | 0o060000, numbers)
    for path in (link, node, device):
        assert place_of(sut, str(path)).path == device
    found = place_of(sut, device).identity
    assert found is not None
    assert found.rdev == f"{os.major(numbers)}:{os.minor(numbers)}"
    assert found.diskseq > 0


@needs_root
def test_a_link_that_is_pointed_elsewhere_changes_nothing(
    sut: LocalSut, tmp_path: Path, device: str
) -> None:
    link = tmp_path / "disk"
    link.symlink_to(device)
    use = Use(Target("t", TargetKind.DEVICE, str(link)), writes=False)
    footing = footing_of(sut, use)
    with loop_device(tmp_path, 16) as other:
        link.unlink()
        link.symlink_to(other)
        footing.confirm(use.target)
        assert footing.places["t"].path == device
        assert footing.target(use.target).path == device


@needs_root
def test_another_image_behind_the_same_device_is_refused(sut: LocalSut, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(b"\0" * (8 << 20))
    with own_loop_over(image) as device:
        use = Use(Target("t", TargetKind.DEVICE, device), writes=False)
        footing = footing_of(sut, use)
        footing.confirm(use.target)
        reattach(device, image)
        with pytest.raises(RefusedError, match="another disk or image is behind it"):
            footing.confirm(use.target)


@needs_root
def test_a_device_of_another_size_is_refused(sut: LocalSut, tmp_path: Path, device: str) -> None:
    use = Use(Target("t", TargetKind.DEVICE, device), writes=False)
    footing = footing_of(sut, use)
    image = next(tmp_path.glob("image-*"))
    os.truncate(image, 16 << 20)
    sh("losetup", "-c", device)
    with pytest.raises(RefusedError, match="16777216 bytes now, and had 8388608"):
        footing.confirm(use.target)


@pytest.mark.parametrize("how", ["another", "link", "gone", "directory", "in the way"])
def test_a_file_that_is_exchanged_is_refused(sut: LocalSut, tmp_path: Path, how: str) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    file = folder / "f"
    file.write_text("mine")
    use = file_use(file)
    footing = footing_of(sut, use)
    file.rename(tmp_path / "old")
    (tmp_path / "victim").write_text("theirs")
    if how == "another":
        file.write_text("theirs")
    elif how == "link":
        file.symlink_to(tmp_path / "old")
    elif how == "directory":
        file.mkdir()
    elif how == "in the way":
        folder.rename(tmp_path / "e")
        folder.symlink_to(tmp_path / "e")
    with pytest.raises(RefusedError, match="is not what it was") as caught:
        footing.confirm(use.target)
    assert caught.value.remedy


def test_a_file_that_a_repetition_makes_is_followed(sut: LocalSut, tmp_path: Path) -> None:
    file = tmp_path / "f"
    use = file_use(file)
    footing = footing_of(sut, use)
    footing.confirm(use.target)
    assert footing.places["t"].identity is None
    file.write_text("made by the engine")
    footing.confirm(use.target)
    assert footing.places["t"].identity is not None
    file.unlink()
    footing.confirm(use.target)
    assert footing.places["t"].identity is None


def test_a_file_that_appears_before_the_first_repetition_is_refused(
    sut: LocalSut, tmp_path: Path
) -> None:
    use = file_use(tmp_path / "f")
    footing = footing_of(sut, use)
    (tmp_path / "f").write_text("")
    with pytest.raises(RefusedError, match="something else stands there now"):
        footing.confirm(use.target)


@pytest.mark.parametrize("how", ["link", "second name"])
def test_what_a_repetition_did_not_make_is_not_followed(
    sut: LocalSut, tmp_path: Path, how: str
) -> None:
    file, victim = tmp_path / "f", tmp_path / "victim"
    victim.write_text("theirs")
    use = file_use(file)
    footing = footing_of(sut, use)
    footing.confirm(use.target)
    if how == "link":
        file.symlink_to(victim)
    else:
        file.hardlink_to(victim)
    with pytest.raises(RefusedError):
        footing.confirm(use.target)


def test_the_folder_of_a_directory_is_confirmed(sut: LocalSut, tmp_path: Path) -> None:
    use = Use(Target("t", TargetKind.DIRECTORY, str(tmp_path)), writes=True)
    with prepared(sut, [use], "token") as places:
        footing = Footing(sut, resolved(sut, [use]), places)
        footing.confirm(use.target)
        footing.arrive(use.target, made=False)
        own = Path(places["t"].path)
        own.rename(tmp_path / "away")
        own.symlink_to("/tmp")
        with pytest.raises(RefusedError, match="a link stands in its path"):
            footing.arrive(use.target, made=False)
        own.unlink()
        (tmp_path / "away").rename(own)


def refused(sut: LocalSut, path: str, *, trusted: bool = False) -> str:
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [file_use(Path(path))], trusted=trusted)
    return caught.value.what


def test_a_file_with_a_second_name_is_not_written(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("x")
    (tmp_path / "g").hardlink_to(tmp_path / "f")
    assert "has 2 names" in refused(sut, str(tmp_path / "g"), trusted=True)
    (tmp_path / "f").unlink()
    check_targets(sut, [file_use(tmp_path / "g")])


@pytest.mark.parametrize(
    "path",
    [
        "/proc/sys/kernel/core_pattern",
        "/proc/self/root/etc/iogate-none",
        "/proc/sysrq-trigger",
        "/sys/kernel/iogate-none",
        "/dev/iogate-none",
        "/dev/null",
        "/dev/stdin",
        "/proc/self/fd/iogate-none",
    ],
)
def test_places_of_the_kernel_are_no_files(sut: LocalSut, path: str) -> None:
    if path == "/proc/self/root/etc/iogate-none":
        assert refused(sut, path)  # it is one of the host's own
    else:
        assert refused(sut, path, trusted=True)


def test_pipes_and_sockets_are_no_files(sut: LocalSut, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refused(sut, str(tmp_path / "pipe"), trusted=True)
    handle = os.open(tmp_path, os.O_RDONLY)
    try:
        assert "is not a regular file" in refused(sut, f"/proc/self/fd/{handle}", trusted=True)
    finally:
        os.close(handle)


@needs_root
def test_a_bind_mount_does_not_hide_a_file_of_the_host(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "d").mkdir()
    sh("mount", "--bind", "/etc", str(tmp_path / "d"))
    try:
        assert "/etc/iogate-none" in real_names(sut, str(tmp_path / "d/iogate-none"))
        assert "/etc/iogate-none may be a part of this host" in refused(sut, "d/iogate-none")
    finally:
        sh("umount", str(tmp_path / "d"))


@pytest.mark.parametrize("name", ["a$b", "a;b", "a\nb", "a#b", "a\\b"])
def test_a_link_to_a_name_that_no_job_file_can_hold_is_refused(
    sut: LocalSut, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_text("")
    (tmp_path / "link").symlink_to(tmp_path / name)
    assert "which holds" in refused(sut, str(tmp_path / "link"), trusted=True)


@needs_root
def test_a_device_that_was_taken_is_not_written_by_the_next_step(
    sut: LocalSut, device: str, tmp_path: Path
) -> None:
    use = Use(Target("t", TargetKind.DEVICE, device), writes=True)
    footing = footing_of(sut, use)
    assert footing.confirm_device(use.target).path == device
    with loop_over(device), pytest.raises(RefusedError, match="is in use since") as caught:
        footing.confirm_device(use.target)
    assert "unmount or detach" in caught.value.remedy
    assert footing.confirm_device(use.target).path == device


@needs_root
def test_what_was_taken_meanwhile_is_not_measured(sut: LocalSut, device: str) -> None:
    use = Use(Target("t", TargetKind.DEVICE, device), writes=True)
    footing = footing_of(sut, use)
    footing.arrive(use.target, made=False)
    with loop_over(device), pytest.raises(RefusedError, match="is in use since"):
        footing.arrive(use.target, made=False)
    footing.arrive(use.target, made=False)


@needs_root
@pytest.mark.parametrize("kind", [TargetKind.DEVICE, TargetKind.FILE])
def test_what_came_into_use_while_it_was_measured_is_told(
    sut: LocalSut, device: str, tmp_path: Path, kind: TargetKind
) -> None:
    file = tmp_path / "f"
    file.write_bytes(bytes(1 << 20))
    path = device if kind is TargetKind.DEVICE else str(file)
    use = Use(Target("t", kind, path), writes=True)
    footing = footing_of(sut, use)
    footing.require_unused(use.target)
    with loop_over(path), pytest.raises(RefusedError, match="came into use while it was measured"):
        footing.require_unused(use.target)


def test_a_file_that_has_a_second_name_meanwhile_is_not_written(
    sut: LocalSut, tmp_path: Path
) -> None:
    file = tmp_path / "f"
    file.write_text("x")
    use = file_use(file)
    footing = footing_of(sut, use)
    footing.arrive(use.target, made=False)
    (tmp_path / "g").hardlink_to(file)
    with pytest.raises(RefusedError, match=r"is in use since .* has 2 names"):
        footing.arrive(use.target, made=False)


@pytest.mark.parametrize("how", ["link", "file"])
def test_a_file_that_was_exchanged_is_told_from_one_that_is_gone(
    sut: LocalSut, tmp_path: Path, how: str
) -> None:
    file, other = tmp_path / "f", tmp_path / "other"
    file.write_text("x")
    other.write_text("theirs")
    use = file_use(file)
    footing = footing_of(sut, use)
    footing.require_unexchanged(use.target)
    file.rename(tmp_path / "before")
    footing.require_unexchanged(use.target)
    if how == "link":
        file.symlink_to(other)
    else:
        other.rename(file)
    with pytest.raises(RefusedError, match="is not what it was"):
        footing.require_unexchanged(use.target)
