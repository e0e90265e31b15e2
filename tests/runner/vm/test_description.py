"""The file of a machine, right and wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import IogateError, SpecError, UsageError
from iogate.model.spec import Destroy
from iogate.vm.description import read_description

WHOLE = """\
version: 1
name: lab-vm
kernel: ./linux
kernels: [kernels, /srv/kernels]
cpus: 4
memory: 2g
accelerator: tcg
cmdline: mitigations=off
modules: [null_blk nr_devices=1]
programs: [dbench]
boot_seconds: 60
disks:
  one: { size: 1g }
  two: { interface: zns, size: 512m, file: two.img, iops: 1000, bw: 10m, zone_size: 8m }
"""
LENT = (
    "{ device: /dev/sdz, destroy: { by_id: /dev/disk/by-id/ata-X, size: 1g, holds: [ext4, gpt] } }"
)


def test_what_a_file_says(tmp_path: Path) -> None:
    path = tmp_path / "vm.yaml"
    path.write_text(WHOLE)
    said = read_description(path)
    assert (said.name, said.kernel) == ("lab-vm", f"{tmp_path}/linux")
    assert said.kernels == (f"{tmp_path}/kernels", "/srv/kernels")
    assert (said.cpus, said.memory_bytes, said.boot_s) == (4, 2 << 30, 60.0)
    one, two = said.disks
    assert (one.interface, one.size_bytes, one.file, one.iops) == (
        "virtio-blk",
        1 << 30,
        None,
        None,
    )
    assert (two.file, two.iops, two.bw_bytes) == (tmp_path / "two.img", 1000, 10 << 20)
    assert two.zone_bytes == 8 << 20


def test_a_disk_may_be_a_device_of_the_host(tmp_path: Path) -> None:
    path = tmp_path / "vm.yaml"
    path.write_text(f"version: 1\ndisks: {{ d: {LENT} }}\n")
    (disk,) = read_description(path).disks
    assert (disk.device, disk.file, disk.size_bytes) == ("/dev/sdz", None, 0)
    assert disk.destroy == Destroy(by_id="ata-X", size_bytes=1 << 30, holds=("ext4", "gpt"))


@pytest.mark.parametrize(
    "disk",
    [
        "{ device: /dev/sdz }",
        LENT.replace("device: /dev/sdz, ", ""),
        LENT.replace("device:", "size: 1g, device:"),
        LENT.replace("device:", "file: f, device:"),
        LENT.replace("device:", "interface: zns, device:"),
        LENT.replace("/dev/sdz", "sdz"),
        LENT.replace("by_id: /dev/disk/by-id/ata-X, size: 1g, holds: [ext4, gpt]", ""),
        LENT.replace("by_id", "name"),
    ],
)
def test_a_device_goes_with_what_it_must_be(disk: str, tmp_path: Path) -> None:
    path = tmp_path / "vm.yaml"
    path.write_text(f"version: 1\ndisks: {{ d: {disk} }}\n")
    with pytest.raises(SpecError, match=r"disks\.d"):
        read_description(path)


def test_a_release_that_is_a_number_is_text(tmp_path: Path) -> None:
    path = tmp_path / "vm.yaml"
    path.write_text("version: 1\nkernel: 6.1\ndisks: { a: { size: 1m } }\n")
    assert read_description(path).kernel == "6.1"
    assert read_description(path).name == "vm"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("version: 1", "version: 2"), "version"),
        (("name: lab-vm", "name: a,b"), "name"),
        (("cpus: 4", "cpus: 0"), "cpus"),
        (("size: 1g", "size: 1x"), "disks.one.size"),
        (("one:", "'a,file=/etc/shadow':"), "disks"),
        (("accelerator: tcg", "accelerator: warp"), "accelerator"),
        (("null_blk nr", "../x nr"), "modules"),
        (("[dbench]", "[../sh]"), "programs"),
        (("interface: zns", "interface: floppy"), "interface"),
        (("cpus: 4", "cpu: 4"), "cpu"),
        ((WHOLE, "- a list"), "vm.yaml"),
        ((WHOLE, "a: [unclosed"), "YAML"),
        ((WHOLE, "!!python/object/apply:os.system [true]"), "YAML"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(
    change: tuple[str, str], told: str, tmp_path: Path
) -> None:
    path = tmp_path / "vm.yaml"
    path.write_text(WHOLE.replace(*change))
    with pytest.raises(SpecError, match=told):
        read_description(path)


@pytest.mark.parametrize("name", ["none.yaml", ".", "/dev/zero"])
def test_what_cannot_be_read_is_told(name: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the machine"):
        read_description(tmp_path / name)


def test_any_bytes_are_an_error_or_a_description(tmp_path: Path) -> None:
    path = tmp_path / "vm.yaml"
    for data in (b"", b"\xff\xfe", b"\0", b"[" * 5000, b"a: &a [*a]", b"version: 1"):
        path.write_bytes(data)
        with pytest.raises(IogateError):
            read_description(path)
