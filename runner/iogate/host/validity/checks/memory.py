"""Waiting for memory while other processes take more of it.

The pressure that the kernel tells of includes the test's own waiting, as for a page cache that
it fills itself. So it disturbs only where others have grown, or fetch their memory back.
"""

from __future__ import annotations

from iogate.host.validity.base import Check, Reading, Seen, percent
from iogate.host.validity.checks.pressure import waited

_GROWN = 0.01  # of the host's memory
_FAULTS = 100  # a second, each a page read back


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    share = waited(seen, "memory")
    if share is None:
        return None
    grew = sum(max(foreign.grew_bytes, 0) for foreign in seen.others)
    faults = sum(foreign.major_faults for foreign in seen.others) / seen.elapsed_s
    if grew < _GROWN * max(seen.after.memory_bytes, 1) and faults < _FAULTS:
        share = 0.0
    names = seen.busiest(lambda foreign: foreign.grew_bytes, lambda o: f"+{o.grew_bytes >> 20} MiB")
    return Reading(
        share, f"memory was short {percent(share)} of the time while others took more{names}"
    )


CHECK = Check("memory", "waiting for memory that other processes take", look, limit=0.05)
