"""Time that the hypervisor took away from the engine's CPUs."""

from __future__ import annotations

from iogate.host.validity.base import FLOOR_S, TICKS_PER_S, Check, Reading, Seen, percent


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    before, after = seen.before.cpus, seen.after.cpus
    both = [cpu for cpu in seen.cpus if cpu in before and cpu in after]
    total = sum(after[cpu].total - before[cpu].total for cpu in both)
    if total <= 0:
        return None
    stolen = sum(after[cpu].steal - before[cpu].steal for cpu in both)
    share = stolen / total if stolen / TICKS_PER_S >= FLOOR_S else 0.0
    return Reading(share, f"the hypervisor took {percent(share)} of the engine's CPUs")


CHECK = Check("steal", "time that the hypervisor took away", look, limit=0.10)
