"""Modules that go into a virtual machine, of a kernel that somebody else may have built."""

from __future__ import annotations

import gzip
import lzma
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from iogate.errors import RunError
from iogate.vm import modules
from iogate.vm.modules import modules_archive

Write = Callable[[Path, bytes], object]


def zstd(path: Path, data: bytes) -> None:
    path.write_bytes(
        subprocess.run(["zstd", "-qc"], input=data, stdout=subprocess.PIPE, check=True).stdout
    )


WRITTEN: dict[str, Write] = {
    "": Path.write_bytes,
    ".xz": lambda path, data: path.write_bytes(lzma.compress(data)),
    ".gz": lambda path, data: path.write_bytes(gzip.compress(data)),
    ".zst": zstd,
}


@pytest.fixture(params=WRITTEN)
def kind(request: pytest.FixtureRequest) -> str:
    if request.param == ".zst" and not shutil.which("zstd"):
        pytest.skip("there is no zstd")
    return str(request.param)


def test_a_module_is_taken_however_it_is_packed(kind: str, tmp_path: Path) -> None:
    WRITTEN[kind](tmp_path / f"nvme.ko{kind}", b"the module")
    assert b"the module" in modules_archive(tmp_path)


def test_what_is_too_large_is_refused_packed_too(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "_MOST_BYTES", 1 << 16)
    WRITTEN[kind](tmp_path / f"nvme.ko{kind}", bytes(1 << 24))
    with pytest.raises(RunError, match=r"more than (65,536|64 KiB|65,537)"):
        modules_archive(tmp_path)


@pytest.mark.parametrize("kind", [".xz", ".gz", ".zst"])
def test_what_cannot_be_unpacked_is_told(kind: str, tmp_path: Path) -> None:
    (tmp_path / f"nvme.ko{kind}").write_bytes(b"no such thing")
    with pytest.raises(RunError, match=f"nvme.ko{kind}"):
        modules_archive(tmp_path)


def test_without_zstd_what_to_install_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "nvme.ko.zst").write_bytes(b"packed")
    monkeypatch.setenv("PATH", "/no/such/folder")
    with pytest.raises(RunError, match="there is no zstd here"):
        modules_archive(tmp_path)


@pytest.mark.parametrize("to", ["secret", "/dev/zero", "pipe"])
def test_a_file_of_this_machine_is_no_module(to: str, tmp_path: Path) -> None:
    """The kernel that gets it may print it on its console."""
    (tmp_path / "secret").write_text("of this machine")
    (tmp_path / "kernel").mkdir()
    os.mkfifo(tmp_path / "kernel/pipe")
    target = tmp_path / ("kernel/pipe" if to == "pipe" else to)
    (tmp_path / "kernel/nvme.ko").symlink_to(target)
    with pytest.raises(RunError, match="no file below"):
        modules_archive(tmp_path / "kernel")


def test_a_link_within_the_folder_is_followed(tmp_path: Path) -> None:
    (tmp_path / "extra").mkdir()
    (tmp_path / "extra/own").write_bytes(b"the module")
    (tmp_path / "nvme.ko").symlink_to("extra/own")
    assert b"the module" in modules_archive(tmp_path)


def module(*needs: str) -> bytes:
    return b"\0depends=" + ",".join(needs).encode() + b"\0"


def test_modules_come_after_those_that_they_need(tmp_path: Path) -> None:
    (tmp_path / "nvme.ko").write_bytes(module("a", "nvme-core"))
    (tmp_path / "nvme-core.ko").write_bytes(module("b", "nvme"))
    (tmp_path / "a.ko").write_bytes(module("b"))
    (tmp_path / "b.ko").write_bytes(module())
    archive = modules_archive(tmp_path)
    names = [b"00000-b", b"00001-a", b"00002-nvme_core", b"00003-nvme"]
    places = [archive.index(name) for name in names]
    assert places == sorted(places)
    assert b"00004-" not in archive


def test_a_long_chain_of_modules_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "nvme.ko").write_bytes(module("m0"))
    for number in range(3000):
        (tmp_path / f"m{number}.ko").write_bytes(module(f"m{number + 1}"))
    archive = modules_archive(tmp_path)
    assert archive.index(b"00000-m2999") < archive.index(b"03000-nvme")


def test_all_modules_together_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(modules, "_MOST_TOGETHER", 1 << 16)
    (tmp_path / "nvme.ko").write_bytes(module("m0"))
    for number in range(9):
        (tmp_path / f"m{number}.ko").write_bytes(module(f"m{number + 1}") + bytes(1 << 13))
    with pytest.raises(RunError, match="have more than 64 KiB, with m7"):
        modules_archive(tmp_path)


def loaded(archive: bytes, folder: Path) -> dict[str, str]:
    """The files that /init finds, by their path below its folder."""
    done = ["cpio", "-id", "--quiet", "--no-absolute-filenames"]
    subprocess.run(done, cwd=folder, input=archive, check=True)
    base = folder / "iogate-modules"
    files = (path for path in base.rglob("*") if path.is_file())
    return {str(path.relative_to(base)): path.read_text() for path in sorted(files)}


def test_what_takes_long_to_load_waits_until_the_kernel_asks_for_it(tmp_path: Path) -> None:
    kernel, root = tmp_path / "kernel", tmp_path / "root"
    kernel.mkdir()
    root.mkdir()
    for name, needs in {
        "nvme": ["core"], "core": [], "btrfs": ["xor", "crc"], "xfs": ["core", "crc"],
        "xor": [], "crc": [],
    }.items():  # fmt: skip
        (kernel / f"{name}.ko").write_bytes(module(*needs))
    files = loaded(modules_archive(kernel), root)
    at_once = [name for name in files if not name.startswith("later/") and name.endswith(".ko")]
    assert at_once == ["00000-core.ko", "00001-nvme.ko"]
    assert files["later/fs-xfs"].split() == ["00000-crc.ko", "00001-xfs.ko"]
    assert files["later/fs-btrfs"].split() == ["00002-xor.ko", "00000-crc.ko", "00003-btrfs.ko"]
    assert not {"later/fs-ext4", "later/fs-f2fs"} & files.keys()


def test_what_the_description_names_is_loaded_at_once(tmp_path: Path) -> None:
    (tmp_path / "xfs.ko").write_bytes(module())
    root = tmp_path / "root"
    root.mkdir()
    files = loaded(modules_archive(tmp_path, ["xfs a=1"]), root)
    assert list(files) == ["00000-xfs.ko", "00000-xfs.txt"]
    assert files["00000-xfs.txt"] == "a=1"
