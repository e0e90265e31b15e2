"""Where the nights of a spec stand: series, changes of level, alerts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from iogate.model.decision import Decision
from iogate.model.units import Better, Unit
from iogate.model.verdict import Interval


class Turn(StrEnum):
    """Which way a level moved, by the metric's table."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"


class AlertState(StrEnum):
    """``suspect``: seen, not yet confirmed. ``closed``: the old level is back."""

    SUSPECT = "suspect"
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    CLOSED = "closed"


class SeriesState(StrEnum):
    """What a line of the table says of its series."""

    SHORT = "too short"
    STEADY = "steady"
    SUSPECT = "suspect"
    REGRESSED = "regressed"
    IMPROVED = "improved"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class NightRef:
    """One night, for people. ``started_ns`` is Unix time."""

    run: str
    started_ns: int
    commit: str = ""
    label: str = ""
    branch: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """One series moved to a new level. ``before`` and ``after`` are the levels (medians, in
    the metric's base unit); ``effect`` is the relative change (0.1 = +10 %) with its
    interval, None where the levels allow none. ``last_before`` and ``first_after`` enclose
    it: it came in a night after the one and not after the other. All three are indices into
    the nights of the trend."""

    case_id: str
    case: str
    metric: str
    unit: Unit
    better: Better
    turn: Turn
    before: float
    after: float
    effect: float | None
    effect_interval: Interval | None
    confirmed: bool
    closed: bool
    last_before: int
    estimate: int
    first_after: int


@dataclass(frozen=True, slots=True)
class Alert:
    """All changes of one host and environment that may have come in the same night.

    The culprit is a revision after ``last_good`` up to ``first_bad``; ``estimate`` is the
    likeliest night. ``id`` is made from the history, and stays once a decision was taken.
    """

    id: str
    state: AlertState
    turn: Turn
    host: str
    machine_id: str
    environment: str
    last_good: NightRef
    estimate: NightRef
    first_bad: NightRef
    nights_since: int
    changes: tuple[Change, ...]
    sentence: str
    decision: Decision | None = None


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact of the environment that was another the night before; empty where absent."""

    fact: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Marker:
    """From this night on a host was another one: its series begin anew, or go on with the
    nights when it was last like this."""

    host: str
    machine_id: str
    night: int
    changes: tuple[FactChange, ...]


@dataclass(frozen=True, slots=True)
class SeriesTrend:
    """One case and metric on one host in one environment.

    ``values`` are in the metric's base unit, one for each of ``nights`` (indices into the
    nights of the trend), oldest first. ``start`` is the first of them that counts: those
    before it were left behind by an accepted change. ``level`` is the median since the last
    change, ``change`` the relative change of it that is not yet settled. ``recoveries`` are
    the changes that ended a regression, which no alert tells.

    Where nights had several repetitions, ``lows`` and ``highs`` enclose the median of each
    night with ``confidence`` (the least of them), and ``counts`` are its repetitions: one for
    each night, or empty.
    """

    case_id: str
    case: str
    metric: str
    unit: Unit
    better: Better
    host: str
    machine_id: str
    environment: str
    nights: tuple[int, ...]
    values: tuple[float, ...]
    start: int
    last: float
    level: float
    state: SeriesState
    change: float | None = None
    alert: str = ""
    recoveries: tuple[Change, ...] = ()
    lows: tuple[float, ...] = ()
    highs: tuple[float, ...] = ()
    counts: tuple[int, ...] = ()
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Trend:
    """Everything that the history of a spec says today. ``made_ns`` is Unix time."""

    spec: str
    made_ns: int
    nights: tuple[NightRef, ...]
    series: tuple[SeriesTrend, ...]
    alerts: tuple[Alert, ...]
    markers: tuple[Marker, ...] = ()
    accepted: tuple[Decision, ...] = ()
