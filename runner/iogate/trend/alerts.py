"""Changes to alerts: one for all that may have come in the same night."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.model.decision import Action, Decision
from iogate.model.trend import Alert, AlertState, Change, Evidence, NightRef, Recovery, Turn
from iogate.model.units import format_change, format_value
from iogate.trend.decisions import decision_on
from iogate.trend.evidence import add_up
from iogate.trend.series import Series

POOLED_SIGMA = 5.0  # of the evidence added up, from which on an alert needs no more nights
POOLED_SERIES = 2.0  # and the least of independent series that have to say so
_ID_DIGITS = 8
_ORDER = tuple(
    (turn, state)
    for state in (
        AlertState.OPEN,
        AlertState.SUSPECT,
        AlertState.ACKNOWLEDGED,
        AlertState.ACCEPTED,
        AlertState.RECOVERED,
    )
    for turn in (Turn.REGRESSION, Turn.IMPROVEMENT)
)


def find_alerts(
    changed: Sequence[tuple[Series, tuple[Change, ...]]],
    nights: Sequence[NightRef],
    holding: Sequence[Decision],
) -> tuple[Alert, ...]:
    """Alerts, what has to be looked at first, and the newest first."""
    streams: dict[tuple[str, str], list[tuple[Series, Change]]] = {}
    for series, changes in changed:
        key = series.host.machine_id, series.environment
        streams.setdefault(key, []).extend(
            (series, change) for change in changes if not is_end(change)
        )
    alerts = [
        _decided(_alert(group, nights), [series for series, _ in group], holding)
        for changes in streams.values()
        for group in _groups(changes)
    ]
    return tuple(sorted(alerts, key=_urgency))


def _groups(changes: list[tuple[Series, Change]]) -> Iterator[list[tuple[Series, Change]]]:
    """As few groups as can be whose ranges all have a night in common."""
    group: list[tuple[Series, Change]] = []
    for item in sorted(changes, key=lambda item: item[1].first_after):
        if group and item[1].last_before >= group[0][1].first_after:
            yield group
            group = []
        group.append(item)
    if group:
        yield group


def _alert(group: list[tuple[Series, Change]], nights: Sequence[NightRef]) -> Alert:
    series = group[0][0]
    group = sorted(group, key=lambda member: _importance(member[1]))
    changes = tuple(change for _, change in group)
    good = max(change.last_before for change in changes)
    bad = min(change.first_after for change in changes)
    narrowest = min(changes, key=lambda c: (c.first_after - c.last_before, c.estimate))
    estimate = min(max(narrowest.estimate, good + 1), bad)
    evidence = add_up([each for each in group if each[1].turn is changes[0].turn], good)
    state = _state(changes, changes[0].turn, evidence)
    alert = Alert(
        id=_id(series, nights[estimate]),
        state=state,
        turn=changes[0].turn,
        host=series.host.name,
        machine_id=series.host.machine_id,
        environment=series.environment,
        last_good=nights[good],
        estimate=nights[estimate],
        first_bad=nights[bad],
        nights_since=sum(index >= bad for index in max((s.nights for s, _ in group), key=len)),
        changes=changes,
        sentence="",
        recovery=_recovery(changes, nights) if state is AlertState.RECOVERED else None,
        evidence=evidence,
        left=series.left,
    )
    return replace(alert, sentence=_sentence(alert))


def _decided(alert: Alert, moved: Sequence[Series], holding: Sequence[Decision]) -> Alert:
    decision = decision_on(alert, moved, holding)
    if decision is None:
        return alert
    state = alert.state
    if decision.action is Action.ACK and state in (AlertState.OPEN, AlertState.SUSPECT):
        state = AlertState.ACKNOWLEDGED
    if decision.action is Action.CONFIRM and state is AlertState.SUSPECT:
        state = AlertState.OPEN
    return replace(alert, id=decision.alert, state=state, decision=decision)


def _state(changes: Sequence[Change], turn: Turn, evidence: Evidence | None) -> AlertState:
    """By what is left of the changes of its turn; the others are told with them."""
    own = [change for change in changes if change.turn is turn]
    going_on = [change for change in own if not change.is_over]
    if not going_on:
        accepted = any(change.accepted for change in own)
        return AlertState.ACCEPTED if accepted else AlertState.RECOVERED
    confirmed = any(change.confirmed for change in going_on) or _is_enough(evidence)
    return AlertState.OPEN if confirmed else AlertState.SUSPECT


def _is_enough(evidence: Evidence | None) -> bool:
    """Whether several that moved together need no more nights."""
    if evidence is None or evidence.independent < POOLED_SERIES:
        return False
    return evidence.sigma >= POOLED_SIGMA


def is_end(change: Change) -> bool:
    """Whether it is the end of another one: told with it, and no news of its own."""
    return change.closed and change.returned is None


def _recovery(changes: Sequence[Change], nights: Sequence[NightRef]) -> Recovery | None:
    """Where the last of them was over."""
    ends = [change.returned for change in changes if change.returned]
    if not ends:
        return None
    last = max(ends, key=lambda end: (end.estimate, end.first_after))
    same = [end for end in ends if end.first_after > last.last_before]
    after = max(end.last_before for end in same)
    by = max(min(end.first_after for end in same), after + 1)
    estimate = min(max(last.estimate, after + 1), by)
    return Recovery(nights[after], nights[estimate], nights[by])


def _importance(change: Change) -> tuple[bool, bool, float, str, str]:
    """What names the alert comes first: a regression sooner than what got better, and what goes
    on sooner than what is over."""
    size = abs(change.effect) if change.effect is not None else 0.0
    better = change.turn is not Turn.REGRESSION
    return better, change.is_over, -size, change.case, change.metric


def _urgency(alert: Alert) -> tuple[int, int, str]:
    return _ORDER.index((alert.turn, alert.state)), -alert.estimate.started_ns, alert.id


def _id(series: Series, estimate: NightRef) -> str:
    material = f"{series.host.machine_id} {series.environment} {estimate.run}"
    return hashlib.sha256(material.encode()).hexdigest()[:_ID_DIGITS]


def _sentence(alert: Alert) -> str:
    worst = alert.changes[0]
    moved = (
        f"{worst.metric} of {worst.case} went from {format_value(worst.before, worst.unit)} "
        f"to {format_value(worst.after, worst.unit)}"
    )
    if worst.effect is not None:
        moved += f" ({format_change(worst.effect)})"
    others = len(alert.changes) - 1
    also = f", and {others} more with it" if others else ""
    return f"{alert.turn.value}: {moved}{also}, on {alert.host}"
