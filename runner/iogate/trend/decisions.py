"""Which decisions hold, and what they do to a series or an alert."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from iogate.model.decision import Action, Decision, SeriesKey
from iogate.model.night import Night
from iogate.model.trend import Alert
from iogate.trend.series import Series


def new_decision(
    alert: Alert, spec: str, action: Action, *, author: str = "", reason: str = "", at_ns: int = 0
) -> Decision:
    """A decision about an alert of a spec as the history shows it now."""
    return Decision(
        alert=alert.id,
        action=action,
        author=author,
        reason=reason,
        at_ns=at_ns,
        spec=spec,
        machine_id=alert.machine_id,
        environment=alert.environment,
        from_ns=alert.last_good.started_ns,
        to_ns=alert.first_bad.started_ns,
        series=_keys(alert),
    )


def in_force(decisions: Sequence[Decision], now_ns: int) -> tuple[Decision, ...]:
    """The last decision on each alert, in order; none for one that was reopened. One that has
    lapsed replaces those before it, too, but for a confirmation: what was seen stays seen.
    ``decisions`` are in the order in which they were taken."""
    last: dict[str, Decision] = {}
    confirmed: dict[str, Decision] = {}
    for decision in decisions:
        last.pop(decision.alert, None)
        if decision.action is Action.REOPEN:
            confirmed.pop(decision.alert, None)
        elif decision.in_force(now_ns):
            last[decision.alert] = decision
        elif decision.alert in confirmed:
            last[decision.alert] = confirmed[decision.alert]
        if decision.action is Action.CONFIRM:
            confirmed[decision.alert] = decision
    return tuple(last.values())


def acceptances(series: Series, holding: Sequence[Decision]) -> list[Decision]:
    """Those of changes of a series, by the first night of the level that was accepted."""
    accepted = (
        decision
        for decision in holding
        if decision.action is Action.ACCEPT
        and decision.machine_id == series.host.machine_id
        and is_about(decision, series)
    )
    return sorted(accepted, key=lambda decision: decision.to_ns)


def accepted_since(series: Series, nights: Sequence[Night], holding: Sequence[Decision]) -> int:
    """The first point of the level that was accepted last; 0 where none was."""
    accepted = acceptances(series, holding)
    if not accepted:
        return 0
    times = [nights[index].facts.started_ns for index in series.nights]
    return min(bisect_left(times, accepted[-1].to_ns), len(times) - 1)


def decision_on(
    alert: Alert, moved: Sequence[Series], holding: Sequence[Decision]
) -> Decision | None:
    """The last decision that is about the changes of an alert, which are of the series ``moved``:
    of a case also by an id that it had when the decision was taken."""
    matching = [
        decision
        for decision in holding
        if decision.machine_id == alert.machine_id
        and decision.from_ns < alert.first_bad.started_ns
        and alert.last_good.started_ns < decision.to_ns
        and any(is_about(decision, series) for series in moved)
    ]
    return max(matching, key=lambda decision: decision.at_ns, default=None)


def _keys(alert: Alert) -> tuple[SeriesKey, ...]:
    return tuple(SeriesKey(change.case_id, change.metric) for change in alert.changes)


def is_about(decision: Decision, series: Series) -> bool:
    """Whether a decision was taken on this case and metric, of whatever host."""
    return any(
        key.metric == series.line.metric.path and key.case_id in series.line.case_ids
        for key in decision.series
    )
