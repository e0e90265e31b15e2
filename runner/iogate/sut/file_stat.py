"""What stat says of a file of this machine, in iogate's words."""

from __future__ import annotations

import os
import stat

from iogate.sut.base import FileStat


def file_stat(found: os.stat_result) -> FileStat:
    """As far as iogate cares."""
    return FileStat(
        is_directory=stat.S_ISDIR(found.st_mode),
        is_file=stat.S_ISREG(found.st_mode),
        is_block=stat.S_ISBLK(found.st_mode),
        size_bytes=found.st_size,
        rdev=_numbers(found.st_rdev),
        device=_numbers(found.st_dev),
        inode=found.st_ino,
        links=found.st_nlink,
        owner=found.st_uid,
        mode=stat.S_IMODE(found.st_mode),
    )


def _numbers(device: int) -> str:
    return f"{os.major(device)}:{os.minor(device)}"
