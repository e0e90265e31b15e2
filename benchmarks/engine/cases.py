"""What is measured, and what is promised: the table of the engine's budget."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Place(Enum):
    """Where the I/O goes."""

    NOWHERE = "null"
    ZRAM = "zram"
    FILE = "file"


@dataclass(frozen=True, slots=True)
class Counted:
    """Instructions of an I/O: at most ``most``, or at most ``share`` of fio's."""

    what: str
    options: str
    place: Place
    most: float | None = None
    share: float | None = None


@dataclass(frozen=True, slots=True)
class Timed:
    """IOPS at least ``iops`` times fio's; user and total CPU of an I/O at most ``user`` and
    ``total`` times fio's."""

    what: str
    options: str
    place: Place
    iops: float
    user: float | None = None
    total: float | None = None


_READ = "--rw=randread --bs=4k --size=256m"
_DEVICE = f"{_READ} --direct=1"
_BATCHES = "--iodepth_batch=32 --iodepth_batch_complete_min=32"
_URING = "--ioengine=io_uring --iodepth=32"
_FIXED = f"{_URING} {_BATCHES} --fixedbufs=1 --registerfiles=1"
_NULL = f"--ioengine=null {_READ}"

COUNTED = (
    Counted("null, depth 32", f"{_NULL} --iodepth=32", Place.NOWHERE, 150),
    Counted("null, depth 1", f"{_NULL} --iodepth=1", Place.NOWHERE, 200),
    Counted("io_uring, depth 32, batches of 32, fixed", f"{_FIXED} {_DEVICE}", Place.FILE, 180),
    Counted("io_uring, depth 32", f"{_URING} {_DEVICE}", Place.FILE),
    Counted("libaio, depth 32", f"--ioengine=libaio --iodepth=32 {_DEVICE}", Place.FILE, 350),
    Counted("psync", f"--ioengine=psync {_DEVICE}", Place.FILE, 300),
    Counted("randommap on", f"{_NULL} --iodepth=32 --norandommap=0", Place.NOWHERE, share=1 / 3),
    Counted(
        "zipf", f"{_NULL} --iodepth=32 --random_distribution=zipf:1.2", Place.NOWHERE,
        share=1 / 3,
    ),
    Counted(
        "bssplit", f"{_NULL} --iodepth=32 --bssplit=4k/60:64k/40 --norandommap=1 --size=10g",
        Place.NOWHERE, share=1 / 3,
    ),
    Counted(
        "verify=crc32c", "--ioengine=null --rw=randwrite --bs=4k --size=256m --verify=crc32c "
        "--do_verify=0", Place.NOWHERE, share=1 / 3,
    ),
    Counted(
        "write_lat_log", f"{_NULL} --iodepth=32 --write_lat_log=l", Place.NOWHERE, share=1 / 3,
    ),
)  # fmt: skip

TIMED = (
    Timed("null, depth 32", f"{_NULL} --iodepth=32", Place.NOWHERE, 4),
    Timed("null, depth 1", f"{_NULL} --iodepth=1", Place.NOWHERE, 3),
    Timed(
        "8 jobs on null, group_reporting",
        f"{_NULL} --iodepth=32 --numjobs=8 --group_reporting=1", Place.NOWHERE, 2,
    ),
    *(
        Timed(f"{engine}, {place.value}", f"{options} {_DEVICE}", place, 1, 1 / 4, 1)
        for place in (Place.ZRAM, Place.FILE)
        for engine, options in (
            ("io_uring, depth 32", _URING),
            ("io_uring, depth 1", "--ioengine=io_uring --iodepth=1"),
            ("libaio, depth 32", "--ioengine=libaio --iodepth=32"),
            ("psync", "--ioengine=psync"),
        )
    ),
)  # fmt: skip
