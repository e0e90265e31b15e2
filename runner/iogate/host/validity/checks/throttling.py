"""CPUs that were slowed because they were hot. What a test does heats them, too: it is told, and
disturbs only where the spec says how often it may happen."""

from __future__ import annotations

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    before, after = seen.before.throttled, seen.after.throttled
    if before is None or after is None:
        return None
    times = max(after - before, 0)
    return Reading(float(times), f"the CPU was throttled {times} times")


CHECK = Check("throttling", "CPUs that were too hot", look, limit=0.0, unit="", counts=False)
