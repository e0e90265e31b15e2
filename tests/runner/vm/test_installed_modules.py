"""Modules for a host, of a kernel that somebody else may have built."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.vm import installed_modules as installed
from iogate.vm import readers
from iogate.vm.installed_modules import installed_modules
from iogate.vm.kernels import find_kernel
from support.guests import OLD, PARTS


def unpacked(archive: bytes, into: Path) -> list[str]:
    """By the program that knows such archives, and the names as they stand in it."""
    (into / "lib").mkdir(parents=True)
    words = ["cpio", "-i", "-m", "--quiet", "--no-absolute-filenames"]
    subprocess.run(words, input=archive, cwd=into, check=True)
    done = subprocess.run(["cpio", "-t", "--quiet"], input=archive, capture_output=True, check=True)
    return done.stdout.decode().splitlines()


def test_modprobe_finds_what_is_wanted_and_what_it_needs(tmp_path: Path) -> None:
    kernel = find_kernel(OLD, [f"{PARTS}/{OLD}"])
    assert kernel.modules
    archive = installed_modules(kernel.modules, kernel.release, ("xfs", "no_such", "nvme_tcp"))
    names = unpacked(archive, tmp_path)
    assert "lib" not in names  # where that is put it may be a link
    words = ["modprobe", "-d", str(tmp_path), "-S", kernel.release, "--show-depends", "xfs"]
    said = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    loaded = [Path(line.split()[1]).stem for line in said.splitlines()]
    assert loaded[-1] == "xfs"
    assert "libcrc32c" in loaded
    assert (tmp_path / f"lib/modules/{kernel.release}/nvme_tcp.ko").is_file()
    assert not (tmp_path / f"lib/modules/{kernel.release}/btrfs.ko").exists()


def test_none_that_is_wanted_is_nothing_to_send(tmp_path: Path) -> None:
    assert installed_modules(tmp_path, "6.12.0", ("ext4",)) == b""


def test_they_are_no_more_than_a_host_is_sent_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(installed, "_MOST_BYTES", 100)
    for name in ("ext4", "nvme"):
        (tmp_path / f"{name}.ko").write_bytes(bytes(60))
    with pytest.raises(RunError, match="have more than 100 bytes") as told:
        installed_modules(tmp_path, "6.12.0", ("ext4", "nvme"))
    assert "strip" in told.value.remedy


def test_a_list_that_leads_elsewhere_is_left(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (module,) = Path(f"{PARTS}/{OLD}").rglob("xfs.ko")
    (tmp_path / "tree/xfs.ko").write_bytes(module.read_bytes())
    (tmp_path / "secret").write_text("of this machine")
    (tmp_path / "tree/modules.builtin").symlink_to("../secret")
    archive = installed_modules(tmp_path / "tree", "6.12.0", ("xfs",))
    assert b"xfs.ko" in archive
    assert b"of this machine" not in archive


def test_without_depmod_what_to_install_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/no/such/folder")
    monkeypatch.setattr(installed, "_DEPMOD", "/no/such/depmod")
    (tmp_path / "ext4.ko").write_bytes(b"module")
    with pytest.raises(RefusedError, match="there is no /no/such/depmod here"):
        installed_modules(tmp_path, "6.12.0", ("ext4",))


def test_what_reads_them_writes_nowhere_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if readers._layers() is None:
        pytest.skip("this kernel confines nothing")
    script = f'#!/bin/sh\ntouch {tmp_path}/elsewhere\ntouch "$2/lib/modules/$3/modules.dep"\n'
    (tmp_path / "depmod").write_text(script)
    (tmp_path / "depmod").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "ext4.ko").write_bytes(b"module")
    assert b"modules.dep" in installed_modules(tmp_path, "6.12.0", ("ext4",))
    assert not (tmp_path / "elsewhere").exists()
