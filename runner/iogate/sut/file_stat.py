"""What stat says of a file of this machine, in iogate's words."""

from __future__ import annotations

import os
import stat

from iogate.sut.base import FileStat


def file_stat(status: os.stat_result) -> FileStat:
    """As far as iogate cares."""
    return FileStat(
        is_directory=stat.S_ISDIR(status.st_mode),
        is_file=stat.S_ISREG(status.st_mode),
        is_block=stat.S_ISBLK(status.st_mode),
        size_bytes=status.st_size,
        rdev=_numbers(status.st_rdev),
        device=_numbers(status.st_dev),
        inode=status.st_ino,
        links=status.st_nlink,
        owner=status.st_uid,
        mode=stat.S_IMODE(status.st_mode),
    )


def _numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
