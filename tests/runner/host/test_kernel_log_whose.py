"""Which lines of the kernel's log are of the target's own stack."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from iogate.host.devices.own_stack import OwnStack, own_stack
from iogate.host.kernel_log import KernelWatch, seen, troubles
from iogate.model.measurement import Whose
from iogate.model.spec import Target, TargetKind
from iogate.sut import open_sut
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_kernel_log, needs_root, partition, sh

OWN = OwnStack(
    frozenset({"sda", "sda1", "sda2", "8:0", "8:1", "dm-3", "253:3", "ata1", "0:0:0:0", "nvme0"}),
    frozenset({"sda1", "dm-3"}),
)
WHOSE = [
    (Whose.TARGET, "I/O error, dev sda, sector 8 op 0x0:(READ) flags 0x0"),
    (Whose.TARGET, "blk_update_request: I/O error, dev sda, sector 8"),
    (Whose.TARGET, "Buffer I/O error on dev sda2, logical block 5, lost async page write"),
    (Whose.TARGET, "sd 0:0:0:0: [sda] tag#3 Add. Sense: Unrecovered read error"),
    (Whose.TARGET, "sd 0:0:0:0: attempting task abort! scmd(1)"),
    (Whose.TARGET, "ata1.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"),
    (Whose.TARGET, "ata1: hard resetting link"),
    (Whose.TARGET, "nvme nvme0: I/O 12 QID 3 timeout, reset controller"),
    (Whose.TARGET, "EXT4-fs error (device sda1): ext4_lookup:1854: inode #2: comm ls: bad"),
    (Whose.TARGET, "Aborting journal on device sda1-8."),
    (Whose.TARGET, "EXT4-fs (dm-3): Remounting filesystem read-only"),
    (Whose.TARGET, "XFS (dm-3): Corruption of in-memory data detected.  Shutting down."),
    (Whose.TARGET, "BTRFS critical (device sda1 state EA): unable to find logical 4096"),
    (Whose.TARGET, "device-mapper: verity: 253:3: data block 5: I/O error"),
    (Whose.ELSEWHERE, "I/O error, dev sdaa, sector 8"),
    (Whose.ELSEWHERE, "I/O error, dev sdb, sector 8"),
    (Whose.ELSEWHERE, "ata11: hard resetting link"),
    (Whose.ELSEWHERE, "ata10.00: exception Emask 0x0 SAct 0x0 SErr 0x0 action 0x6 frozen"),
    (Whose.ELSEWHERE, "sd 10:0:0:0: attempting task abort! scmd(1)"),
    (Whose.ELSEWHERE, "nvme nvme01: I/O 12 QID 3 timeout, reset controller"),
    (Whose.ELSEWHERE, "EXT4-fs error (device sda2): ext4_lookup:1854: inode #2: comm ls: bad"),
    (Whose.ELSEWHERE, "Aborting journal on device dm-30-8."),
    (Whose.ELSEWHERE, "XFS (dm-30): Corruption of in-memory data detected.  Shutting down."),
    (Whose.HOST, "overlayfs: error reading lower"),
    (Whose.HOST, "INFO: task kworker/sda:812 blocked for more than 120 seconds."),
    (Whose.HOST, "Out of memory: Killed process 812 (sda) total-vm:1kB"),
    (Whose.HOST, "mce: [Hardware Error]: Machine check events logged"),
]


def record(text: str, properties: str = "") -> str:
    return f"3,7,1256757688,-;{text}\n{properties}"


@pytest.mark.parametrize(("whose", "line"), WHOSE)
def test_a_line_is_of_the_target_or_of_the_host_or_of_another(whose: Whose, line: str) -> None:
    (found,) = troubles([record(line)], OWN)
    assert (found.whose, found.lines) == (whose, (line,))


@pytest.mark.parametrize(
    ("whose", "properties"),
    [
        (Whose.TARGET, " SUBSYSTEM=block\n DEVICE=b8:1\n"),
        (Whose.TARGET, " SUBSYSTEM=scsi\n DEVICE=+scsi:0:0:0:0\n"),
        (Whose.ELSEWHERE, " SUBSYSTEM=scsi\n DEVICE=+scsi:1:0:0:0\n"),
        (Whose.HOST, ""),
    ],
)
def test_what_the_text_does_not_name_a_property_may(whose: Whose, properties: str) -> None:
    (found,) = troubles([record("Device offlined - not ready", properties)], OWN)
    assert found.whose is whose


def test_each_kind_is_counted_for_each() -> None:
    lines = ["I/O error, dev sda", "I/O error, dev sdb", "I/O error, dev sda", ""]
    found = troubles([record(line) if line else "" for line in lines], OWN)
    assert [(one.kind, one.count, one.whose) for one in found] == [
        ("I/O error", 2, Whose.TARGET),
        ("I/O error", 1, Whose.ELSEWHERE),
        ("lines lost", 1, Whose.HOST),
    ]


def test_a_target_on_no_device_owns_nothing() -> None:
    (found,) = troubles([record("I/O error, dev sda")], OwnStack())
    assert found.whose is Whose.ELSEWHERE


@needs_root
def test_a_folder_on_a_loop_over_a_file_on_a_loop(sut: LocalSut, tmp_path: Path) -> None:
    lower, upper = tmp_path / "lower", tmp_path / "upper"
    with (
        loop_device(tmp_path, 64) as below,
        mounted(below, lower),
        loop_device(lower, 32) as above,
        mounted(above, upper),
    ):
        target = Target("t", TargetKind.DIRECTORY, str(upper))
        found = own_stack(sut, target, str(upper))
    names = {Path(below).name, Path(above).name}
    assert names <= found.names
    assert names <= found.filesystems
    assert not {"loop", "sdzz"} & found.names


@needs_root
def test_a_partition_and_its_sisters(sut: LocalSut, tmp_path: Path) -> None:
    with loop_device(tmp_path) as disk, partition(disk) as part:
        target = Target("t", TargetKind.DEVICE, part)
        found = own_stack(sut, target, part)
        whole = own_stack(sut, Target("t", TargetKind.DEVICE, disk), disk)
    assert {Path(disk).name, Path(part).name} <= found.names
    assert Path(part).name in whole.names
    assert not whole.filesystems & {Path(disk).name, Path(part).name}


@needs_root
def test_all_devices_of_a_btrfs(sut: LocalSut, tmp_path: Path) -> None:
    point = tmp_path / "mnt"
    point.mkdir()
    with loop_device(tmp_path, 128) as one, loop_device(tmp_path, 128) as two:
        sh("mkfs.btrfs", "-q", "-f", one, two)
        sh("mount", "-o", f"device={two}", one, str(point))
        try:
            found = own_stack(sut, Target("t", TargetKind.DIRECTORY, str(point)), str(point))
        finally:
            sh("umount", str(point))
    assert {Path(one).name, Path(two).name} <= found.filesystems & found.names


@needs_root
@needs_kernel_log
def test_an_error_that_ext4_finds_is_its_own_and_no_sisters(tmp_path: Path) -> None:
    sut = open_sut()
    one, two = tmp_path / "one", tmp_path / "two"
    with (
        loop_device(tmp_path) as device,
        loop_device(tmp_path) as other,
        mounted(device, one),
        mounted(other, two),
        closing(KernelWatch(sut)) as watch,
    ):
        own = own_stack(sut, Target("t", TargetKind.DIRECTORY), str(one))
        for each in (device, other):
            fault = Path(f"/sys/fs/ext4/{Path(each).name}/trigger_fs_error")
            fault.write_text(f"iogate test of {Path(each).name}")
        found = seen(watch.records(), own) or ()
    whose = {one.whose: " ".join(one.lines) for one in found if one.kind == "filesystem error"}
    assert f"device {Path(device).name}" in whose[Whose.TARGET]
    assert Path(other).name not in whose[Whose.TARGET]
    assert Path(other).name in whose[Whose.ELSEWHERE]


@needs_root
def test_an_overlay_is_on_what_it_writes_to(sut: LocalSut, tmp_path: Path) -> None:
    base, point, lower = tmp_path / "base", tmp_path / "mnt", tmp_path / "lower"
    point.mkdir()
    lower.mkdir()
    with loop_device(tmp_path) as device, mounted(device, base):
        for name in ("upper", "work"):
            (base / name).mkdir()
        options = f"lowerdir={lower},upperdir={base}/upper,workdir={base}/work"
        sh("mount", "-t", "overlay", "-o", options, "overlay", str(point))
        try:
            found = own_stack(sut, Target("t", TargetKind.DIRECTORY, str(point)), str(point))
        finally:
            sh("umount", str(point))
    assert Path(device).name in found.names & found.filesystems
