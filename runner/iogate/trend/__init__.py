"""Nights to series, changes of level and alerts. Pure: the history and the decisions come in.

A *series* is one number a night: the median of the repetitions of a case and metric, on one host
in one environment. A *change* is where its level moved, an *alert* all changes of a host and
environment that may have come in the same night.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from iogate.model.decision import Decision
from iogate.model.night import Night
from iogate.model.trend import Alert, Change, NightRef, SeriesTrend, Trend
from iogate.trend.alerts import find_alerts
from iogate.trend.changes import Told
from iogate.trend.decisions import accepted_since, in_force
from iogate.trend.environment import COMPARE_KEYS, find_markers
from iogate.trend.past import find_all_changes
from iogate.trend.series import Line, Series, make_series
from iogate.trend.state import describe_series

__all__ = ["COMPARE_KEYS", "Line", "analyse"]

_Key = tuple[str, str, str, str]
"""Machine id, environment, case id, metric."""


def analyse(
    spec: str,
    lines: Sequence[Line],
    nights: Sequence[Night],
    decisions: Sequence[Decision],
    *,
    now_ns: int,
    across: Sequence[str] = (),
    also: Sequence[str] = (),
) -> Trend:
    """The trend of these lines. ``nights`` are oldest first, of any hosts; ``across`` are
    patterns of facts (``kernel.*``) whose change does not begin a new series, ``also`` of those
    whose change does beside the usual ones."""
    holding = in_force(decisions, now_ns)
    series = [
        replace(each, start=accepted_since(each, nights, holding))
        for each in make_series(lines, nights, across, also)
    ]
    told = list(zip(series, find_all_changes(series, nights, holding), strict=True))
    refs = tuple(_reference(night) for night in nights)
    alerts = find_alerts([(each, of.changes) for each, of in told], refs, holding)
    described = _described(told, alerts)
    told_of = _told_of(series, alerts)
    shown = [each for each in described if _key(each, each) in told_of]
    return Trend(
        spec=spec,
        made_ns=now_ns,
        nights=refs,
        series=tuple(shown),
        alerts=tuple(a for a in alerts if any(_key(a, c) in told_of for c in a.changes)),
        markers=find_markers(nights, (), also),  # also of what is compared across
        accepted=tuple(d for d in holding if d.action == "accept"),
    )


def _told_of(series: Sequence[Series], alerts: Sequence[Alert]) -> set[_Key]:
    """The series that are shown: those that go on, and of the others those with a regression
    that still wants a decision."""
    going_on = {
        (each.host.machine_id, each.environment, each.line.case_ids[0], each.line.metric.path)
        for each in series
        if not each.left
    }
    wanted = (alert for alert in alerts if alert.wants_decision)
    return going_on | {_key(alert, change) for alert in wanted for change in alert.changes}


def _key(where: Alert | SeriesTrend, what: Change | SeriesTrend) -> _Key:
    return where.machine_id, where.environment, what.case_id, what.metric


def _described(told: Sequence[tuple[Series, Told]], alerts: Sequence[Alert]) -> list[SeriesTrend]:
    by_change = {id(change): alert for alert in alerts for change in alert.changes}
    return [
        describe_series(
            series,
            [(c, by_change[id(c)]) for c in of.changes if id(c) in by_change],
            [c for c in of.changes if id(c) not in by_change],
            of.hopping,
        )
        for series, of in told
    ]


def _reference(night: Night) -> NightRef:
    facts = night.facts
    revision = facts.revision
    return NightRef(
        facts.run_id,
        facts.started_ns,
        revision.commit,
        revision.label,
        revision.branch,
        facts.ended,
    )
