"""Reads of what was never written are noticed: on real files with holes, loop and zram disks."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.host.devices.unwritten import SAMPLES, Unwritten, look_for_unwritten
from iogate.model.plan import Case
from iogate.model.spec import Destroy, JobSpec, Repetitions, Target, TargetKind
from iogate.sut.local import LocalSut
from support.devices import loop_device, mounted, needs_root, zram_device

MIB = 1 << 20


def case(kind: TargetKind, path: str, **options: str) -> Case:
    target = Target("t", kind, path, Destroy(size_bytes=1) if kind is TargetKind.DEVICE else None)
    job = JobSpec("w", {"rw": "randread", "bs": "4k", **options})
    return Case("0123456789abcdef", "w", "w", target, (job,), {}, Repetitions(), ())


def looked(kind: TargetKind, path: str | Path, **options: str) -> Unwritten:
    return look_for_unwritten(LocalSut(), case(kind, str(path), **options), str(path))


def write(path: str | Path, start: int, size: int, byte: bytes = b"") -> None:
    """Data that no hole and no zero is in, unless ``byte`` says which."""
    with Path(path).open("r+b") as out:
        out.seek(start)
        out.write(byte * size if byte else os.urandom(size))
        out.flush()
        os.fsync(out.fileno())


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    """A file of 16 MiB without anything in it."""
    path = tmp_path / "data"
    with path.open("wb") as out:
        out.truncate(16 * MIB)
    return path


def test_a_file_of_holes(sparse: Path) -> None:
    found = looked(TargetKind.FILE, sparse)
    assert found.share == 1
    (text,) = found.warnings
    assert f"{SAMPLES} of {SAMPLES} blocks looked at of what this reads of {sparse}" in text
    assert "Write all of it first" in text


def test_a_file_that_was_written(sparse: Path) -> None:
    write(sparse, 0, 16 * MIB)
    assert looked(TargetKind.FILE, sparse) == Unwritten(0.0)


def test_a_file_of_zeros_is_as_good_as_none(sparse: Path) -> None:
    write(sparse, 0, 16 * MIB, b"\0")
    assert looked(TargetKind.FILE, sparse).share == 1


@pytest.mark.parametrize(
    ("options", "share"),
    [
        ({"offset": "8m"}, 0),
        ({"offset": "50%"}, 0),
        ({"size": "8m"}, 1),
        ({"size": "50%"}, 1),
        ({"offset": "4m", "size": "4m"}, 1),
        ({"offset": "4m", "offset_increment": "8m", "size": "4m"}, 1 / 3),
        ({}, 0.5),
    ],
)
def test_only_what_the_jobs_read_is_looked_at(
    sparse: Path, options: dict[str, str], share: float
) -> None:
    write(sparse, 8 * MIB, 8 * MIB)
    assert looked(TargetKind.FILE, sparse, **options).share == pytest.approx(share, abs=0.25)


def test_a_few_holes_are_no_matter(sparse: Path) -> None:
    write(sparse, 0, 16 * MIB - 64 * 1024)
    found = looked(TargetKind.FILE, sparse)
    assert found.share is not None
    assert found.share <= 0.1
    assert found.warnings == ()


def test_what_is_not_read_is_not_looked_at(sparse: Path, tmp_path: Path) -> None:
    assert looked(TargetKind.FILE, sparse, rw="randwrite") == Unwritten()
    assert looked(TargetKind.FILE, sparse, rw="randrw").share == 1
    assert looked(TargetKind.FILE, tmp_path / "new") == Unwritten()
    assert looked(TargetKind.DIRECTORY, tmp_path) == Unwritten()
    assert looked(TargetKind.FILE, sparse, offset="64m") == Unwritten()


def test_what_cannot_be_looked_at_is_not_known(tmp_path: Path) -> None:
    (tmp_path / "tiny").write_bytes(b"x")
    assert looked(TargetKind.FILE, tmp_path / "tiny") == Unwritten()


@needs_root
@pytest.mark.parametrize("kind", ["loop", "zram"])
def test_a_disk_before_and_after_it_is_filled(tmp_path: Path, kind: str) -> None:
    with loop_device(tmp_path, 32) if kind == "loop" else zram_device(32) as device:
        found = looked(TargetKind.DEVICE, device)
        assert found.share == 1
        assert "precondition: { fill: { bs: 1m } }" in found.warnings[0]
        write(device, 0, 16 * MIB)
        half = looked(TargetKind.DEVICE, device).share
        assert half is not None
        assert 0.2 < half < 0.8
        write(device, 16 * MIB, 16 * MIB)
        assert looked(TargetKind.DEVICE, device) == Unwritten(0.0)


@needs_root
def test_a_hole_on_ext4_is_known_without_a_read(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path, 64) as device,
        mounted(device, tmp_path / "m", "ext4") as point,
    ):
        path = point / "data"
        path.write_bytes(b"")
        os.truncate(path, 16 * MIB)
        assert looked(TargetKind.FILE, path).share == 1
        with path.open("r+b") as out:
            os.posix_fallocate(out.fileno(), 0, 16 * MIB)
        assert looked(TargetKind.FILE, path).share == 1
        write(path, 0, 16 * MIB)
        assert looked(TargetKind.FILE, path).share == 0


@needs_root
def test_data_that_shrink_where_something_compresses(tmp_path: Path) -> None:
    zeros = {"rw": "randwrite", "zero_buffers": "1"}
    with zram_device(32) as device:
        (text,) = looked(TargetKind.DEVICE, device, **zeros).warnings
        assert text.startswith(f"zero_buffers lets {device} store next to nothing")
        assert looked(TargetKind.DEVICE, device, rw="randwrite").warnings == ()
    with loop_device(tmp_path, 32) as device:
        assert looked(TargetKind.DEVICE, device, **zeros).warnings == ()
    assert looked(TargetKind.DIRECTORY, tmp_path, **zeros).warnings == ()


@needs_root
def test_a_filesystem_that_compresses(tmp_path: Path) -> None:
    with (
        loop_device(tmp_path, 256) as device,
        mounted(device, tmp_path / "m", "btrfs") as point,
    ):
        data = {"rw": "write", "buffer_compress_percentage": "80"}
        assert looked(TargetKind.DIRECTORY, point, **data).warnings == ()
        assert os.system(f"mount -o remount,compress=zstd {point}") == 0
        (text,) = looked(TargetKind.DIRECTORY, point, **data).warnings
        assert f"lets btrfs at {point} store" in text


def test_a_disk_that_is_too_slow_is_not_waited_for(
    sparse: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("iogate.sut.blanks._PATIENCE_S", -1.0)
    assert looked(TargetKind.FILE, sparse) == Unwritten()


def test_a_name_that_became_a_link_is_not_followed(sparse: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(sparse)
    one = replace(case(TargetKind.FILE, str(link)), name="x")
    assert look_for_unwritten(LocalSut(), one, str(link)).share is None
