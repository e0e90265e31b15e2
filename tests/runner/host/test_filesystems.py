"""How a filesystem was made, read off real ones."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.boot.standing import build_id
from iogate.host.devices.mounts import Mount, mount_of
from iogate.host.facts import collect_facts
from iogate.host.filesystems import made_as
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_root


def made(device: str, folder: Path, fs_type: str) -> str:
    with mounted(device, folder / "point", fs_type) as point:
        mount = mount_of(LocalSut(), str(point))
        assert mount is not None
        return made_as(LocalSut(), mount)


@needs_root
@pytest.mark.parametrize(
    ("fs_type", "mib", "holds"),
    [("ext4", 32, "Block size: "), ("xfs", 310, "reflink="), ("btrfs", 128, "nodesize: ")],
)
def test_two_made_alike_say_the_same(fs_type: str, mib: int, holds: str, tmp_path: Path) -> None:
    with loop_device(tmp_path, mib) as device:
        first, again = (made(device, tmp_path, fs_type) for _ in range(2))
    assert holds in first
    assert first == again
    assert Path(device).name not in first


@needs_root
@pytest.mark.parametrize("options", ["defaults", "compress=zstd", "compress-force=lzo"])
def test_btrfs_says_the_same_before_and_after_it_writes_its_flags(
    options: str, tmp_path: Path
) -> None:
    point = tmp_path / "point"
    point.mkdir()
    with loop_device(tmp_path, 128) as device:
        subprocess.run(["mkfs.btrfs", "-q", "-f", device], check=True)
        subprocess.run(["mount", "-o", options, device, str(point)], check=True)
        try:
            mount = mount_of(LocalSut(), str(point))
            assert mount is not None
            before = made_as(LocalSut(), mount)
            subprocess.run(["sync", "-f", str(point)], check=True)
            after = made_as(LocalSut(), mount)
            written = incompat_flags(device)
        finally:
            subprocess.run(["umount", str(point)], check=True)
    assert before == after
    assert f"incompat_flags: {written}" in after  # as it was recorded always, once written


def incompat_flags(device: str) -> str:
    command = ["btrfs", "inspect-internal", "dump-super", device]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return next(line.split()[1] for line in shown.splitlines() if line.startswith("incompat_flags"))


@needs_root
def test_another_option_of_mkfs_is_another_text(tmp_path: Path) -> None:
    with loop_device(tmp_path) as device, mounted(device, tmp_path / "point") as point:
        mount = mount_of(LocalSut(), str(point))
        assert mount is not None
        before = made_as(LocalSut(), mount)
        subprocess.run(["umount", str(point)], check=True)
        subprocess.run(["mkfs.ext4", "-q", "-F", "-I", "512", device], check=True)
        subprocess.run(["mount", device, str(point)], check=True)
        after = made_as(LocalSut(), mount)
    assert "Inode size: 512" in after
    assert before != after


def test_nobody_can_tell_of_a_filesystem_in_memory() -> None:
    assert made_as(LocalSut(), Mount("0:1", "/run", "tmpfs", "tmpfs", "rw")) == ""
    assert made_as(LocalSut(), Mount("9:1", "/x", "ext4", "/dev/not-there", "rw")) == ""


def test_the_build_id_of_this_kernel() -> None:
    notes = Path("/sys/kernel/notes")
    if not notes.exists():
        pytest.skip("this kernel shows no notes")
    expected = build_id(notes.read_bytes())
    assert collect_facts(LocalSut(), {}).get("kernel.build_id", "") == expected
    assert len(expected) >= 32


def test_a_build_id_stands_among_other_notes() -> None:
    other = bytes.fromhex("06000000 04000000 01010000") + b"Linux\0\0\0" + b"\0" * 4
    gnu = bytes.fromhex("04000000 03000000 03000000") + b"GNU\0" + b"\xab\xcd\xef\0"
    assert build_id(other + gnu) == "abcdef"
    assert build_id(other) == ""


@given(st.binary(max_size=64))
def test_any_notes_are_read(notes: bytes) -> None:
    assert isinstance(build_id(notes), str)
