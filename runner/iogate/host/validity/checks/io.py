"""I/O on the target's disk that is not the run's.

The kernel counts what a process reads from and writes to disks, and what a disk moves. On a
device without a filesystem the difference is somebody else's. A filesystem adds journal and
metadata to it, so there only as much counts as other processes moved, and no other disk explains.
"""

from __future__ import annotations

from iogate.host.validity.base import Check, Foreign, Reading, Seen, percent

FLOOR_BYTES = 1 << 20
FLOOR_RATE = 256 << 10  # bytes a second
_MIB = 1 << 20


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    moved, own = _moved(seen, seen.disks.own), own_bytes(seen)
    if moved is None or own is None:
        return None
    written = max(moved[1] - own[1] - seen.owed, 0)
    excess = max(moved[0] - own[0], 0) + written
    foreign = excess if seen.disks.raw else min(excess, _unexplained(seen))
    total = sum(moved)
    small = foreign < FLOOR_BYTES or foreign / seen.elapsed_s < FLOOR_RATE
    share = 0.0 if small or not total else min(foreign / total, 1.0)
    names = seen.busiest(_named_bytes, lambda o: f"{o.io_bytes / _MIB:.0f} MiB")
    return Reading(
        share,
        f"{percent(share)} of the I/O on {seen.disks.own} was not the run's"
        f"{names or f' ({foreign / _MIB:.0f} MiB)'}",
    )


def _named_bytes(foreign: Foreign) -> int:
    """Who did less than half a MiB explains nothing, and would read as 0 MiB."""
    return foreign.io_bytes if foreign.io_bytes >= _MIB // 2 else 0


def own_bytes(seen: Seen) -> tuple[int, int] | None:
    """What the run itself read and wrote meanwhile; None where the kernel does not count it."""
    before, after = seen.before.own.moved, seen.after.own.moved
    if before is None or after is None:
        return None
    return after[0] - before[0], after[1] - before[1]


def _moved(seen: Seen, disk: str) -> tuple[int, int] | None:
    before, after = seen.before.disks.get(disk), seen.after.disks.get(disk)
    if not disk or before is None or after is None:
        return None
    return max(after[0] - before[0], 0), max(after[1] - before[1], 0)


def _unexplained(seen: Seen) -> int:
    """Bytes that other processes moved, and no disk beside the target's has taken up."""
    elsewhere = (_moved(seen, name) for name in seen.disks.others)
    taken_up = sum(sum(each) for each in elsewhere if each)
    return max(sum(foreign.io_bytes for foreign in seen.others) - taken_up, 0)


CHECK = Check("io", "I/O on the target's disk that is not the run's", look, limit=0.05)
