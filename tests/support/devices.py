"""Block devices and filesystems that a test makes for itself, and always takes away."""

from __future__ import annotations

import fcntl
import os
import re
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

_LOOP_CTL_ADD, _LOOP_CTL_REMOVE = 0x4C80, 0x4C81  # linux/loop.h
_OWN_LOOPS = range(240, 256)
SWAP_HEADER = 4096  # bytes, the first of a swap area: only these the kernel never changes

needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="loop devices and mounts need root")
KERNEL_LOG = Path("/dev/kmsg")
needs_kernel_log = pytest.mark.skipif(
    not os.access(KERNEL_LOG, os.R_OK | os.W_OK), reason="the kernel's log is not for this user"
)


def sh(*argv: str) -> str:
    """Run a command that must work; its output."""
    done = subprocess.run(argv, check=False, capture_output=True, text=True)
    assert done.returncode == 0, f"{argv}: {done.stderr}"
    return done.stdout.strip()


@contextmanager
def loop_device(folder: Path, size_mib: int = 32, *, readonly: bool = False) -> Iterator[str]:
    """A loop device over a sparse file; its path."""
    extra = ["--read-only"] if readonly else []
    with _image(folder, size_mib) as image, loop_over(image, *extra) as path:
        yield path


@contextmanager
def _image(folder: Path, size_mib: int) -> Iterator[Path]:
    image = folder / f"image-{time.monotonic_ns()}"
    with image.open("wb") as out:
        out.truncate(size_mib << 20)
    try:
        yield image
    finally:
        image.unlink()


def kernel_tells_of_io() -> bool:
    """Whether the kernel would log an I/O error now: after ten in five seconds it does not."""
    lines = subprocess.run(["dmesg"], check=True, capture_output=True, text=True).stdout
    times = re.findall(r"^\[ *([\d.]+)\] .*I/O error, dev", lines, re.MULTILINE)
    up = float(Path("/proc/uptime").read_text().split()[0])
    return sum(float(each) > up - 6 for each in times) < 4


def image_of(device: str) -> str:
    """The path of the image of a loop device, or of the disk of one of its partitions."""
    found = re.match(r"/dev/loop\d+", str(Path(device).resolve()))
    assert found, f"{device} is no loop device"
    name = found.group().removeprefix("/dev/")
    return Path(f"/sys/block/{name}/loop/backing_file").read_text().strip()


def identity_of(device: str) -> str:
    """What ``destroy:`` has to say of a loop or zram device."""
    name = Path(device).resolve().name
    if name.startswith("loop"):
        return f"backing: {image_of(device)}"
    return f"size: {int(Path(f'/sys/block/{name}/size').read_text()) * 512}"


@contextmanager
def by_id_link(device: str) -> Iterator[Path]:
    """A name for a device in /dev/disk/by-id, as udev would make it."""
    folder = Path("/dev/disk/by-id")
    made = [each for each in (folder, folder.parent) if not each.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    link = folder / f"iogate-test-{os.getpid()}-{time.monotonic_ns()}"
    link.symlink_to(device)
    try:
        yield link
    finally:
        link.unlink()
        for each in made:
            with suppress(OSError):  # others have names there meanwhile
                each.rmdir()


@contextmanager
def loop_over(path: str | Path, *more: str) -> Iterator[str]:
    """A loop device over a file or a device that is there; its path."""
    made = sh("losetup", "--find", "--show", *more, str(path))
    try:
        yield made
    finally:
        _detach(made)


@contextmanager
def overlay(folder: Path, *, relative: bool = False) -> Iterator[Path]:
    """A folder with an overlay at ``m`` over ``l`` and ``u``, which are made where they are not
    there yet; that with the overlay. ``relative``: as somebody in the folder names them."""
    for name in ("l", "u", "w", "m"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    base = "" if relative else f"{folder}/"
    options = f"lowerdir={base}l,upperdir={base}u,workdir={base}w"
    argv = ["mount", "-t", "overlay", "-o", options, "overlay", "m"]
    subprocess.run(argv, check=True, cwd=folder)
    try:
        yield folder
    finally:
        sh("umount", str(folder / "m"))


@contextmanager
def elsewhere(folder: Path, script: str) -> Iterator[int]:
    """A process in a mount namespace of its own, which has run the script and stays; its
    number. What it has mounted goes with it."""
    ready = folder / "elsewhere.ready"
    argv = ["unshare", "--mount", "sh", "-ec", f"{script}\ntouch {ready}\nexec sleep 600"]
    process = subprocess.Popen(argv, stderr=subprocess.PIPE)
    try:
        while not ready.exists():
            assert process.poll() is None, process.communicate()[1]
            time.sleep(0.01)
        yield process.pid
    finally:
        process.kill()
        process.communicate()
        ready.unlink(missing_ok=True)


@contextmanager
def own_loop() -> Iterator[str]:
    """A loop device of a number that nobody is given who asks for any: one that is detached
    by another process would end a run of hours."""
    control = os.open("/dev/loop-control", os.O_RDWR)
    try:
        number = next(n for n in _OWN_LOOPS if _added(control, n))
        try:
            yield f"/dev/loop{number}"
        finally:
            _removed(control, number)
    finally:
        os.close(control)


@contextmanager
def own_loop_over(path: str | Path) -> Iterator[str]:
    """Such a device over a file: nobody is given its number while ``reattach`` frees it."""
    with own_loop() as device:
        sh("losetup", device, str(path))
        try:
            yield device
        finally:
            _detach(device)


@contextmanager
def own_loop_device(folder: Path, size_mib: int = 32) -> Iterator[str]:
    """Such a device over a sparse file of its own."""
    with _image(folder, size_mib) as image, own_loop_over(image) as device:
        yield device


def reattach(device: str, path: str | Path) -> None:
    """Put a file, which may be the same, behind an own loop device."""
    _detach(device)
    sh("losetup", device, str(path))


def _added(control: int, number: int) -> bool:
    try:
        fcntl.ioctl(control, _LOOP_CTL_ADD, number)
    except FileExistsError:
        return False
    return True


def _removed(control: int, number: int) -> None:
    """A device that something still closes goes a moment later."""
    for _ in range(100):
        with suppress(OSError):
            fcntl.ioctl(control, _LOOP_CTL_REMOVE, number)
            return
        time.sleep(0.05)
    raise AssertionError(f"/dev/loop{number} is still there")


@contextmanager
def zram_device(size_mib: int = 64) -> Iterator[str]:
    """A disk in memory; its path. It has no name but its size, by which a spec tells it from
    others: tests that run side by side take sizes of their own."""
    control = Path("/sys/class/zram-control")
    number = (control / "hot_add").read_text().strip()
    try:
        Path(f"/sys/block/zram{number}/disksize").write_text(f"{size_mib}M")
        yield f"/dev/zram{number}"
    finally:
        _hot_remove(control / "hot_remove", number)


def _hot_remove(control: Path, number: str) -> None:
    """A device that something still closes goes a moment later."""
    for _ in range(100):
        with suppress(OSError):
            control.write_text(number)
            return
        time.sleep(0.05)
    raise AssertionError(f"zram{number} is still there")


@contextmanager
def partition(device: str) -> Iterator[str]:
    """A first partition of 8 MiB on a device, known to the kernel only."""
    sh("addpart", device, "1", "2048", "16384")
    try:
        assert Path(f"{device}p1").is_block_device(), "something else is in the node's place"
        yield f"{device}p1"
    finally:
        sh("delpart", device, "1")


@contextmanager
def mounted(device: str, point: Path, fs_type: str = "ext4") -> Iterator[Path]:
    """A fresh filesystem on a device, mounted. Nothing of it is left for the kernel to write
    later on its own: tests compare what is on the device."""
    eager = ["-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"]
    options = {"ext4": eager, "xfs": ["-f"], "btrfs": ["-f"]}[fs_type]
    sh(f"mkfs.{fs_type}", "-q", *options, device)
    point.mkdir(exist_ok=True)
    sh("mount", device, str(point))
    sh("sync", "-f", str(point))  # what mounting itself has changed
    try:
        yield point
    finally:
        _unmount(point)


def _unmount(point: Path) -> None:
    """What an io_uring held open is closed a moment after its process has ended."""
    for _ in range(100):
        if subprocess.run(["umount", str(point)], check=False, capture_output=True).returncode == 0:
            return
        time.sleep(0.05)
    sh("umount", str(point))


@contextmanager
def tmpfs(point: Path, size: str) -> Iterator[Path]:
    """A small filesystem in memory, mounted."""
    point.mkdir(parents=True, exist_ok=True)
    sh("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(point))
    try:
        yield point
    finally:
        sh("umount", str(point))


def fill(folder: Path) -> None:
    """Take the last byte of a small filesystem."""
    with (folder / "filler").open("wb", buffering=0) as filler:
        for block in (1 << 16, 1 << 9):
            with suppress(OSError):
                while True:
                    filler.write(b"x" * block)


@contextmanager
def swapping(device: str) -> Iterator[None]:
    """A device as active swap, of the lowest priority. The kernel may write what is past its
    header at any time, as whenever memory is short."""
    sh("mkswap", "--quiet", device) if _quiet_mkswap() else sh("mkswap", device)
    sh("swapon", "--priority", "0", device)
    try:
        yield
    finally:
        sh("swapoff", device)


@contextmanager
def swap_file(folder: Path, size: int = 4 << 20) -> Iterator[Path]:
    """A file that may swap, of zeros, on a disk of its own below ``folder``: the filesystem
    that the tests run on may be one that cannot hold one, as an overlay is."""
    with loop_device(folder) as device, mounted(device, folder / "swapping") as disk:
        made = disk / "swap"
        made.write_bytes(bytes(size))
        made.chmod(0o600)
        yield made


def _quiet_mkswap() -> bool:
    return "--quiet" in sh("mkswap", "--help")


def _said(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""


def _detach(path: str) -> None:
    """A device that something still closes is detached a moment later; somebody else may have it
    at once."""
    behind = Path(f"/sys/block/{Path(path).name}/loop/backing_file")
    before = _said(behind)
    sh("losetup", "--detach", path)
    for _ in range(600):
        if _said(behind) != before or not before:
            return
        time.sleep(0.05)
    raise AssertionError(f"{path} is still attached")


def wait_until_free(device: str) -> None:
    """The last process of a command may still be going when its launcher has gone."""
    end = time.monotonic() + 30
    while True:
        try:
            os.close(os.open(device, os.O_RDONLY | os.O_EXCL))
        except OSError:
            assert time.monotonic() < end
            time.sleep(0.05)
        else:
            return


@contextmanager
def shared_mount(folder: Path) -> Iterator[Path]:
    """A place whose mounts and unmounts are told to other namespaces, as systemd has it."""
    folder.mkdir()
    sh("mount", "--bind", str(folder), str(folder))
    try:
        sh("mount", "--make-shared", str(folder))
        yield folder
    finally:
        sh("umount", str(folder))
