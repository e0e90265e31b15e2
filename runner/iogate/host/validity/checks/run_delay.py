"""How long threads that could run waited for one of the engine's CPUs.

The engine's own threads wait for each other there, too, and the kernel counts a CPU, not who
waited: readings are kept, and are beyond a limit only where the spec sets one.
"""

from __future__ import annotations

import math

from iogate.host.validity.base import Check, Reading, Seen


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    before, after = seen.before.run_delays, seen.after.run_delays
    both = [cpu for cpu in seen.cpus if cpu in before and cpu in after]
    if not both:
        return None
    waited_s = sum(after[cpu] - before[cpu] for cpu in both) / 1e9
    mean = max(waited_s, 0.0) / seen.elapsed_s
    return Reading(mean, f"{mean:.2f} threads waited for the engine's CPUs on average")


CHECK = Check(
    "run-delay", "threads that wait for a CPU", look, limit=math.inf, unit="", counts=False
)
