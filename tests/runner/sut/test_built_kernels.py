"""Kernels that are built here, on a host that boots them by a kexec that only writes down what it
is told. That one really comes up is for ``e2e/test_kernels_on_a_host``."""

from __future__ import annotations

import errno
import hashlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from iogate.bisect.boots import make_boots
from iogate.errors import RefusedError, RunError, UsageError
from iogate.sut import booted_host, built_kernel, open_sut
from iogate.sut.bootable import WrongKernelError
from iogate.sut.booted_host import HostSut
from iogate.sut.built_kernel import PLACE, BuiltKernel, copy_to
from iogate.sut.local import LocalSut
from iogate.vm.kernels import NoKernelError
from support.devices import needs_root
from support.kernel_images import bzimage
from support.rebootable import NEW, Rebootable, rebootable

pytestmark = needs_root
_KILLED = """
import os, sys
from iogate.sut.booted_host import HostSut
sut = HostSut(sys.argv[1])
sut.boot(sut.kernel(sys.argv[2]))
os._exit(9)
"""
BANNER = f"{NEW} (me@here) #1 SMP".encode()


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rebootable]:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    for name in ("_SETTLE_S", "_PAUSE_S"):  # nothing takes its time to go down here
        monkeypatch.setattr(booted_host, name, 0.3)
    with rebootable(tmp_path) as host:
        host.boot_by_kexec()
        yield host


@pytest.fixture
def image(tmp_path: Path) -> Path:
    return bzimage(tmp_path / "bzImage", BANNER)


def described(there: Rebootable, **changed: object) -> str:
    said: dict[str, object] = {"boot": "kexec", "kernels": None, "built": {"cmdline": "quiet"}}
    return there.describe(boot_seconds=20, **{**said, **changed})


def opened(machine: str) -> HostSut:
    sut = open_sut(machine)
    assert isinstance(sut, HostSut)
    return sut


def test_it_is_copied_booted_and_removed(there: Rebootable, image: Path) -> None:
    home = there.release
    with closing(opened(described(there))) as sut:
        kernel = sut.kernel(str(image))
        sut.boot(kernel)
        assert sut.running().release == NEW
        assert (there.disk / "loaded.image").read_bytes() == image.read_bytes()
        words = (there.disk / "loaded.cmdline").read_text().split()
        assert words[-2:] == [f"iogate.kernel={kernel.name}", "quiet"]
        assert "panic=10" in words
        assert len(sut.list_dir(PLACE)) == 1
        before = sut.stat(kernel.image)
        sut.boot(kernel)
        assert sut.stat(kernel.image) == before
    assert there.release == home
    with closing(open_sut(there.host.machine)) as plain:
        assert plain.stat(PLACE) is None


def test_the_copies_of_a_killed_run_are_removed(there: Rebootable, image: Path) -> None:
    home, machine = there.release, described(there)
    words = [sys.executable, "-c", _KILLED, machine.removeprefix("host:"), str(image)]
    assert subprocess.run(words, check=False).returncode == 9
    with closing(open_sut(there.host.machine)) as plain:
        assert plain.stat(PLACE)
    with closing(opened(machine)) as sut:
        assert there.release == home
        assert sut.stat(PLACE) is None


def test_a_host_whose_file_does_not_say_so_boots_none(there: Rebootable, image: Path) -> None:
    kernels = {"new": {"image": "/boot/vmlinuz"}}
    with closing(opened(described(there, built=None, kernels=kernels))) as sut:
        with pytest.raises(UsageError, match=r"host lab has no kernel '/.*/bzImage'") as told:
            sut.kernel(str(image))
        assert "built:" in told.value.remedy
        with pytest.raises(RefusedError, match="lab boots nothing that is built here"):
            make_boots(sut, image, image.parent)
        assert sut.stat(PLACE) is None
    assert not (there.disk / "loaded.image").exists()


def test_what_is_no_kernel_is_a_revision_to_go_around(there: Rebootable, tmp_path: Path) -> None:
    """What the host lacks is not."""
    with closing(opened(described(there))) as sut:
        boots = make_boots(sut, tmp_path / "no such", tmp_path)
        assert "there is no kernel" in boots.why_not()
        with pytest.raises(NoKernelError):
            boots.boot()
        bell = bzimage(tmp_path / "bell", BANNER + b" \a")
        with pytest.raises(NoKernelError, match="what cannot be printed"):
            sut.kernel(str(bell))
        with pytest.raises(UsageError, match="has no kernel 'newer'"):
            sut.kernel("newer")
    missing = {"initrd": "/boot/no-such"}
    with closing(opened(described(there, built=missing))) as sut:
        boots = make_boots(sut, bzimage(tmp_path / "bzImage", BANNER), tmp_path)
        with pytest.raises(RefusedError, match="there is no /boot/no-such on lab"):
            boots.why_not()


def test_another_kernel_that_comes_up_is_told(there: Rebootable, tmp_path: Path) -> None:
    other = bzimage(tmp_path / "bzImage", b"5.10.7 (me@here) #1 SMP")
    with closing(opened(described(there))) as sut:
        boots = make_boots(sut, other, tmp_path)
        with pytest.raises(WrongKernelError, match=rf"release {NEW}, not 5\.10\.7"):
            boots.boot()


def test_an_image_that_is_built_again_meanwhile_is_not_booted(
    there: Rebootable, image: Path
) -> None:
    with closing(opened(described(there))) as sut:
        kernel = sut.kernel(str(image))
        bzimage(image, BANNER + b" PREEMPT")
        with pytest.raises(RefusedError, match="bzImage has changed meanwhile"):
            sut.boot(kernel)
    assert not (there.disk / "loaded.image").exists()


def test_a_copy_that_is_not_what_was_sent_is_not_booted(there: Rebootable, image: Path) -> None:
    there.program("sha256sum", "echo 0000 -")
    with closing(opened(described(there))) as sut:
        kernel = sut.kernel(str(image))
        with pytest.raises(RefusedError, match=r"cannot copy kernel .* is not there what was sent"):
            sut.boot(kernel)
    assert not (there.disk / "loaded.image").exists()
    with closing(open_sut(there.host.machine)) as plain:
        assert plain.stat(PLACE) is None


def test_a_host_that_takes_no_copy_ends_a_search(there: Rebootable, image: Path) -> None:
    with closing(opened(described(there))) as sut:
        sut.put(PLACE, b"a file in its place")
        with pytest.raises(RefusedError, match=r"cannot copy kernel .* to host:lab"):
            make_boots(sut, image, image.parent).boot()


def test_no_room_here_for_modules_ends_a_search(
    there: Rebootable, image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(folder: Path, release: str, wanted: Sequence[str]) -> bytes:
        assert {"nvme", "xfs"} <= set(wanted)
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(built_kernel, "installed_modules", full)
    (image.parent / "lib/modules" / NEW).mkdir(parents=True)
    with closing(opened(described(there))) as sut:
        boots = make_boots(sut, image, image.parent)
        with pytest.raises(RunError, match=f"cannot pack the modules of {NEW}: No space left"):
            boots.why_not()


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where copies lie, on this machine."""
    monkeypatch.setattr(built_kernel, "PLACE", str(tmp_path / "place"))
    return tmp_path / "place"


def copied(place: Path, image: Path, name: str) -> BuiltKernel:
    digest = hashlib.sha256(image.read_bytes()).hexdigest()
    return BuiltKernel(name, image=f"{place}/{name}.image", local=image, digest=digest)


def test_modules_are_put_behind_the_hosts_own_initrd(
    tmp_path: Path, place: Path, image: Path
) -> None:
    """At a multiple of four bytes: the kernel looks for them nowhere else."""
    (tmp_path / "initrd").write_bytes(b"12345")
    kernel = replace(
        copied(place, image, "1"),
        initrd=f"{place}/1.initrd",
        modules=b"070701 modules",
        archive=f"{place}/1.modules",
        behind=str(tmp_path / "initrd"),
    )
    copy_to(LocalSut(), kernel, ())
    whole = b"12345" + bytes(3) + b"070701 modules" + bytes(2)
    assert (place / "1.initrd").read_bytes() == whole
    assert (place / "1.image").read_bytes() == image.read_bytes()


def test_no_more_than_two_kernels_lie_there(place: Path, image: Path) -> None:
    """A search tries many."""
    last: BuiltKernel | None = None
    for name in ("1", "2", "3"):
        kernel = copied(place, image, name)
        copy_to(LocalSut(), kernel, last.files if last else ())
        last = kernel
    assert {path.name for path in place.iterdir()} == {"2.image", "3.image"}
