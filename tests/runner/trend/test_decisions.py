"""What people decide about an alert, and what becomes of it then."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest

from iogate.model.decision import FOREVER, Action, Decision, SeriesKey
from iogate.model.trend import Alert, AlertState, SeriesState, Trend
from iogate.trend import analyse
from iogate.trend.decisions import new_decision
from support.nights import CASE, DAY_NS, levels, line, merged, nights_of

NOW = 10**19
DROP = levels((60, 1000), (25, 900))


def trend_of(
    values: Sequence[dict[tuple[str, str], float]],
    *decisions: Decision,
    now_ns: int = NOW,
    paths: Sequence[str] = ("write.iops",),
) -> Trend:
    lines = [line(path) for path in paths]
    return analyse("demo", lines, nights_of(values), decisions, now_ns=now_ns)


def on(alert: Alert, action: Action, at_ns: int = 1, expires_ns: int = FOREVER) -> Decision:
    decision = new_decision(alert, "demo", action, author="ann", reason="known", at_ns=at_ns)
    return replace(decision, expires_ns=expires_ns)


@pytest.fixture
def alert() -> Alert:
    (found,) = trend_of(DROP).alerts
    return found


def test_an_acknowledged_alert_stays_and_says_who_and_why(alert: Alert) -> None:
    ack = on(alert, Action.ACK)
    trend = trend_of(DROP, ack)
    (found,) = trend.alerts
    assert (found.state, found.id, found.decision) == (AlertState.ACKNOWLEDGED, alert.id, ack)
    assert trend.series[0].state is SeriesState.ACKNOWLEDGED


def test_an_acknowledgement_lapses(alert: Alert) -> None:
    ack = on(alert, Action.ACK, expires_ns=NOW)
    assert trend_of(DROP, ack, now_ns=NOW - 1).alerts[0].state is AlertState.ACKNOWLEDGED
    assert trend_of(DROP, ack, now_ns=NOW).alerts[0].state is AlertState.OPEN


def test_a_decision_that_lapsed_has_replaced_the_one_before(alert: Alert) -> None:
    for first in (Action.ACK, Action.ACCEPT):
        for_a_while = on(alert, Action.ACK, 2, expires_ns=NOW)
        decisions = [on(alert, first), for_a_while]
        assert trend_of(DROP, *decisions, now_ns=NOW - 1).alerts[0].decision == for_a_while
        (found,) = trend_of(DROP, *decisions, now_ns=NOW).alerts
        assert (found.state, found.decision) == (AlertState.OPEN, None)


def test_what_was_confirmed_stays_so_when_an_acknowledgement_lapses() -> None:
    all_nights = levels((60, 1000), (40, 920), noise=3)
    early = next(t for n in range(64, 100) if (t := trend_of(all_nights[:n])).alerts)
    values = all_nights[: len(early.nights)]
    assert early.alerts[0].state is AlertState.SUSPECT
    confirm = on(early.alerts[0], Action.CONFIRM)
    acks = [on(early.alerts[0], Action.ACK, at_ns, expires_ns=NOW) for at_ns in (2, 3)]
    (found,) = trend_of(values, confirm, *acks).alerts
    assert (found.state, found.decision) == (AlertState.OPEN, confirm)
    reopened = on(early.alerts[0], Action.REOPEN, 4)
    assert trend_of(values, confirm, reopened, acks[0]).alerts[0].state is AlertState.SUSPECT


def test_the_accepted_level_is_the_one_to_compare_with(alert: Alert) -> None:
    accept = on(alert, Action.ACCEPT)
    trend = trend_of(DROP, accept)
    (series,) = trend.series
    assert (trend.alerts, trend.accepted) == ((), (accept,))
    assert (series.state, series.start) == (SeriesState.STEADY, 60)
    assert series.level == pytest.approx(900, rel=0.01)
    again = trend_of(levels((60, 1000), (25, 900), (25, 810)), accept)
    assert again.alerts[0].state is AlertState.OPEN
    assert again.series[0].change == pytest.approx(-0.1, abs=0.01)
    back = trend_of(levels((60, 1000), (25, 900), (25, 1000)), accept)
    assert back.series[0].state is SeriesState.IMPROVED


def test_what_was_reopened_is_open_again_under_its_name(alert: Alert) -> None:
    for first in (Action.ACK, Action.ACCEPT):
        decisions = [on(alert, first, 1), on(alert, Action.REOPEN, 2)]
        trend = trend_of(DROP, *decisions)
        assert [(a.id, a.state) for a in trend.alerts] == [(alert.id, AlertState.OPEN)]
        assert trend.alerts[0].decision is None
        thrice = trend_of(DROP, *decisions, on(alert, Action.ACK, 3))
        assert thrice.alerts[0].state is AlertState.ACKNOWLEDGED


def test_a_decision_holds_while_the_estimate_moves() -> None:
    values = levels((60, 1000), (40, 965), noise=2, seed=5)
    early = next(t for n in range(64, 100) if (t := trend_of(values[:n])).alerts)
    ack = on(early.alerts[0], Action.ACK)
    (late,) = trend_of(values, ack).alerts
    assert (late.id, late.state) == (ack.alert, AlertState.ACKNOWLEDGED)


def test_a_decision_holds_for_a_case_that_has_a_new_id(alert: Alert) -> None:
    renamed = line("write.iops", "ffff0000ffff0000", CASE)
    for action, states in ((Action.ACK, [AlertState.ACKNOWLEDGED]), (Action.ACCEPT, [])):
        decision = on(alert, action)
        trend = analyse("demo", [renamed], nights_of(DROP), [decision], now_ns=NOW)
        assert [found.state for found in trend.alerts] == states
        assert {found.id for found in trend.alerts} <= {alert.id}


def test_a_decision_is_about_its_own_change_only(alert: Alert) -> None:
    ack = on(alert, Action.ACK)
    later = levels((60, 1000), (25, 900), (25, 800))
    assert [a.state for a in trend_of(later, ack).alerts] == [
        AlertState.OPEN,
        AlertState.ACKNOWLEDGED,
    ]
    for other in (
        replace(ack, machine_id="m2"),
        replace(ack, series=(SeriesKey(CASE, "read.iops"),)),
        replace(ack, from_ns=ack.from_ns - 20 * DAY_NS, to_ns=ack.to_ns - 20 * DAY_NS),
    ):
        assert trend_of(DROP, other).alerts[0].state is AlertState.OPEN


def test_a_series_that_joins_later_does_not_slip_under_an_acceptance(alert: Alert) -> None:
    latency = levels((60, 50), (25, 60), seed=2, path="write.clat.p99")
    accept = on(alert, Action.ACCEPT)
    paths = ["write.iops", "write.clat.p99"]
    (found,) = trend_of(merged(DROP, latency), accept, paths=paths).alerts
    assert [c.metric for c in found.changes] == ["write.clat.p99"]
    assert found.state is AlertState.OPEN


def test_an_acceptance_of_the_last_night_leaves_a_series(alert: Alert) -> None:
    accept = replace(on(alert, Action.ACCEPT), to_ns=10**18)
    (series,) = trend_of(DROP, accept).series
    assert (series.start, series.state) == (84, SeriesState.SHORT)
