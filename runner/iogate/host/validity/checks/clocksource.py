"""Whether the kernel took another clock meanwhile, as when it no longer trusts the TSC."""

from __future__ import annotations

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    before, after = seen.before.clocksource, seen.after.clocksource
    if not before or not after:
        return None
    text = f"the kernel changed its clock from {before[:20]} to {after[:20]}"
    return Reading(float(before != after), text)


CHECK = Check("clocksource", "another clock of the kernel", look, limit=0.0, unit="")
