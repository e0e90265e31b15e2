"""The hottest sensor of the host while something was measured."""

from __future__ import annotations

import math

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    if seen.hottest is None:
        return None
    return Reading(seen.hottest, f"the host reached {seen.hottest:.0f} °C")


CHECK = Check("temperature", "the hottest sensor", look, limit=math.inf, unit="C", counts=False)
