"""What a kernel that somebody else has built may say of itself."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.vm import kernels
from iogate.vm.kernels import find_kernel


def bzimage(path: Path, version: bytes) -> Path:
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", head, 0x20E, 0x100)
    path.write_bytes(bytes(head[:0x300]) + version + b"\0" * 600)
    return path


def test_its_release_is_read(tmp_path: Path) -> None:
    image = bzimage(tmp_path / "bzImage", b"6.12.0-rc1+ (me@here) #1 SMP")
    assert find_kernel(str(image)).release == "6.12.0-rc1+"


@pytest.mark.parametrize(
    "version",
    [b"", b"   ", b"/ (me)", b"../../../etc", b"/proc", b"6.1\x1b[2J", b"6.1/../..", b"6.1<b>"],
)
def test_a_release_is_no_path_and_no_markup(version: bytes, tmp_path: Path) -> None:
    (tmp_path / "lib/modules").mkdir(parents=True)
    with pytest.raises(RefusedError, match="no kernel that can be booted"):
        find_kernel(str(bzimage(tmp_path / "bzImage", version)))


def test_a_package_whose_name_is_an_option(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    Path("--version.deb").write_bytes(b"!<arch>\nnothing")
    with pytest.raises(RunError, match=f"cannot unpack {tmp_path}/--version.deb: .*archive"):
        find_kernel("--version.deb")


def test_one_that_may_not_be_read_is_refused(tmp_path: Path) -> None:
    """As for /boot/vmlinuz-… on Ubuntu, which the tests' user may read."""
    long = f"{tmp_path}/{'x' * 300}/bzImage"
    with pytest.raises(RefusedError, match=r"cannot read the kernel .*: File name too long"):
        find_kernel(long)


def test_a_package_that_never_ends_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(kernels, "_UNPACK_TIMEOUT_S", 0.2)
    (tmp_path / "dpkg-deb").write_text("#!/bin/sh\nexec sleep 20\n")
    (tmp_path / "dpkg-deb").chmod(0o755)
    (tmp_path / "kernel.deb").write_bytes(b"slow")
    with pytest.raises(RunError, match="dpkg-deb has not ended"):
        find_kernel(str(tmp_path / "kernel.deb"))
    assert not list((tmp_path / "cache/iogate/kernels").iterdir())
