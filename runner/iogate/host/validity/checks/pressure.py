"""How long something on the host waited for CPU, I/O or memory (PSI).

The test's own waiting is a part of it, and cannot be told from that of others: readings are
kept, and are beyond a limit only where the spec sets one.
"""

from __future__ import annotations

import math
from functools import partial

from iogate.host.validity.base import Check, Reading, Seen, percent
from iogate.host.validity.snapshot import PRESSURES


def waited(seen: Seen, kind: str) -> float | None:
    """The share of the time in which something waited; None where the kernel does not tell."""
    before, after = seen.before.pressure.get(kind), seen.after.pressure.get(kind)
    if before is None or after is None:
        return None
    return min(max(after - before, 0) / 1e6 / seen.elapsed_s, 1.0)


def look(kind: str, seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    share = waited(seen, kind)
    if share is None:
        return None
    return Reading(share, f"something waited for {kind} {percent(share)} of the time")


CHECKS = tuple(
    Check(
        f"pressure-{kind}",
        f"waiting for {kind}, the test's own included",
        partial(look, kind),
        limit=math.inf,
        counts=False,
    )
    for kind in PRESSURES
)
