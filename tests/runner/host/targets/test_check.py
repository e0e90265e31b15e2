from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.errors import Location, RefusedError
from iogate.host.targets.check import AUTO, Use, check_targets, prepared
from iogate.model.spec import Destroy, Target, TargetKind
from iogate.sut.base import Space
from iogate.sut.local import LocalSut
from support.devices import image_of, loop_device, needs_root, sh, tmpfs
from support.specs import plan_of

WHERE = Location("a.yaml", 3, 5)


def use(
    kind: TargetKind,
    path: object,
    *,
    writes: bool = True,
    needs: int = 0,
    files: tuple[str, ...] = (),
    destroy: Destroy | None = None,
    overwrite: bool = False,
) -> Use:
    target = Target("t", kind, str(path), destroy, overwrite, where=WHERE)
    return Use(target, writes=writes, bytes_needed=needs, files=files)


def refused(sut: LocalSut, what: Use) -> str:
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [what])
    assert caught.value.where == WHERE
    assert caught.value.remedy
    return caught.value.what


def test_a_directory_that_is_not_there(sut: LocalSut, tmp_path: Path) -> None:
    missing = tmp_path / "missing"
    said = refused(sut, use(TargetKind.DIRECTORY, missing))
    assert said == f"target t: directory {missing} does not exist"


def test_a_directory_that_is_a_file(sut: LocalSut, tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    assert "is not a directory" in refused(sut, use(TargetKind.DIRECTORY, tmp_path / "f"))


@needs_root
def test_a_place_on_a_filesystem_that_is_read_only(sut: LocalSut, tmp_path: Path) -> None:
    with tmpfs(tmp_path / "ro", "64k") as point:
        (point / "file").write_text("x")
        sh("mount", "-o", "remount,ro", str(point))
        for what in (
            use(TargetKind.DIRECTORY, point),
            use(TargetKind.FILE, point / "new"),
            use(TargetKind.FILE, point / "file", overwrite=True),
        ):
            with pytest.raises(
                RefusedError, match=f"is not writable: {point} is mounted read-o"
            ) as e:
                check_targets(sut, [what])
            assert f"mount -o remount,rw {point}" in e.value.remedy


@pytest.mark.parametrize("place", ["/dev", "/proc", "/sys"])
def test_a_directory_in_which_the_kernel_shows_itself(sut: LocalSut, place: str) -> None:
    assert "the kernel shows itself" in refused(sut, use(TargetKind.DIRECTORY, place))


@pytest.mark.parametrize("target", ["raw", "fs"])
@pytest.mark.parametrize(("value", "named"), [(None, True), ("/dev/none", False)])
def test_a_device_that_a_variable_did_not_name(
    sut: LocalSut,
    monkeypatch: pytest.MonkeyPatch,
    target: str,
    value: str | None,
    named: bool,
) -> None:
    monkeypatch.delenv("IOGATE_DEVICE_X", raising=False)
    if value:
        monkeypatch.setenv("IOGATE_DEVICE_X", value)
    text = (
        'version: 1\ntargets:\n  raw: { device: "${IOGATE_DEVICE_X:-/dev/none}", '
        "destroy: { size: 1g } }\n  fs: { filesystem: { on: raw, type: ext4 } }\n"
        f"workloads: {{ w: {{ target: {target}, fio: {{ size: 1m }} }} }}\n"
    )
    (case,) = plan_of(text).cases
    with pytest.raises(RefusedError) as caught:
        check_targets(sut, [Use(case.target, writes=True)])
    assert ("export IOGATE_DEVICE_X=" in caught.value.remedy) is named
    assert "lsblk" in caught.value.remedy


def test_files_that_do_not_fit(sut: LocalSut, tmp_path: Path) -> None:
    said = refused(sut, use(TargetKind.DIRECTORY, tmp_path, needs=1 << 60))
    assert "the files of this run take" in said
    check_targets(sut, [use(TargetKind.DIRECTORY, tmp_path, needs=1 << 20)])


def test_targets_on_one_filesystem_must_fit_together(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sut, "space", lambda _path: Space(4 << 30, 2 << 30))
    half = use(TargetKind.DIRECTORY, tmp_path, needs=int(0.6 * (2 << 30)))
    check_targets(sut, [half])
    with pytest.raises(RefusedError, match="the files of this run take"):
        check_targets(sut, [half, half])


def test_where_next_to_nothing_is_free_smaller_files_are_no_advice(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def advice(free: int) -> str:
        monkeypatch.setattr(sut, "space", lambda _path: Space(1 << 40, free))
        with pytest.raises(RefusedError) as caught:
            check_targets(sut, [use(TargetKind.DIRECTORY, tmp_path, needs=64 << 20)])
        return caught.value.remedy

    assert advice(0) == "free 320.0 MiB there, or name another place"
    assert advice(288 << 20).endswith("make the files smaller (size:): 32.0 MiB of them fit")


@pytest.mark.parametrize("name", ["/dev/vda", "a:/dev/vda", "../x", "ok:a/../../x"])
def test_a_filename_that_leads_out_of_the_target(sut: LocalSut, tmp_path: Path, name: str) -> None:
    assert "leads out" in refused(sut, use(TargetKind.DIRECTORY, tmp_path, files=(name,)))


def test_a_filename_inside_is_fine(sut: LocalSut, tmp_path: Path) -> None:
    check_targets(sut, [use(TargetKind.DIRECTORY, tmp_path, files=("a:b", "c\\:d"))])


def test_a_file_in_a_directory_that_is_not_there(sut: LocalSut, tmp_path: Path) -> None:
    assert "does not exist" in refused(sut, use(TargetKind.FILE, tmp_path / "no/file"))


def test_a_device_given_as_a_file(sut: LocalSut) -> None:
    assert "is not a regular file" in refused(sut, use(TargetKind.FILE, "/dev/zero"))


def test_a_file_that_exists_is_not_written_unasked(sut: LocalSut, tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    check_targets(sut, [use(TargetKind.FILE, file)])
    file.write_text("years of work")
    assert "would be overwritten" in refused(sut, use(TargetKind.FILE, file))
    reading = use(TargetKind.FILE, file, writes=False, needs=4096)
    assert "would be extended" in refused(sut, reading)
    check_targets(sut, [use(TargetKind.FILE, file, writes=False, needs=13)])
    check_targets(sut, [use(TargetKind.FILE, file, overwrite=True)])


def test_a_file_of_the_host_is_written_by_a_trusted_spec_only(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    for place in ("/etc/iogate-test", "/usr/../etc/iogate-test", "/iogate-test", ".git/hook"):
        what = use(TargetKind.FILE, place, writes=False, needs=1)
        assert "may be a part of this host" in refused(sut, what)
        check_targets(sut, [what], trusted=True)
    for place in ("image", "/var/tmp/iogate-test", "/dev/shm/iogate-test"):
        check_targets(sut, [use(TargetKind.FILE, place)])
    check_targets(sut, [use(TargetKind.FILE, "/etc/hostname", writes=False)])


@pytest.mark.parametrize("mode", [0o4755, 0o2755, 0o6644])
def test_a_file_that_runs_as_its_owner_is_not_written(
    sut: LocalSut, tmp_path: Path, mode: int
) -> None:
    path = tmp_path / "program"
    path.write_bytes(bytes(4096))
    path.chmod(mode)
    for what in (
        use(TargetKind.FILE, path, overwrite=True),
        use(TargetKind.FILE, path, writes=False, needs=8192, overwrite=True),
    ):
        assert f"{path} runs as its owner or group" in refused(sut, what)
    check_targets(sut, [use(TargetKind.FILE, path, writes=False, needs=4096)])
    path.chmod(0o1755)
    check_targets(sut, [use(TargetKind.FILE, path, overwrite=True)])


@needs_root
def test_a_file_that_backs_a_device(sut: LocalSut, tmp_path: Path) -> None:
    image = tmp_path / "image"
    image.write_bytes(b"\0" * (1 << 20))
    device = sh("losetup", "--find", "--show", str(image))
    try:
        assert f"backs {device}" in refused(sut, use(TargetKind.FILE, image))
        check_targets(sut, [use(TargetKind.FILE, image, writes=False)])
    finally:
        sh("losetup", "--detach", device)


@pytest.fixture
def device(tmp_path: Path) -> Iterator[str]:
    with loop_device(tmp_path, 8) as path:
        yield path


@needs_root
def test_a_device_is_written_only_when_destroy_names_it(sut: LocalSut, device: str) -> None:
    assert "does not allow it" in refused(sut, use(TargetKind.DEVICE, device))
    check_targets(sut, [use(TargetKind.DEVICE, device, destroy=Destroy(backing=image_of(device)))])


@needs_root
def test_reading_a_device_needs_no_permission(sut: LocalSut, device: str) -> None:
    check_targets(sut, [use(TargetKind.DEVICE, device, writes=False)])


@needs_root
def test_comparing_what_is_on_a_device_shows_it(sut: LocalSut, device: str) -> None:
    comparing = replace(use(TargetKind.DEVICE, device), shows=True)
    assert "verify would show what is on" in refused(sut, comparing)
    destroy = Destroy(backing=image_of(device))
    check_targets(sut, [replace(comparing, target=replace(comparing.target, destroy=destroy))])


def test_a_device_that_is_none(sut: LocalSut, tmp_path: Path) -> None:
    assert "does not exist" in refused(sut, use(TargetKind.DEVICE, tmp_path / "no"))
    assert "is not a block device" in refused(sut, use(TargetKind.DEVICE, "/dev/null"))


def test_a_directory_is_measured_in_a_folder_of_the_runs_own(sut: LocalSut, tmp_path: Path) -> None:
    uses = [use(TargetKind.DIRECTORY, tmp_path), use(TargetKind.FILE, tmp_path / "f")]
    (tmp_path / "precious").write_text("x")
    with prepared(sut, uses[:1], "token") as places:
        inside = Path(places["t"].path)
        assert inside.parent == tmp_path
        assert list(inside.iterdir()) == [inside / ".iogate-scratch"]
    assert not inside.exists()
    assert (tmp_path / "precious").exists()
    with prepared(sut, uses[1:], "token") as places:
        assert places["t"].path == str(tmp_path / "f")


def test_an_automatic_directory(
    sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("IOGATE_SCRATCH", str(tmp_path))
    automatic = use(TargetKind.DIRECTORY, AUTO)
    check_targets(sut, [automatic])
    with prepared(sut, [automatic], "token") as places:
        assert Path(places["t"].path).parent == tmp_path


@pytest.mark.parametrize("kind", [TargetKind.DIRECTORY, TargetKind.FILE])
def test_a_relative_path_is_where_the_caller_is(
    kind: TargetKind, sut: LocalSut, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with prepared(sut, [use(kind, Path("x") if kind is TargetKind.FILE else Path())], "t") as got:
        (place,) = got.values()
        monkeypatch.chdir("/")
        assert Path(place.path).parent == tmp_path
