"""What is behind a disk of a virtual machine: a file, or a device of this machine."""

from __future__ import annotations

import os
from pathlib import Path

from iogate.errors import RefusedError
from iogate.sut.lending import Check
from iogate.vm.cache import cache_folder
from iogate.vm.description import Disk


class GuestDisk:
    """The file behind a disk: the one that is named, or one without a name that goes with this
    process; or the device, which nobody else may claim meanwhile."""

    def __init__(self, disk: Disk, check: Check | None = None) -> None:
        self._fd = _claimed(disk, check) if check else _opened(disk)
        self.path = disk.file or Path(f"/proc/{os.getpid()}/fd/{self._fd}")

    def close(self) -> None:
        """Give it up."""
        os.close(self._fd)


def _claimed(disk: Disk, check: Check) -> int:
    """The device of a disk, once ``check`` allows it. RefusedError where it does not, or where
    somebody has taken or exchanged it since."""
    assert disk.destroy
    number = check(disk.device, disk.destroy)
    try:
        fd = os.open(disk.device, os.O_RDWR | os.O_EXCL | os.O_CLOEXEC)
    except OSError as error:
        raise RefusedError(f"disk {disk.name}: {disk.device}: {error.strerror}") from error
    is_now = os.fstat(fd).st_rdev
    if f"{os.major(is_now)}:{os.minor(is_now)}" != number:
        os.close(fd)
        raise RefusedError(f"disk {disk.name}: {disk.device} is another device now")
    return fd


def _opened(disk: Disk) -> int:
    """RefusedError for what is no regular file, or of another size, and where there can be none."""
    place = disk.file or cache_folder("disks")
    fresh = disk.file is None or not place.exists()
    try:
        if disk.file is None:
            fd = os.open(place, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, 0o600)
        elif not fresh and not place.is_file():
            raise RefusedError(
                f"disk {disk.name}: {place} is no regular file",
                remedy="name a file, or leave file out",
            )
        else:
            fd = os.open(place, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise RefusedError(f"disk {disk.name}: {place}: {error.strerror}") from error
    try:
        _size(fd, disk, fresh=fresh)
    except BaseException:
        os.close(fd)
        raise
    return fd


def _size(fd: int, disk: Disk, *, fresh: bool) -> None:
    """Of a fresh file. RefusedError for another one of another size."""
    size = os.fstat(fd).st_size
    if not fresh and size != disk.size_bytes:
        raise RefusedError(
            f"disk {disk.name}: {disk.file} has {size:,} bytes, not {disk.size_bytes:,}",
            remedy="correct size in the machine's file, or remove the file",
        )
    try:
        if fresh:
            os.ftruncate(fd, disk.size_bytes)
    except (OSError, OverflowError) as error:
        if disk.file:
            disk.file.unlink()
        why = error.strerror if isinstance(error, OSError) else "no file can be as large"
        raise RefusedError(
            f"disk {disk.name}: there can be no {disk.size_bytes:,} bytes: {why}",
            remedy="name a smaller size, or a file on another filesystem",
        ) from error
