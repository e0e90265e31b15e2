"""How many other processes wanted one of the engine's CPUs, whenever somebody looked. Few looks
say little: readings are kept, and CPU time decides."""

from __future__ import annotations

import math

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    if not seen.runnable:
        return None
    mean = sum(seen.runnable) / len(seen.runnable)
    return Reading(mean, f"{mean:.1f} other processes wanted the engine's CPUs")


CHECK = Check(
    "runnable", "other processes that want a CPU", look, limit=math.inf, unit="", counts=False
)
