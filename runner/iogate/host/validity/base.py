"""What a check of validity is, and what it looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from iogate.host.validity.snapshot import Snapshot

TICKS_PER_S = 100
"""In which every kernel tells CPU time to its users (USER_HZ), whatever it counts by itself."""
FLOOR_S = 0.1
"""CPU time below this disturbs nothing that can be seen, however short the repetition."""
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class TargetDisks:
    """Where a target's I/O goes. ``own`` is the name of its whole disk, empty for one in memory
    or over a network; ``stack`` are the whole disks that its I/O passes, ``others`` those of the
    host that it does not; ``raw`` says that no filesystem adds I/O of its own."""

    own: str = ""
    others: frozenset[str] = frozenset()
    raw: bool = False
    stack: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Foreign:
    """A process that is neither the run's, nor the kernel's, nor serves the target, and what it
    did meanwhile. ``here`` is whether it was last on one of the engine's CPUs."""

    name: str
    cpu_s: float
    io_bytes: int
    grew_bytes: int
    major_faults: int
    here: bool


@dataclass(frozen=True, slots=True)
class Seen:
    """A repetition as it was watched: the host ``before`` and ``after`` it, ``cpus`` that the
    engine may run on, ``others`` and the CPU time of processes that serve the target. ``owed``
    are bytes that the run wrote earlier and the kernel had not yet brought to the disk.
    ``runnable`` is how many others wanted a CPU, and ``hottest`` the highest temperature, each
    time somebody looked."""

    before: Snapshot
    after: Snapshot
    cpus: frozenset[int]
    disks: TargetDisks = TargetDisks()
    others: tuple[Foreign, ...] = ()
    serving_s: float = 0.0
    owed: int = 0
    runnable: tuple[int, ...] = ()
    hottest: float | None = None
    drive: Mapping[str, float] = field(default_factory=dict)

    @property
    def elapsed_s(self) -> float:
        """How long it took; never 0."""
        return max((self.after.monotonic_ns - self.before.monotonic_ns) / 1e9, 1e-3)

    @property
    def cpu_s(self) -> float:
        """What the engine's CPUs can do in that time."""
        return self.elapsed_s * max(len(self.cpus), 1)

    def busiest(self, by: Callable[[Foreign], float], write: Callable[[Foreign], str]) -> str:
        """`` (dd 1.2 s, stress 0.4 s)``: the first few by a number; empty where none has any."""
        busy = sorted((foreign for foreign in self.others if by(foreign) > 0), key=by, reverse=True)
        told = ", ".join(f"{foreign.name} {write(foreign)}" for foreign in busy[:MOST_NAMED])
        return f" ({told})" if told else ""


@dataclass(frozen=True, slots=True)
class Reading:
    """What a check read, in its unit, and a sentence on it as for a value beyond the limit."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Check:
    """``look`` answers None where the host cannot tell. ``limit`` is the largest reading that
    is allowed where neither the host nor the spec says another, in ``unit`` (``%`` of 1, ``s``,
    ``C`` or nothing for a count); infinite where readings are only kept. One that does not
    ``count`` may be the test's own doing: it is told, unless the spec itself sets a limit.
    ``least`` is a reading that takes no repetition of this kind unless the spec says so."""

    name: str
    what: str
    look: Callable[[Seen], Reading | None]
    limit: float = math.inf
    unit: str = "%"
    counts: bool = True
    least: Callable[[Seen], float] | None = None


def percent(share: float) -> str:
    """``0.61`` as ``61 %``; small ones with a digit more."""
    return f"{share * 100:.0f} %" if share >= 0.0995 else f"{share * 100:.1f} %"
