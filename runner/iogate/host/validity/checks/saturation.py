"""Whether the engine used all of its CPUs: then the number is theirs, not the storage's. It is
the test's own doing, and never disturbs."""

from __future__ import annotations

from iogate.host.validity.base import TICKS_PER_S, Check, Reading, Seen, percent


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    before, after = seen.before.own, seen.after.own
    if not after.pid or not seen.cpus:
        return None
    own_s = (after.user + after.system - before.user - before.system) / TICKS_PER_S
    share = min(max(own_s, 0.0) / seen.cpu_s, 1.0)
    return Reading(share, f"the engine used {percent(share)} of its CPUs: they may be the limit")


CHECK = Check("saturation", "CPUs that the engine used up", look, limit=0.95, counts=False)
