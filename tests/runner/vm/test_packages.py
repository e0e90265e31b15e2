"""Packages of kernels, which anybody may have made: nothing of them leads out, and they fill
neither disk nor memory."""

from __future__ import annotations

import errno
import io
import os
import struct
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from iogate.errors import RefusedError, RunError
from iogate.vm import cpio, packages
from iogate.vm.kernels import find_kernel

MIB = 1 << 20
Content = bytes | str
"""Of a file; a text is where a link leads."""
Member = tuple[str, Content]
Make = Callable[[list[Member]], Path]


def image() -> bytes:
    head = bytearray(0x400)
    head[0x202:0x206] = b"HdrS"
    struct.pack_into("<H", head, 0x20E, 0x100)
    return bytes(head[:0x300]) + b"6.12.0 (me@here) #1 SMP" + b"\0" * 600


IMAGE: Member = ("boot/vmlinuz-6.12.0", image())
MODULE: Member = ("lib/modules/6.12.0/some.ko", b"\x7fELF")


def tar(members: list[Member]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, content in members:
            info = tarfile.TarInfo(f"./{name}")
            if isinstance(content, str):
                info.type, info.linkname = tarfile.SYMTYPE, content
                archive.addfile(info)
            else:
                info.size = len(content)
                archive.addfile(info, io.BytesIO(content))
    return data.getvalue()


def ar(members: list[tuple[str, bytes]]) -> bytes:
    parts = [b"!<arch>\n"]
    for name, data in members:
        parts.append(f"{name:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode())
        parts.append(data + b"\n" * (len(data) % 2))
    return b"".join(parts)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "rpm2cpio").write_text('#!/bin/sh\nexec cat "$1"\n')
    (tmp_path / "rpm2cpio").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


@pytest.fixture(params=["deb", "rpm"])
def make(request: pytest.FixtureRequest, folder: Path) -> Make:
    """Makes a package of these files, in this order."""

    def deb(members: list[Member]) -> Path:
        place = folder / f"kernel-{len(list(folder.iterdir()))}.deb"
        control = tar([("control", b"Package: x\nVersion: 1\nArchitecture: amd64\n")])
        parts = [("debian-binary", b"2.0\n"), ("control.tar", control), ("data.tar", tar(members))]
        place.write_bytes(ar(parts))
        return place

    def rpm(members: list[Member]) -> Path:
        place = folder / f"kernel-{len(list(folder.iterdir()))}.rpm"
        entries = [
            cpio._entry(number, f"./{name}", item(content))
            for number, (name, content) in enumerate(members, start=1)
        ]
        place.write_bytes(b"".join(entries) + cpio.archive({}))
        return place

    return deb if request.param == "deb" else rpm


def item(content: Content) -> cpio.Item:
    return cpio.link(content) if isinstance(content, str) else cpio.file(content)


def kept(folder: Path) -> list[Path]:
    return list((folder / "cache/iogate/kernels").iterdir())


def test_what_belongs_to_a_kernel_is_unpacked_once(make: Make, folder: Path) -> None:
    long = ("lib/modules/6.12.0/" + "deep/" * 40 + "far.ko", bytes(70_000))
    package = make([("usr/share/doc/copyright", b"x"), IMAGE, MODULE, long])
    kernel = find_kernel(str(package))
    assert kernel.release == "6.12.0"
    assert kernel.image.read_bytes() == image()
    assert kernel.modules
    assert (kernel.modules / "some.ko").read_bytes() == b"\x7fELF"
    assert len((kernel.modules / ("deep/" * 40 + "far.ko")).read_bytes()) == 70_000
    assert not list(folder.glob("cache/**/copyright"))
    package.rename(package.with_name(f"other{package.suffix}"))
    assert find_kernel(str(package.with_name(f"other{package.suffix}"))) == kernel


def test_a_kernel_where_all_is_below_usr(make: Make) -> None:
    name = "usr/lib/modules/6.12.0/"
    kernel = find_kernel(str(make([(f"{name}vmlinuz", image()), (f"{name}some.ko", b"x")])))
    assert kernel.release == "6.12.0"
    assert kernel.modules


@pytest.mark.parametrize("link", ["boot", "boot/vmlinuz-6.12.0", "lib", "lib/modules"])
def test_a_link_leads_nowhere(link: str, make: Make, folder: Path) -> None:
    """Another file through it comes after it; what the link is for is not even made."""
    (folder / "outside").mkdir()
    package = make([(link, str(folder / "outside")), IMAGE, MODULE])
    assert find_kernel(str(package)).release == "6.12.0"
    assert not list((folder / "outside").iterdir())
    assert not any(each.is_symlink() for each in folder.glob("cache/**/*"))


def test_a_link_is_no_kernel(make: Make) -> None:
    with pytest.raises(RefusedError, match="holds no kernel"):
        find_kernel(str(make([("boot/vmlinuz-6.12.0", "/etc/shadow")])))


def test_a_name_that_leads_out_is_refused(make: Make, folder: Path) -> None:
    with pytest.raises(RunError, match="leads out of it"):
        find_kernel(str(make([("boot/../../../outside", b"x"), IMAGE])))
    assert not (folder / "outside").exists()
    assert not kept(folder)


@pytest.mark.parametrize(
    "members",
    [[IMAGE, IMAGE], [IMAGE, (f"{IMAGE[0]}/below", b"x")], [(f"{IMAGE[0]}/below", b"x"), IMAGE]],
    ids=["twice", "a folder that is a file", "a file that is a folder"],
)
def test_what_cannot_be_is_told(members: list[Member], make: Make, folder: Path) -> None:
    with pytest.raises(RunError, match="cannot unpack"):
        find_kernel(str(make(members)))
    assert not kept(folder)


def test_it_is_bounded(make: Make, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    many = [(f"lib/modules/6.12.0/{number}.ko", b"x") for number in range(20)]
    monkeypatch.setattr(packages, "_MOST_FILES", 10)
    with pytest.raises(RunError, match="more than 10 files of a kernel"):
        find_kernel(str(make([IMAGE, *many])))
    monkeypatch.setattr(packages, "_MOST_BYTES", MIB)
    for name in ("boot/large", "usr/share/large"):
        with pytest.raises(RunError, match="says more than 1 MiB"):
            find_kernel(str(make([IMAGE, (name, bytes(2 * MIB))])))
    assert not kept(folder)


def test_those_that_nobody_uses_make_room(make: Make, folder: Path) -> None:
    """A descriptor that is closed stands for a process that has ended."""
    used = find_kernel(str(make([IMAGE, MODULE])))
    for number in range(6):
        find_kernel(str(make([IMAGE, (MODULE[0], bytes(number))])))
        newest = max(packages._held, key=lambda place: place.stat().st_mtime_ns)
        if newest in kept(folder):
            os.close(packages._held.pop(newest))
    assert len(kept(folder)) == 5
    assert used.image.is_file()


@pytest.mark.parametrize("cut", [1, 300, 700, 2000])
def test_one_that_is_cut_off_is_told(cut: int, make: Make, folder: Path) -> None:
    package = make([IMAGE, (MODULE[0], b"x" * 3000)])
    package.write_bytes(package.read_bytes()[:-cut])
    with pytest.raises(RunError, match="cannot unpack"):
        find_kernel(str(package))
    assert not kept(folder)


def test_half_a_package_is_the_builds_fault(make: Make) -> None:
    """Who searches for a culprit goes around it."""
    package = make([IMAGE, MODULE])
    package.write_bytes(package.read_bytes()[:-900])
    with pytest.raises(packages.BrokenPackageError, match="cannot unpack"):
        find_kernel(str(package))


def test_a_full_disk_is_not(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who searches would go around each revision."""

    def full(**_: object) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    with pytest.raises(RunError, match="No space left on device") as told:
        find_kernel(str(make([IMAGE])))
    assert not isinstance(told.value, packages.BrokenPackageError)
    assert "make room" in told.value.remedy
