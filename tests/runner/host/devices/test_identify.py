"""Does ``destroy:`` mean this device, and it alone? Real loop and zram devices; disks with a
serial number are a loop device with recorded attributes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from iogate.host.devices.block_devices import Device, find_device
from iogate.host.devices.identify import identity_hint, mismatch
from iogate.host.devices.in_use import look_at
from iogate.host.devices.safety import refusal
from iogate.model.spec import Destroy
from iogate.spec import load_spec
from iogate.sut.local import LocalSut
from support.devices import (
    by_id_link,
    image_of,
    loop_device,
    loop_over,
    needs_root,
    partition,
    sh,
    zram_device,
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


def why(sut: LocalSut, path: str, destroy: Destroy) -> str:
    return mismatch(look_at(sut, device_at(sut, path)), destroy) or ""


def hint(sut: LocalSut, path: str) -> str:
    return identity_hint(look_at(sut, device_at(sut, path)))


@pytest.mark.parametrize(
    "empty",
    [Destroy(), Destroy(serial=""), Destroy(wwn=" "), Destroy(backing=""), Destroy(by_id="")],
)
def test_what_is_empty_is_no_identity(sut: LocalSut, path: str, empty: Destroy) -> None:
    assert "destroy: names" in why(sut, path, empty)
    found = refusal(sut, device_at(sut, path), empty)
    assert found is not None
    assert found.remedy == f"this device would be: destroy: {{ backing: {image_of(path)} }}"


@pytest.mark.parametrize(
    "wrong",
    [
        Destroy(size_bytes=SIZE - 512),
        Destroy(serial="S123"),
        Destroy(wwn="eui.1", size_bytes=SIZE),
        Destroy(model="ACME", size_bytes=SIZE),
        Destroy(by_id="nothing-is-called-so"),
        Destroy(backing="/etc/passwd"),
        Destroy(backing="/dev/null"),
        Destroy(backing="/nowhere"),
    ],
)
def test_another_identity(sut: LocalSut, path: str, wrong: Destroy) -> None:
    assert "destroy: says" in why(sut, path, wrong)


def test_what_a_device_does_not_have_is_told_as_that(sut: LocalSut, path: str) -> None:
    found = why(sut, path, Destroy(serial="S123"))
    assert found == f"{path} has no serial, and destroy: says S123"


def test_a_loop_device_is_known_by_its_image_and_not_by_its_size(
    sut: LocalSut, path: str, tmp_path: Path
) -> None:
    image = image_of(path)
    assert "its image alone" in why(sut, path, Destroy(size_bytes=SIZE))
    for name in (image, str(tmp_path / "link"), str(tmp_path / "hard")):
        if name.endswith("link"):
            Path(name).symlink_to(image)
        elif name.endswith("hard"):
            Path(name).hardlink_to(image)
        assert why(sut, path, Destroy(backing=name)) == ""
    copy = tmp_path / "copy"
    copy.write_bytes(Path(image).read_bytes())
    assert f"has backing {image}" in why(sut, path, Destroy(backing=str(copy)))
    assert "has size" in why(sut, path, Destroy(backing=image, size_bytes=SIZE + 512))


def test_a_loop_device_over_another_is_known_by_that(sut: LocalSut, path: str) -> None:
    with loop_over(path) as upper:
        assert hint(sut, upper) == f"{{ backing: {path} }}"
        assert why(sut, upper, Destroy(backing=path)) == ""
        assert "destroy: says" in why(sut, upper, Destroy(backing=image_of(path)))


def test_a_loop_device_whose_image_has_no_name_cannot_be_meant(
    sut: LocalSut, tmp_path: Path
) -> None:
    image = tmp_path / "gone"
    image.write_bytes(bytes(1 << 20))
    with loop_over(image) as path:
        image.unlink()
        found = refusal(sut, device_at(sut, path), None)
        assert found is not None
        assert found.remedy.startswith("its image has no name here")


def test_one_of_two_partitions_is_told_by_its_size_too(sut: LocalSut, path: str) -> None:
    image = image_of(path)
    with partition(path) as part:
        assert why(sut, part, Destroy(backing=image)) == ""
        sh("addpart", path, "2", "20480", "8192")
        try:
            said = why(sut, part, Destroy(backing=image))
            assert said == f"backing {image} is that of {part}, {path}p2"
            assert why(sut, path, Destroy(backing=image)) == ""
            assert hint(sut, part) == f"{{ size: {8 << 20}, backing: {image} }}"
            assert why(sut, part, Destroy(backing=image, size_bytes=8 << 20)) == ""
            assert why(sut, f"{path}p2", Destroy(backing=image, size_bytes=4 << 20)) == ""
        finally:
            sh("delpart", path, "2")


def test_zram_is_known_by_its_size_unless_another_has_it(sut: LocalSut) -> None:
    with zram_device(37) as one:
        size = 37 << 20
        assert hint(sut, one) == f"{{ size: {size} }}"
        assert why(sut, one, Destroy(size_bytes=size)) == ""
        with zram_device(37) as two:
            said = why(sut, one, Destroy(size_bytes=size))
            assert one in said
            assert two in said
            found = refusal(sut, device_at(sut, one), Destroy(size_bytes=size))
            assert found is not None
            assert found.remedy == "make it of a size that no other has"


class Disks(LocalSut):
    """This machine, on which some loop devices say what disks say: no disk may be written in
    a test."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def read_text(self, path: str) -> str | None:
        if path.endswith("/loop/backing_file"):
            return None
        return super().read_text(f"{self._root}{path}") or super().read_text(path)

    def list_dir(self, path: str) -> tuple[str, ...]:
        return tuple(sorted({*super().list_dir(f"{self._root}{path}"), *super().list_dir(path)}))

    def write(self, path: str, text: str) -> None:
        at = Path(f"{self._root}{path}")
        at.parent.mkdir(parents=True, exist_ok=True)
        at.write_text(text)

    def disk(self, device: str, **attributes: str) -> None:
        for name, text in attributes.items():
            where = "wwid" if name == "wwn" else f"device/{name}"
            self.write(f"/sys/block/{Path(device).name}/{where}", f"{text} \n")


@pytest.fixture
def disks(tmp_path: Path) -> Disks:
    return Disks(tmp_path / "recorded")


def test_serial_and_wwn(disks: Disks, path: str) -> None:
    disks.disk(path, serial="S123", wwn="eui.0011", model="ACME")
    assert hint(disks, path) == "{ serial: S123 }"
    assert why(disks, path, Destroy(serial="S123", wwn="eui.0011")) == ""
    assert why(disks, path, Destroy(wwn="eui.0011")) == ""
    assert "has serial S123" in why(disks, path, Destroy(serial="S124"))
    said = why(disks, path, Destroy(model="ACME", size_bytes=SIZE))
    assert said == f"{path} has a serial, and destroy: does not say which"
    assert "has a serial" in why(disks, path, Destroy(size_bytes=SIZE))


@pytest.mark.parametrize(
    ("kernel", "lsblk"),
    [("naa.5000C500A1B2C3D4", "0x5000c500a1b2c3d4"), ("eui.0011", "eui.0011")],
)
def test_a_wwn_is_one_as_the_kernel_says_it_and_as_lsblk_does(
    disks: Disks, path: str, kernel: str, lsblk: str
) -> None:
    disks.disk(path, wwn=kernel)
    assert why(disks, path, Destroy(wwn=kernel)) == why(disks, path, Destroy(wwn=lsblk)) == ""
    assert "destroy: says" in why(disks, path, Destroy(wwn=f"{lsblk}0"))


def test_a_hidden_path_to_an_nvme_drive_is_no_other_device(
    disks: Disks, path: str, tmp_path: Path
) -> None:
    with loop_device(tmp_path) as hidden:
        for each in (path, hidden):
            disks.disk(each, serial="S5")
        assert "is that of" in why(disks, path, Destroy(serial="S5"))
        disks.write(f"/sys/block/{Path(hidden).name}/hidden", "1\n")
        assert why(disks, path, Destroy(serial="S5")) == ""


def test_a_serial_that_two_devices_have(disks: Disks, path: str, tmp_path: Path) -> None:
    """Such as two namespaces of an NVMe drive: their wwn tells them apart."""
    with loop_device(tmp_path) as other:
        disks.disk(path, serial="S123", wwn="eui.01")
        disks.disk(other, serial="S123", wwn="eui.02")
        said = why(disks, path, Destroy(serial="S123"))
        assert said.startswith(f"serial S123 is that of {path}, ")
        assert other in said
        assert hint(disks, path) == "{ wwn: eui.01 }"
        assert why(disks, path, Destroy(serial="S123", wwn="eui.01")) == ""


def test_the_paths_of_a_multipath_device_are_that_device(
    disks: Disks, path: str, tmp_path: Path
) -> None:
    with loop_device(tmp_path) as lower:
        for each in (path, lower):
            disks.disk(each, serial="S9")
        number = Path(f"/sys/block/{Path(lower).name}/dev").read_text()
        disks.write(f"/sys/block/{Path(path).name}/slaves/{Path(lower).name}/dev", number)
        assert why(disks, path, Destroy(serial="S9")) == ""
        assert "serial S9 is that of" in why(disks, lower, Destroy(serial="S9"))


def test_model_and_size_where_there_is_nothing_better(
    disks: Disks, path: str, tmp_path: Path
) -> None:
    disks.disk(path, model="ACME 1")
    assert hint(disks, path) == f'{{ model: "ACME 1", size: {SIZE} }}'
    assert why(disks, path, Destroy(model="ACME 1", size_bytes=SIZE)) == ""
    assert "may be that of many devices" in why(disks, path, Destroy(model="ACME 1"))
    assert "may be that of many devices" in why(disks, path, Destroy(size_bytes=SIZE))
    with loop_device(tmp_path) as other:
        disks.disk(other, model="ACME 1")
        said = why(disks, path, Destroy(model="ACME 1", size_bytes=SIZE))
        assert f"is that of {path}, {other}" in said or other in said


def test_a_link_that_udev_made(sut: LocalSut, path: str) -> None:
    with partition(path) as part, by_id_link(path) as whole, by_id_link(part) as first:
        assert why(sut, path, Destroy(by_id=whole.name)) == ""
        assert why(sut, part, Destroy(by_id=first.name)) == ""
        assert "destroy: says" in why(sut, path, Destroy(by_id=first.name))
        assert "destroy: says" in why(sut, part, Destroy(by_id=whole.name))


@pytest.mark.parametrize("serial", ["S123", "0123", "1e5", "true", "a: b", 'q"x\\y', "#1", "- x"])
def test_what_is_suggested_is_read_back_as_it_was(
    disks: Disks, path: str, tmp_path: Path, serial: str
) -> None:
    disks.disk(path, serial=serial)
    found = refusal(disks, device_at(disks, path), None)
    assert found is not None
    line = found.remedy.partition("add to the target: ")[2]
    spec = tmp_path / "suggested.yaml"
    spec.write_text(
        f"version: 1\ntargets:\n  raw:\n    device: {path}\n    {line}\n"
        "workloads: { a: { fio: { rw: write } } }\n"
    )
    destroy = load_spec(spec).targets["raw"].destroy
    assert destroy is not None
    assert destroy.serial == serial
    assert refusal(disks, device_at(disks, path), destroy) is None
