"""Where each host stands among those that measure the same spec."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from iogate.model.units import Better, Unit
from iogate.model.verdict import Interval


class Standing(StrEnum):
    """``not told``: of too few hosts none is known to be as the others are."""

    BETTER = "better"
    WORSE = "worse"
    TYPICAL = "typical"
    NOT_TOLD = "not told"


@dataclass(frozen=True, slots=True)
class SharedFact:
    """``value`` is what the hosts in question have, ``others`` what the rest has, in order."""

    fact: str
    value: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FleetHost:
    """``name`` as people are told it. ``silent`` says that it had no night for long while others go
    on, and is empty where that is not so."""

    machine_id: str
    name: str
    silent: str = ""


@dataclass(frozen=True, slots=True)
class FleetLevel:
    """A host's newest series of a case and metric.

    ``level`` is the median of its nights since its last change, of which there are ``nights``;
    ``last_ns`` (Unix time) is the newest. ``away`` is the level against the median of all hosts,
    and ``noise`` half of what 95 % of the nights spread over, both as fractions of that median.
    None are the interval of too few hosts, the noise of one night, and all three where the median
    is 0."""

    machine_id: str
    level: float
    away: float | None
    interval: Interval | None
    noise: float | None
    nights: int
    last_ns: int
    standing: Standing
    varies_more: bool


@dataclass(frozen=True, slots=True)
class FleetSeries:
    """A case and metric that more than one host measured. ``median`` is that of the hosts'
    levels; the host furthest from it comes first."""

    case_id: str
    case: str
    metric: str
    unit: Unit
    better: Better
    median: float
    hosts: tuple[FleetLevel, ...]


@dataclass(frozen=True, slots=True)
class Fleet:
    """``worse`` are the hosts (machine ids) that stand out as worse in any series, and
    ``only_worse`` the facts that they have and no other host."""

    spec_name: str
    hosts: tuple[FleetHost, ...]
    series: tuple[FleetSeries, ...]
    worse: tuple[str, ...] = ()
    only_worse: tuple[SharedFact, ...] = ()
