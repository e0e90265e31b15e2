"""How long something on the host, or in the run's own group, waited for CPU, I/O or memory (PSI).

The test's own waiting is a part of the former, and cannot be told from that of others; the
latter is the test's own doing, where nobody else is in that group. Readings are kept, and are
beyond a limit only where the spec sets one.
"""

from __future__ import annotations

import math
from functools import partial

from iogate.host.validity.base import Check, Reading, Seen, percent
from iogate.host.validity.snapshot import PRESSURES


def waited(seen: Seen, kind: str) -> float | None:
    """The share of the time in which something waited; None where the kernel does not tell."""
    return _share(seen, seen.before.pressure.get(kind), seen.after.pressure.get(kind))


def _share(seen: Seen, before: int | None, after: int | None) -> float | None:
    if before is None or after is None:
        return None
    return min(max(after - before, 0) / 1e6 / seen.elapsed_s, 1.0)


def look(kind: str, seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    share = waited(seen, kind)
    if share is None:
        return None
    return Reading(share, f"something waited for {kind} {percent(share)} of the time")


def look_own(kind: str, seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    share = _share(seen, seen.before.own_pressure.get(kind), seen.after.own_pressure.get(kind))
    if share is None:
        return None
    return Reading(share, f"the run itself waited for {kind} {percent(share)} of the time")


CHECKS = tuple(
    Check(name, what, partial(looks, kind), limit=math.inf, counts=False)
    for kind in PRESSURES
    for name, what, looks in (
        (f"pressure-{kind}", f"waiting for {kind}, the test's own included", look),
        (f"own-pressure-{kind}", f"waiting for {kind} in the run's own group", look_own),
    )
)
