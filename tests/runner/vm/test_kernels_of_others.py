"""What a kernel that somebody else has built may say of itself."""

from __future__ import annotations

from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.vm import packages
from iogate.vm.kernels import find_kernel
from support.kernel_images import bzimage


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


@pytest.mark.parametrize("name", ["arch/x86/boot/bzImage", "boot/vmlinuz-6.12.0"])
def test_an_image_that_leads_out_of_its_folder_is_refused(name: str, tmp_path: Path) -> None:
    place = tmp_path / "tree" / name
    place.parent.mkdir(parents=True)
    place.symlink_to(bzimage(tmp_path / "mine", b"6.12.0 (me)"))
    with pytest.raises(RefusedError, match="leads out of"):
        find_kernel(str(tmp_path / "tree"))
    place.unlink()
    bzimage(tmp_path / "tree/own", b"6.12.0 (me)")
    place.symlink_to(tmp_path / "tree/own")
    assert find_kernel(str(tmp_path / "tree")).release == "6.12.0"


def test_symbols_that_lead_out_of_their_folder_are_refused(tmp_path: Path) -> None:
    (tmp_path / "tree/arch/x86/boot").mkdir(parents=True)
    bzimage(tmp_path / "tree/arch/x86/boot/bzImage", b"6.12.0 (me)")
    (tmp_path / "secret").touch()
    (tmp_path / "tree/vmlinux").symlink_to(tmp_path / "secret")
    with pytest.raises(RefusedError, match="vmlinux leads out of"):
        find_kernel(str(tmp_path / "tree"))


@pytest.mark.parametrize("text", ["/proc/kmsg", "/proc/self/environ", "/proc/sysrq-trigger"])
def test_what_the_kernel_says_is_no_kernel(text: str) -> None:
    """Reading one of these waits, or takes from others what they have not read yet."""
    with pytest.raises(RefusedError, match="kernel"):
        find_kernel(text)


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
    monkeypatch.setattr(packages, "_TIMEOUT_S", 0.2)
    (tmp_path / "dpkg-deb").write_text("#!/bin/sh\nexec sleep 20\n")
    (tmp_path / "dpkg-deb").chmod(0o755)
    (tmp_path / "kernel.deb").write_bytes(b"slow")
    with pytest.raises(RunError, match="dpkg-deb has not ended"):
        find_kernel(str(tmp_path / "kernel.deb"))
    assert not list((tmp_path / "cache/iogate/kernels").iterdir())
