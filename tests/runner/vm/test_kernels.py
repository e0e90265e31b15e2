"""Kernels by every name that they go by."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.vm.kernels import find_kernel
from support.guests import NEW, OLD, PARTS

ROOTS = (str(PARTS / OLD), str(PARTS / NEW))


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def image_of(series: str) -> Path:
    (image,) = (PARTS / series / "boot").glob("vmlinuz-*")
    return image


@pytest.mark.parametrize("series", [OLD, NEW])
def test_a_release_and_its_beginning(series: str) -> None:
    kernel = find_kernel(series, ROOTS)
    assert kernel.release.startswith(f"{series}.")
    assert kernel == find_kernel(kernel.release, ROOTS)
    assert kernel == find_kernel(str(image_of(series)))
    assert kernel.modules
    assert kernel.modules.name == kernel.release


def test_an_image_alone_has_no_modules(tmp_path: Path) -> None:
    image = tmp_path / "deep/down/bzImage"
    image.parent.mkdir(parents=True)
    shutil.copy(image_of(OLD), image)
    kernel = find_kernel(str(image))
    assert kernel.modules is None
    assert kernel.release == find_kernel(OLD, ROOTS).release


def test_the_tree_in_which_one_was_built(tmp_path: Path) -> None:
    (tmp_path / "arch/x86/boot").mkdir(parents=True)
    shutil.copy(image_of(OLD), tmp_path / "arch/x86/boot/bzImage")
    (tmp_path / "vmlinux").write_bytes(b"\x7fELF")
    kernel = find_kernel(str(tmp_path))
    assert (kernel.modules, kernel.vmlinux) == (None, tmp_path / "vmlinux")
    (tmp_path / "drivers").mkdir()
    (tmp_path / "drivers/some.ko").write_bytes(b"\x7fELF")
    assert find_kernel(str(tmp_path)).modules == tmp_path


def test_a_package_is_unpacked_once(tmp_path: Path) -> None:
    root = tmp_path / "root"
    (root / "DEBIAN").mkdir(parents=True)
    (root / "boot").mkdir()
    release = find_kernel(OLD, ROOTS).release
    (root / f"lib/modules/{release}").mkdir(parents=True)
    (root / f"lib/modules/{release}/some.ko").write_bytes(b"\x7fELF")
    shutil.copy(image_of(OLD), root / "boot")
    control = "Package: some\nVersion: 1\nArchitecture: amd64\nMaintainer: x\n"
    (root / "DEBIAN/control").write_text(control + "Description: x\n")
    package = tmp_path / "some.deb"
    subprocess.run(["dpkg-deb", "-Znone", "-b", root, package], check=True, capture_output=True)
    kernel = find_kernel(str(package))
    assert kernel.release == release
    assert kernel.modules
    again = find_kernel(str(package))
    assert again.image.stat().st_ino == kernel.image.stat().st_ino


@pytest.mark.parametrize("name", ["6.99", "nothing", "", "6.1; rm -rf /", "/no/such/bzImage"])
def test_what_is_no_kernel_is_refused(name: str) -> None:
    with pytest.raises(RefusedError, match="kernel"):
        find_kernel(name or "/", ROOTS)


@pytest.mark.parametrize("data", [b"", b"\0" * 100, b"text\n" * 1000, b"\0" * 0x202 + b"HdrS"])
def test_a_file_that_is_none_is_refused(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "bzImage").write_bytes(data)
    with pytest.raises(RefusedError, match="no kernel that can be booted"):
        find_kernel(str(tmp_path / "bzImage"))


def test_a_broken_package_is_told(tmp_path: Path) -> None:
    (tmp_path / "kernel.deb").write_bytes(b"!<arch>\nnothing")
    with pytest.raises(RunError, match="cannot unpack"):
        find_kernel(str(tmp_path / "kernel.deb"))
    assert not list((tmp_path / "cache/iogate/kernels").iterdir())
