"""CPU time of other processes on the engine's CPUs.

Threads of the kernel are left out: what they do, the test may have asked for. Of processes it
counts what was seen of each, or all the time that the CPUs spent outside of the kernel less
the run's own, whichever is more: the second finds those that came and went unseen.
"""

from __future__ import annotations

from collections.abc import Callable

from iogate.host.validity.base import FLOOR_S, TICKS_PER_S, Check, Foreign, Reading, Seen, percent
from iogate.host.validity.snapshot import CpuTime

LEAST_CPUS = 0.3
"""So much of one CPU takes no repetition where as much was idle: the kernel had room for both."""
_NAMED_S = 0.05  # who did less explains nothing, and would read as 0.0 s


def look(seen: Seen) -> Reading | None:
    """See ``base.Check``."""
    if not seen.before.cpus or not seen.after.cpus:
        return None
    # A process is known by the CPU it was seen on last: it may have spent its time on others.
    left_s = max(_since(seen, lambda cpu: cpu.busy) - _own_s(seen, kernel=True), 0.0)
    known_s = min(sum(foreign.cpu_s for foreign in seen.others if foreign.here), left_s)
    taken_s = max(known_s, _since(seen, lambda cpu: cpu.user) - _own_s(seen) - seen.serving_s)
    share = min(taken_s / seen.cpu_s, 1.0) if taken_s >= FLOOR_S else 0.0
    names = seen.busiest(_here_s, lambda foreign: f"{foreign.cpu_s:.1f} s")
    return Reading(share, f"other processes used {percent(share)} of the engine's CPUs{names}")


def _here_s(foreign: Foreign) -> float:
    return foreign.cpu_s if foreign.here and foreign.cpu_s >= _NAMED_S else 0.0


def _since(seen: Seen, ticks: Callable[[CpuTime], int]) -> float:
    """Seconds that the engine's CPUs spent so."""
    before, after = seen.before.cpus, seen.after.cpus
    both = [cpu for cpu in seen.cpus if cpu in before and cpu in after]
    return sum(ticks(after[cpu]) - ticks(before[cpu]) for cpu in both) / TICKS_PER_S


def _own_s(seen: Seen, *, kernel: bool = False) -> float:
    before, after = seen.before.own, seen.after.own
    system = after.system - before.system if kernel else 0
    return (after.user - before.user + system) / TICKS_PER_S


def least(seen: Seen) -> float:
    """A part of one CPU as a share of the engine's; 0 where they were not idle for so long, and
    where there is only one, which waits for whoever is on it."""
    share = LEAST_CPUS / max(len(seen.cpus), 1)
    idle_s = _since(seen, lambda cpu: cpu.total - cpu.busy - cpu.steal)
    return share if len(seen.cpus) > 1 and idle_s >= share * seen.cpu_s else 0.0


CHECK = Check(
    "cpu", "CPU time of other processes on the engine's CPUs", look, limit=0.10, least=least
)
