"""Where the nights of a spec stand: series, changes of level, alerts."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from iogate.model.decision import Decision
from iogate.model.units import Better, Unit
from iogate.model.verdict import Interval

_DAY_NS = 86_400 * 10**9
_MOST_A_DAY = 1.25
"""Runs on each day that has any, for them to be nights: now and then one is measured again."""


class Turn(StrEnum):
    """Which way a level moved, by the metric's table."""

    REGRESSION = "regression"
    IMPROVEMENT = "improvement"


class AlertState(StrEnum):
    """``suspect``: seen, not yet confirmed. ``recovered``: the old level is back, or for an
    improvement: it is over. ``accepted``: the new level is the one to compare with. ``closed``
    is what documents of before say for recovered."""

    SUSPECT = "suspect"
    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    ACCEPTED = "accepted"
    RECOVERED = "recovered"
    CLOSED = "closed"


class SeriesState(StrEnum):
    """What a line of the table says of its series. ``hopping``: it goes to and fro between a few
    levels that it has had before, which is no change of level."""

    SHORT = "too short"
    STEADY = "steady"
    SUSPECT = "suspect"
    REGRESSED = "regressed"
    IMPROVED = "improved"
    HOPPING = "hopping"
    ACKNOWLEDGED = "acknowledged"


@dataclass(frozen=True, slots=True)
class NightRef:
    """One night, for people. ``started_ns`` is Unix time; ``ended`` is the run's outcome, or its
    status where it has none, and empty in documents of earlier versions."""

    run: str
    started_ns: int
    commit: str = ""
    label: str = ""
    branch: str = ""
    ended: str = ""


@dataclass(frozen=True, slots=True)
class Return:
    """Where the level before a change came back: after ``last_before``, most likely with
    ``estimate``, certainly with ``first_after``; indices into the nights of the trend."""

    last_before: int
    estimate: int
    first_after: int


@dataclass(frozen=True, slots=True)
class Change:
    """One series moved to a new level. ``before`` and ``after`` are the levels (medians, in
    the metric's base unit); ``effect`` is the relative change (0.1 = +10 %) with its
    interval, None where the levels allow none. ``last_before`` and ``first_after`` enclose
    it: it came in a night after the one and not after the other. All three are indices into
    the nights of the trend.

    ``closed``: the level before is back, where ``returned`` says, or the change is itself the
    end of a regression. ``accepted``: the series begins anew with it, or after it. ``sigma`` is
    how far the nights after it are from those before in ranks (Mann and Whitney), as standard
    deviations of a normal; 0 in documents of before."""

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
    returned: Return | None = None
    accepted: bool = False
    sigma: float = 0.0

    @property
    def is_over(self) -> bool:
        """Whether nothing of it is left to look at."""
        return self.closed or self.accepted


@dataclass(frozen=True, slots=True)
class Recovery:
    """When an alert was over: after ``last_bad``, most likely with ``estimate``, and with
    ``first_good`` at the latest."""

    last_bad: NightRef
    estimate: NightRef
    first_good: NightRef


@dataclass(frozen=True, slots=True)
class Evidence:
    """What the ``series`` that moved say together: a deviate of ``sigma`` standard deviations,
    as much as that many ``independent`` series of theirs would."""

    series: int
    independent: float
    sigma: float


@dataclass(frozen=True, slots=True)
class FactChange:
    """A fact of the environment that was another the night before; empty where absent."""

    fact: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class Alert:
    """All changes of one host and environment that may have come in the same night.

    The culprit is a revision after ``last_good`` up to ``first_bad``; ``estimate`` is the
    likeliest night. ``id`` is made from the history, and stays once a decision was taken. An
    alert that was once raised stays: ``recovery`` is where it ended, if it did. ``evidence`` is
    that of its changes of its turn, added up. ``left`` is by what its host differs today, where
    it is not measured in that environment any more: no night will tell more of the alert.
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
    recovery: Recovery | None = None
    evidence: Evidence | None = None
    left: tuple[FactChange, ...] = ()

    @property
    def wants_decision(self) -> bool:
        """Whether it is a regression that nobody accepted and that did not recover."""
        undecided = (AlertState.OPEN, AlertState.SUSPECT, AlertState.ACKNOWLEDGED)
        return self.turn is Turn.REGRESSION and self.state in undecided


@dataclass(frozen=True, slots=True)
class Marker:
    """From this night on a host was another one: its series begin anew, or go on with the
    nights when it was last like this."""

    host: str
    machine_id: str
    night: int
    changes: tuple[FactChange, ...]


@dataclass(frozen=True, slots=True)
class Hopping:
    """A series that goes to and fro between ``levels`` (ascending, in the metric's base unit), of
    whose nights each has a share of ``shares``, and usually stays on one for ``typical_stay``
    nights. It began with the night ``since`` (an index into the nights of the trend) and ended
    with ``until``, the first night after it; None while it goes on."""

    levels: tuple[float, ...]
    shares: tuple[float, ...]
    typical_stay: float
    since: int
    until: int | None = None


@dataclass(frozen=True, slots=True)
class SeriesTrend:
    """One case and metric on one host in one environment.

    ``values`` are in the metric's base unit, one for each of ``nights`` (indices into the
    nights of the trend), oldest first. ``start`` is the first of them that counts: those
    before it were left behind by an accepted change. ``level`` is the median since the last
    change (where it hops, the one of its levels that the last night is on), ``change`` the
    relative change of it since before the oldest of its open alerts (else of what is suspected,
    acknowledged or improved), where there is one. ``recoveries`` are the changes that ended a
    regression, which no alert tells. ``hopping`` is how it hops, or did once, since the last
    accepted change.

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
    hopping: Hopping | None = None


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

    @property
    def counted_in(self) -> str:
        """What its runs are called where they are counted: nights, unless a host had several on
        many days."""
        by_host: dict[str, set[int]] = {}
        for series in self.series:
            by_host.setdefault(series.machine_id, set()).update(series.nights)
        for runs in by_host.values():
            days = {self.nights[run].started_ns // _DAY_NS for run in runs}
            if len(runs) > _MOST_A_DAY * len(days):
                return "run"
        return "night"
