"""A run as one point of a trend: who, where, when, and one number a case and metric."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from iogate.model.origin import Origin
from iogate.model.run import Host, Revision


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What a trend has to know of a run beside its numbers. ``started_ns`` is Unix time;
    ``compared`` is whether the run measured two arms, which are no level of anything. ``ended`` is
    the verdict's ``ending`` (its outcome in histories of before), or its status where it has none;
    empty where that is not known. ``origin`` is the
    job of a CI system that asked for it."""

    run_id: str
    spec: str
    host: Host
    revision: Revision
    started_ns: int
    environment: Mapping[str, str | int | float | bool] = field(default_factory=dict)
    compared: bool = False
    ended: str = ""
    origin: Origin | None = None

    @property
    def is_level(self) -> bool:
        """Whether its numbers are a level of anything: those of two arms are of neither, and what
        is only proposed, in a pull request, may never come to a branch."""
        return not self.compared and not (self.origin and self.origin.proposal)


@dataclass(frozen=True, slots=True)
class Spread:
    """Between ``low`` and ``high`` lies the median of what ``count`` repetitions are a sample
    of, with a ``confidence`` of 0..1: order statistics, so whatever the distribution."""

    low: float
    high: float
    confidence: float
    count: int


@dataclass(frozen=True, slots=True)
class Night:
    """``values`` maps (case id, metric) to the median of the repetitions, in the metric's
    base unit; what has no finite value is left out. ``spreads`` are theirs, where there is
    more than one repetition."""

    facts: RunFacts
    values: Mapping[tuple[str, str], float]
    spreads: Mapping[tuple[str, str], Spread] = field(default_factory=dict)
