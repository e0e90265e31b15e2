"""Changes to alerts: one for all that may have come in the same night."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.model.decision import Action, Decision
from iogate.model.trend import Alert, AlertState, Change, NightRef, Turn
from iogate.model.units import format_change, format_value
from iogate.trend.decisions import decision_on
from iogate.trend.series import Series

_ID_DIGITS = 8
_ORDER = tuple(
    (turn, state)
    for state in (AlertState.OPEN, AlertState.SUSPECT, AlertState.ACKNOWLEDGED, AlertState.CLOSED)
    for turn in (Turn.REGRESSION, Turn.IMPROVEMENT)
)


def find_alerts(
    found: Sequence[tuple[Series, tuple[Change, ...]]],
    nights: Sequence[NightRef],
    holding: Sequence[Decision],
) -> tuple[Alert, ...]:
    """Alerts, what has to be looked at first, and the newest first."""
    streams: dict[tuple[str, str], list[tuple[Series, Change]]] = {}
    for series, changes in found:
        key = series.host.machine_id, series.environment
        streams.setdefault(key, []).extend((series, change) for change in changes)
    alerts = [
        _decided(_alert(group, nights), holding)
        for changes in streams.values()
        for group in _groups(changes)
    ]
    news = [alert for alert in alerts if not _is_recovery(alert)]
    return tuple(sorted(news, key=_urgency))


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
    changes = tuple(sorted((change for _, change in group), key=_importance))
    good = max(change.last_before for change in changes)
    bad = min(change.first_after for change in changes)
    narrowest = min(changes, key=lambda c: (c.first_after - c.last_before, c.estimate))
    estimate = min(max(narrowest.estimate, good + 1), bad)
    turn = Turn.REGRESSION if any(_is_bad(change) for change in changes) else changes[0].turn
    alert = Alert(
        id=_id(series, nights[estimate]),
        state=_state(changes, turn),
        turn=turn,
        host=series.host.name,
        machine_id=series.host.machine_id,
        environment=series.environment,
        last_good=nights[good],
        estimate=nights[estimate],
        first_bad=nights[bad],
        nights_since=sum(index >= bad for index in max((s.nights for s, _ in group), key=len)),
        changes=changes,
        sentence="",
    )
    return replace(alert, sentence=_sentence(alert))


def _decided(alert: Alert, holding: Sequence[Decision]) -> Alert:
    decision = decision_on(alert, holding)
    if decision is None:
        return alert
    state = alert.state
    if decision.action is Action.ACK and state is not AlertState.CLOSED:
        state = AlertState.ACKNOWLEDGED
    if decision.action is Action.CONFIRM and state is AlertState.SUSPECT:
        state = AlertState.OPEN
    return replace(alert, id=decision.alert, state=state, decision=decision)


def _is_bad(change: Change) -> bool:
    return change.turn is Turn.REGRESSION and not change.closed


def _state(changes: Sequence[Change], turn: Turn) -> AlertState:
    going_on = [change for change in changes if change.turn is turn and not change.closed]
    if not going_on:
        return AlertState.CLOSED
    confirmed = any(change.confirmed for change in going_on)
    return AlertState.OPEN if confirmed else AlertState.SUSPECT


def _is_recovery(alert: Alert) -> bool:
    """The end of a regression is told with the regression."""
    return all(change.turn is Turn.IMPROVEMENT and change.closed for change in alert.changes)


def _importance(change: Change) -> tuple[bool, float, str, str]:
    size = abs(change.effect) if change.effect is not None else 0.0
    return not _is_bad(change), -size, change.case, change.metric


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
