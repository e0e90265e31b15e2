"""ioengine=e4defrag: blocks of files on ext4 exchanged for those of a donor."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.devices import loop_device, mounted, needs_root
from support.engine_runs import Ran, run

MIB = 1 << 20
BASE = ["--name=j", "--ioengine=e4defrag", "--filename=f", "--rw=write", "--output-format=json"]

pytestmark = needs_root


@pytest.fixture
def ext4(tmp_path: Path) -> Iterator[Path]:
    """A folder on ext4 with a file of noise."""
    with loop_device(tmp_path, 64) as device, mounted(device, tmp_path / "mount") as folder:
        (folder / "f").write_bytes(os.urandom(MIB))
        subprocess.run(["sync", "-f", str(folder)], check=True)
        yield folder


def _run(program: Path | str, folder: Path, options: str) -> Ran:
    return run(program, [*BASE, *(f"--{word}" for word in options.split())], folder)


def _blocks(path: Path) -> list[str]:
    """Where each extent of a file lies on the device."""
    told = subprocess.run(["filefrag", "-v", path], check=True, capture_output=True, text=True)
    lines = [line.split(":") for line in told.stdout.splitlines()]
    return [line[2].strip() for line in lines if line[0].strip().isdigit()]


@pytest.mark.parametrize(
    "options",
    [
        "filesize=1m bs=64k",
        "filesize=1m bs=64k inplace=1",
        "filesize=1m bs=64k inplace=1 rw=randwrite",
        "filesize=1m bs=6k inplace=1",
        "filesize=1m bs=512 inplace=1 number_ios=100",
        "filesize=1m bs=64k thread buffered=0",
        "filesize=1m bs=64k numjobs=2",
    ],
)
def test_blocks_move_as_with_fio(engine: Path, fio: str, ext4: Path, options: str) -> None:
    told: list[list[Any]] = []
    noise = (ext4 / "f").read_bytes()
    for program in (engine, fio):
        before = _blocks(ext4 / "f")
        jobs = _run(program, ext4, f"donorname=d {options}").document(notes=True)["jobs"]
        told.append([(job["write"]["io_bytes"], job["write"]["total_ios"]) for job in jobs])
        told[-1].append((ext4 / "d").stat().st_size)
        assert (ext4 / "f").read_bytes() == noise
        assert "numjobs" in options or _blocks(ext4 / "f") != before
        (ext4 / "d").unlink()
    assert told[0] == told[1]


def test_a_donor_has_the_size_of_the_job(engine: Path, ext4: Path) -> None:
    """Where only size= says it."""
    assert _run(engine, ext4, "donorname=d size=1m bs=64k").status == 0
    assert (ext4 / "d").stat().st_size == MIB


def test_a_donor_is_below_the_directory(engine: Path, fio: str, ext4: Path, tmp_path: Path) -> None:
    options = "--donorname=d --filesize=1m --bs=64k --inplace=1"
    for program in (engine, fio):
        words = ["--name=j", f"--directory={ext4}", *BASE[1:], *options.split()]
        assert run(program, words, tmp_path / "elsewhere").status == 0
        assert (ext4 / "d").stat().st_size == 0
        (ext4 / "d").unlink()


def test_what_moved_is_synced(engine: Path, ext4: Path) -> None:
    """fio's fails at the first sync."""
    ran = _run(engine, ext4, "donorname=d size=1m bs=128k fsync=2")
    job = ran.document()["jobs"][0]
    assert (job["write"]["total_ios"], job["sync"]["total_ios"]) == (8, 3)


@pytest.mark.parametrize(
    ("options", "status", "said"),
    [
        ("", 2, "ioengine=e4defrag needs donorname"),
        ("donorname=d rw=read", 2, "has only writes: change rw"),
        ("donorname=d rw=randrw", 2, "has only writes: change rw"),
        ("donorname=d verify=crc32c", 2, "there is nothing to verify"),
        ("donorname=d inplace=1 numjobs=2", 2, "would free each other's blocks"),
        ("donorname=d inplace=2", 2, "inplace"),
        ("donorname=f", 3, "is the job's own file 'f', which would lose its data"),
        ("donorname=./f", 3, "is the job's own file 'f'"),
        ("donorname=link", 3, "is the job's own file 'f'"),
        ("donorname=second", 3, "is the job's own file 'f'"),
        ("donorname=d/d", 1, "directory 'd' does not exist"),
        ("donorname=/dev/null", 1, "the donor '/dev/null' is no file"),
        ("donorname=/dev/shm/donor", 1, "is on another filesystem than 'f'"),
        ("donorname=d readonly", 1, "--readonly forbids it"),
        ("donorname=d allow_file_create=0", 1, "allow_file_create=0 forbids to make it"),
    ],
)
def test_what_is_no_donor_is_told(
    engine: Path, ext4: Path, options: str, status: int, said: str
) -> None:
    (ext4 / "link").symlink_to("f")
    (ext4 / "second").hardlink_to(ext4 / "f")
    before = {each.name: each.read_bytes() for each in ext4.iterdir() if each.is_file()}
    ran = _run(engine, ext4, f"size=1m bs=64k {options}")
    assert (ran.status, said in ran.err) == (status, True), ran.err
    assert {each.name: each.read_bytes() for each in ext4.iterdir() if each.is_file()} == before
    assert not Path("/dev/shm/donor").exists()


@pytest.mark.parametrize("in_place", [0, 1])
@pytest.mark.parametrize("name", ["./new", "link"])
def test_a_file_that_is_not_there_yet_is_no_donor_of_itself(
    engine: Path, ext4: Path, name: str, in_place: int
) -> None:
    (ext4 / "link").symlink_to("new")
    options = f"filename=new filesize=1m bs=64k donorname={name} inplace={in_place}"
    ran = _run(engine, ext4, options)
    assert ran.status == 3
    assert "is the job's own file 'new', which would lose its data" in ran.err


def test_an_image_in_use_is_no_donor(engine: Path, ext4: Path) -> None:
    with loop_device(ext4, 1):
        image = next(ext4.glob("image-*"))
        ran = _run(engine, ext4, f"size=1m bs=64k donorname={image.name}")
        assert ran.status == 3, ran.err
        assert image.stat().st_size == MIB


def _expect(kind: str, path: Path) -> str:
    found = path.stat()
    device = f"{os.major(found.st_dev)}:{os.minor(found.st_dev)}"
    return f"--expect={kind} {device} {found.st_ino} 0:0 0 0 {path}"


@pytest.mark.parametrize("donor", ["victim", "link", "inside/link"])
def test_only_what_is_expected_is_a_donor(engine: Path, ext4: Path, donor: str) -> None:
    (ext4 / "inside").mkdir()
    (ext4 / "victim").write_bytes(b"x" * 8192)
    for link in ("link", "inside/link"):
        (ext4 / link).symlink_to(ext4 / "victim")
    (ext4 / "inside" / "f").write_bytes(bytes(MIB))
    words = [*BASE, f"--filename={ext4}/inside/f", "--size=1m", "--bs=64k"]
    expect = _expect("directory", ext4 / "inside")
    ran = run(engine, [expect, *words, f"--donorname={ext4}/{donor}"], ext4)
    assert ran.status == 3, ran.err
    assert (ext4 / "victim").read_bytes() == b"x" * 8192
    ran = run(engine, [expect, *words, f"--donorname={ext4}/inside/d"], ext4)
    assert ran.status == 0, ran.err


def test_another_filesystem_is_told(engine: Path, tmp_path: Path) -> None:
    folder = Path("/dev/shm") / tmp_path.name
    try:
        ran = _run(engine, folder, "donorname=d size=1m bs=64k")
        assert ran.status == 1
        assert "'d' is not on ext4, which alone exchanges blocks this way" in ran.err
    finally:
        subprocess.run(["rm", "-r", str(folder)], check=True)
