"""Drives that slowed themselves because they were hot, by what they log of it. A test heats its
drive: it is told, and disturbs only where the spec says how often it may happen."""

from __future__ import annotations

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    if "throttled" not in seen.drive:
        return None
    times = seen.drive["throttled"]
    return Reading(times, f"the drive throttled itself {times:.0f} times, as its log says")


CHECK = Check("drive", "drives that were too hot", look, limit=0.0, unit="", counts=False)
