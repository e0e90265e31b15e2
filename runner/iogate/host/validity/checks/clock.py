"""Steps of the clock: the time of day against the time that only runs."""

from __future__ import annotations

from iogate.host.validity.base import Check, Reading, Seen

_SLEWED = 0.0005  # a time daemon may bend the clock by so much without a step


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    gone_ns = seen.after.monotonic_ns - seen.before.monotonic_ns
    off_s = abs(seen.after.realtime_ns - seen.before.realtime_ns - gone_ns) / 1e9
    step_s = max(off_s - _SLEWED * seen.elapsed_s, 0.0)
    return Reading(step_s, f"the clock was set by {step_s:.3g} s")


CHECK = Check("clock", "steps of the clock", look, limit=0.05, unit="s")
