"""Nights to series and alerts: what is raised, when, how it is grouped, and how it ends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.model.decision import Action, Decision
from iogate.model.night import Night, Spread
from iogate.model.trend import Alert, AlertState, SeriesState, Trend, Turn
from iogate.trend import Line, analyse
from iogate.trend.decisions import new_decision
from support.nights import CASE, Environment, levels, line, merged, night, nights_of

NOW = 10**19


def trend_of(
    nights: Sequence[Night],
    *lines: Line,
    decisions: Sequence[Decision] = (),
    across: Sequence[str] = (),
) -> Trend:
    return analyse("demo", lines or [line()], nights, decisions, now_ns=NOW, across=across)


def only(trend: Trend) -> Alert:
    (alert,) = trend.alerts
    return alert


def test_steady_nights_raise_nothing() -> None:
    trend = trend_of(nights_of(levels((80, 1000))))
    (series,) = trend.series
    assert (series.state, series.change, trend.alerts) == (SeriesState.STEADY, None, ())
    assert series.level == pytest.approx(1000, rel=0.01)
    assert series.last == series.values[-1]
    assert len(series.values) == 80


def test_a_drop_of_a_rate_is_a_regression_with_its_range_and_effect() -> None:
    trend = trend_of(nights_of(levels((60, 1000), (25, 900))))
    alert = only(trend)
    assert (alert.turn, alert.state) == (Turn.REGRESSION, AlertState.OPEN)
    assert alert.last_good.commit == "c059"
    assert alert.estimate.commit == alert.first_bad.commit == "c060"
    assert alert.nights_since == 25
    (change,) = alert.changes
    assert change.effect == pytest.approx(-0.1, abs=0.01)
    assert change.effect_interval is not None
    assert change.effect_interval.low < -0.1 + 0.01
    assert change.effect_interval.high > -0.1 - 0.01
    assert change.before == pytest.approx(1000, rel=0.01)
    assert change.after == pytest.approx(900, rel=0.01)
    (series,) = trend.series
    assert (series.state, series.alert) == (SeriesState.REGRESSED, alert.id)
    assert series.change == pytest.approx(-0.1, abs=0.01)
    assert "write.iops of case-0011" in alert.sentence
    assert "-10" in alert.sentence


@pytest.mark.parametrize(
    ("path", "after", "turn"),
    [
        ("write.iops", 1100, Turn.IMPROVEMENT),
        ("write.clat.p99", 1100, Turn.REGRESSION),
        ("write.clat.p99", 900, Turn.IMPROVEMENT),
        ("write.iops.stdev", 1100, Turn.REGRESSION),
    ],
)
def test_the_metric_says_which_way_is_worse(path: str, after: float, turn: Turn) -> None:
    trend = trend_of(nights_of(levels((60, 1000), (25, after), path=path)), line(path))
    assert only(trend).turn is turn


def test_a_small_step_has_a_range_of_revisions() -> None:
    alert = only(trend_of(nights_of(levels((60, 1000), (30, 965), noise=2, seed=5))))
    assert alert.last_good.commit < "c060" <= alert.first_bad.commit
    assert int(alert.first_bad.commit[1:]) - int(alert.last_good.commit[1:]) > 1
    assert alert.last_good.started_ns < alert.estimate.started_ns <= alert.first_bad.started_ns


def test_a_suspect_becomes_an_alert_when_enough_nights_confirm_it() -> None:
    values = levels((60, 1000), (25, 975))
    states = {}
    for since in range(1, 26):
        trend = trend_of(nights_of(values[: 60 + since]))
        states[since] = trend.alerts[0].state if trend.alerts else None
    assert states[1] is None
    assert states[7] is AlertState.SUSPECT
    assert states[12] is AlertState.OPEN
    assert states[25] is AlertState.OPEN
    assert trend_of(nights_of(values[:67])).series[0].state is SeriesState.SUSPECT


def test_a_step_far_past_all_noise_is_an_alert_after_two_nights() -> None:
    values = levels((60, 1000), (10, 700))
    assert trend_of(nights_of(values[:61])).alerts == ()
    for since in range(2, 11):
        alert = only(trend_of(nights_of(values[: 60 + since])))
        assert (alert.turn, alert.state) == (Turn.REGRESSION, AlertState.OPEN)


def test_an_alert_closes_when_the_old_level_is_back() -> None:
    trend = trend_of(nights_of(levels((60, 1000), (25, 900), (25, 1000))))
    alert = only(trend)  # the way back is no news of its own
    assert (alert.turn, alert.state) == (Turn.REGRESSION, AlertState.RECOVERED)
    assert alert.changes[0].closed
    assert trend.series[0].state is SeriesState.STEADY
    (back,) = trend.series[0].recoveries
    assert back.last_before < 85 <= back.first_after
    assert trend.series[0].level == pytest.approx(1000, rel=0.01), "since the way back"


def test_a_series_has_the_interval_of_each_night() -> None:
    nights = nights_of(levels((20, 1000)))
    key = CASE, "write.iops"
    some = [
        replace(one, spreads={key: Spread(990, 1010, 0.75, 3)} if i % 2 else {})
        for i, one in enumerate(nights)
    ]
    (series,) = trend_of(some).series
    assert series.counts == (1, 3) * 10
    assert series.lows[1::2] == (990,) * 10
    assert series.highs[::2] == series.values[::2], "of one repetition nothing else is known"
    assert series.confidence == 0.75
    assert trend_of(nights).series[0].counts == ()


def test_half_the_way_back_closes_nothing() -> None:
    trend = trend_of(nights_of(levels((60, 1000), (30, 800), (30, 900))))
    assert [(a.turn, a.state) for a in trend.alerts] == [
        (Turn.REGRESSION, AlertState.OPEN),
        (Turn.IMPROVEMENT, AlertState.OPEN),
    ]
    (series,) = trend.series
    assert series.state is SeriesState.REGRESSED
    assert series.change == pytest.approx(-0.1, abs=0.01)


def test_a_fall_after_an_improvement_is_a_regression() -> None:
    trend = trend_of(nights_of(levels((60, 1000), (30, 1200), (30, 1000))))
    first = trend.alerts[0]
    assert (first.turn, first.state) == (Turn.REGRESSION, AlertState.OPEN)
    assert first.estimate.commit == "c090"


def test_the_change_of_a_series_is_since_its_oldest_open_alert() -> None:
    trend = trend_of(nights_of(levels((60, 1000), (30, 900), (30, 800), (30, 700))))
    assert [a.state for a in trend.alerts] == [AlertState.OPEN] * 3
    (series,) = trend.series
    assert series.alert == trend.alerts[-1].id
    assert series.change == pytest.approx(-0.3, abs=0.01)


def test_changes_of_the_same_night_are_one_alert() -> None:
    rate = levels((60, 1000), (25, 900), seed=1)
    latency = levels((60, 50), (25, 60), seed=2, path="write.clat.p99")
    alert = only(trend_of(nights_of(merged(rate, latency)), line(), line("write.clat.p99")))
    assert [c.metric for c in alert.changes] == ["write.clat.p99", "write.iops"]  # largest first
    assert "1 more with it" in alert.sentence


def test_changes_of_different_nights_are_two() -> None:
    rate = levels((40, 1000), (45, 900), seed=1)
    latency = levels((60, 50), (25, 60), seed=2, path="write.clat.p99")
    trend = trend_of(nights_of(merged(rate, latency)), line(), line("write.clat.p99"))
    assert [a.changes[0].metric for a in trend.alerts] == ["write.clat.p99", "write.iops"]
    assert len({a.id for a in trend.alerts}) == 2


def test_two_hosts_are_apart() -> None:
    slow = nights_of(levels((60, 1000), (25, 900)), machine="m1")
    fine = nights_of(levels((85, 1000), seed=3), machine="m2")
    trend = trend_of(sorted(slow + fine, key=lambda n: (n.facts.started_ns, n.facts.run_id)))
    assert only(trend).machine_id == "m1"
    assert {s.machine_id: s.state for s in trend.series} == {
        "m1": SeriesState.REGRESSED,
        "m2": SeriesState.STEADY,
    }
    both = trend_of(
        sorted(
            slow + nights_of(levels((60, 1000), (25, 900), seed=4), machine="m2"),
            key=lambda n: (n.facts.started_ns, n.facts.run_id),
        )
    )
    assert sorted(a.machine_id for a in both.alerts) == ["m1", "m2"]


def test_another_firmware_splits_the_series_and_is_shown() -> None:
    values = levels((60, 1000), (25, 900))
    old: Environment = {"target.d.firmware": "A1", "load": 1.0}
    new: Environment = {"target.d.firmware": "B2", "load": 2.0}
    nights = [night(i, v, environment=old if i < 60 else new) for i, v in enumerate(values)]
    trend = trend_of(nights)
    assert trend.alerts == ()
    (marker,) = trend.markers
    assert marker.night == 60
    (change,) = marker.changes
    assert (change.fact, change.before, change.after) == ("target.d.firmware", "A1", "B2")
    assert len(trend.series[-1].values) == 25
    joined = trend_of(nights, across=["target.*.firmware"])
    assert joined.markers == trend.markers  # what is compared across is shown all the more
    assert only(joined).turn is Turn.REGRESSION


OLD: Environment = {"kernel.release": "6.1"}
NEW: Environment = {"kernel.release": "6.6"}


def updated(*parts: tuple[int, float], new: int, level: float = 900) -> list[Night]:
    """Nights at these levels, and so many more with another kernel."""
    old = levels(*parts)
    later = levels((new, level), seed=7)
    return [
        night(i, v, environment=OLD if i < len(old) else NEW) for i, v in enumerate((*old, *later))
    ]


@pytest.mark.parametrize("new", [6, 7, 8, 60])
def test_a_regression_stays_open_when_the_host_is_another_one(new: int) -> None:
    before = only(trend_of(updated((60, 1000), (25, 900), new=1)))
    trend = trend_of(updated((60, 1000), (25, 900), new=new))
    alert = only(trend)
    assert (alert.id, alert.state, alert.nights_since) == (before.id, AlertState.OPEN, 25)
    facts = [(c.fact, c.before, c.after) for c in alert.left]
    assert facts == ([] if new < 7 else [("kernel.release", "6.1", "6.6")])
    assert [s.alert for s in trend.series] == [alert.id, ""]


def test_a_suspect_stays_one_and_a_decision_holds_when_the_host_is_another_one() -> None:
    suspect = only(trend_of(updated((60, 1000), (7, 975), new=30)))
    assert suspect.state is AlertState.SUSPECT
    nights = updated((60, 1000), (25, 900), new=30)
    alert = only(trend_of(nights))
    ack = new_decision(alert, "demo", Action.ACK)
    known = only(trend_of(nights, decisions=[ack]))
    assert (known.state, known.left) == (AlertState.ACKNOWLEDGED, alert.left)
    accepted = trend_of(nights, decisions=[replace(ack, action=Action.ACCEPT, at_ns=NOW)])
    assert accepted.alerts == ()
    assert [s.environment for s in accepted.series] != [alert.environment]
    assert len(accepted.series) == 1


def test_what_wants_no_decision_leaves_with_its_environment() -> None:
    for parts in (
        ((60, 1000), (25, 1100)),
        ((60, 1000), (25, 900), (25, 1000)),
        ((60, 1000),),
    ):
        trend = trend_of(updated(*parts, new=7))
        assert (trend.alerts, len(trend.series)) == ((), 1)


def test_an_alert_goes_on_where_the_environment_is_back() -> None:
    nights = updated((60, 1000), (25, 900), new=30)
    again = levels((12, 1000), seed=9)
    nights += [night(115 + i, v, environment=OLD) for i, v in enumerate(again)]
    alert = next(a for a in trend_of(nights).alerts if not a.left)
    assert alert.state is AlertState.RECOVERED


def test_a_series_goes_on_with_a_new_engine_until_its_numbers_mean_another_thing() -> None:
    old: Environment = {"engine.name": "native", "engine.version": "0.1.0"}
    new: Environment = {**old, "engine.version": "0.2.0", "engine.semantics": 1}
    raised: Environment = {**new, "engine.semantics": 2}
    values = levels((60, 1000), (25, 900))
    nights = [night(i, v, environment=old if i < 40 else new) for i, v in enumerate(values)]
    trend = trend_of(nights)
    assert trend.markers == ()
    before = trend_of([night(i, v, environment=old) for i, v in enumerate(values)])
    assert only(trend).id == only(before).id  # what people decided of it still holds
    apart = trend_of([*nights[:60], *(night(60 + i, v, environment=raised) for i, v in
                                      enumerate(values[60:]))])  # fmt: skip
    assert apart.alerts == ()
    (marker,) = apart.markers
    assert [(c.fact, c.before, c.after) for c in marker.changes] == [("engine.semantics", "1", "2")]


def test_what_a_night_does_not_know_is_no_change() -> None:
    imported: Environment = {"engine.name": "fio"}
    known: Environment = {"engine.name": "fio", "kernel.release": "6.1"}
    values = levels((60, 1000), (25, 900))
    nights = [
        night(i, v, environment=known if 20 <= i < 40 else imported) for i, v in enumerate(values)
    ]
    trend = trend_of(nights)
    assert trend.markers == ()
    assert only(trend).turn is Turn.REGRESSION
    updated: Environment = {**known, "kernel.release": "6.6"}
    later = trend_of([*nights, night(85, values[-1], environment=updated)])
    (marker,) = later.markers
    assert (marker.night, marker.changes[0].before) == (85, "6.1")


def test_two_environments_in_turns_are_two_series() -> None:
    nights = [
        night(i, v, environment={"kernel.release": "6.1" if i % 2 else "6.6"})
        for i, v in enumerate(
            {(CASE, "write.iops"): 1000.0 + i % 5 + 300 * (i % 2)} for i in range(60)
        )
    ]
    trend = trend_of(nights)
    assert sorted(round(s.level, -2) for s in trend.series) == [1000, 1300]
    assert trend.alerts == ()


@pytest.mark.parametrize("count", [1, 2, 8])
def test_a_few_nights_are_too_short(count: int) -> None:
    trend = trend_of(nights_of(levels((count, 1000))))
    (series,) = trend.series
    assert (series.state, len(series.values)) == (SeriesState.SHORT, count)


def test_no_nights_and_no_values_are_no_series() -> None:
    assert trend_of([]).series == ()
    assert trend_of(nights_of([{}, {}])).series == ()
    assert trend_of(nights_of(levels((20, 1))), line("read.iops")).series == ()


def test_equal_values_are_steady() -> None:
    for value in (0.0, 7.0, -3.0):
        (series,) = trend_of(nights_of([{(CASE, "write.iops"): value}] * 40)).series
        assert (series.state, series.level) == (SeriesState.STEADY, value)


def test_from_zero_there_is_no_relative_change() -> None:
    alert = only(trend_of(nights_of(levels((40, 0), (25, 5), path="errors")), line("errors")))
    assert alert.turn is Turn.REGRESSION
    assert alert.changes[0].effect is None
    assert "0 to 5" in alert.sentence


def test_a_ratio_beyond_all_numbers_is_as_large_as_can_be_told() -> None:
    alert = only(trend_of(nights_of(levels((40, 1e-200), (25, 1e200), path="write.clat.p50")),
                          line("write.clat.p50")))  # fmt: skip
    assert alert.turn is Turn.REGRESSION
    assert alert.changes[0].effect == pytest.approx(math.exp(700), rel=0.1)


def test_missing_and_impossible_nights_are_passed_over() -> None:
    values = levels((60, 1000), (25, 900))
    for gap in (10, 30, 61, 70):
        values[gap] = {}
    values[5] = {(CASE, "write.iops"): math.nan}
    values[65] = {(CASE, "write.iops"): math.inf}
    trend = trend_of(nights_of(values))
    assert len(trend.series[0].values) == 79
    alert = only(trend)
    assert (alert.last_good.commit, alert.first_bad.commit) == ("c059", "c060")


def test_a_case_that_was_renamed_keeps_its_nights() -> None:
    values = levels((60, 1000), (25, 900))
    old = "ffeeddccbbaa0099"
    split = [
        {(old if i < 30 else CASE, path): value for (_, path), value in each.items()}
        for i, each in enumerate(values)
    ]
    whole, renamed = (
        trend_of(nights_of(values)),
        trend_of(nights_of(split), line("write.iops", CASE, old)),
    )
    assert renamed.series[0].values == whole.series[0].values
    assert only(renamed).estimate == only(whole).estimate


def test_the_order_of_lines_changes_nothing_but_the_order() -> None:
    rate = levels((60, 1000), (25, 900), seed=1)
    latency = levels((50, 50), (35, 60), seed=2, path="write.clat.p99")
    lines = [line(), line("write.clat.p99")]
    nights = nights_of(merged(rate, latency))
    one, other = trend_of(nights, *lines), trend_of(nights, *reversed(lines))
    assert one.alerts == other.alerts
    assert one.series == other.series[::-1]


NUMBERS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from([0.0, 1.0, 2.0])


@settings(max_examples=150, deadline=None)
@given(
    values=st.lists(st.none() | NUMBERS, max_size=60),
    step=st.sampled_from([0.0, 5.0, 1e300]),
    at=st.integers(0, 60),
)
def test_any_numbers_give_a_trend_that_makes_sense(
    values: list[float | None], step: float, at: int
) -> None:
    nights = nights_of(
        [
            {} if v is None else {(CASE, "write.iops"): v + (step if i >= at else 0.0)}
            for i, v in enumerate(values)
        ]
    )
    trend = trend_of(nights)
    assert len(trend.series) <= 1
    for series in trend.series:
        assert all(map(math.isfinite, series.values))
        assert math.isfinite(series.level)
    for alert in trend.alerts:
        assert alert.last_good.started_ns < alert.estimate.started_ns <= alert.first_bad.started_ns
        assert alert.changes


@settings(max_examples=25, deadline=None)
@given(
    step=st.sampled_from([-150, 150, -400]),
    at=st.integers(20, 70),
    scale=st.sampled_from([1e-6, 3.0, 1e9]),
    seed=st.integers(0, 50),
)
def test_the_unit_does_not_matter(step: float, at: int, scale: float, seed: int) -> None:
    values = levels((at, 1000), (90 - at, 1000 + step), seed=seed)
    scaled = [{key: v * scale for key, v in each.items()} for each in values]
    one, other = trend_of(nights_of(values)), trend_of(nights_of(scaled))
    assert [(a.id, a.state, a.turn, a.first_bad) for a in one.alerts] == [
        (a.id, a.state, a.turn, a.first_bad) for a in other.alerts
    ]
    assert one.alerts[0].changes[0].effect == pytest.approx(other.alerts[0].changes[0].effect)


def test_what_moves_with_a_series_that_hops_hops_as_well() -> None:
    """In one of the two too little was seen to ask it by itself; it was told to be steady."""
    rng = np.random.default_rng(49)
    stays = rng.integers(2, 10, size=120)
    up = np.repeat(np.arange(120) % 2, stays)[:120]
    rate = np.where(up, 1000, 800) * (1 + 0.01 * rng.normal(size=120))
    latency = np.where(up, 60, 50) * (1 + 0.015 * rng.normal(size=120))
    nights = nights_of(
        [
            {(CASE, "write.iops"): float(a), (CASE, "write.clat.p99"): float(b)}
            for a, b in zip(rate, latency, strict=True)
        ]
    )
    trend = trend_of(nights, line(), line("write.clat.p99"))
    assert [series.state for series in trend.series] == [SeriesState.HOPPING] * 2
    assert trend_of(nights, line("write.clat.p99")).alerts == tuple(
        alert for alert in trend.alerts if alert.changes[0].metric == "write.clat.p99"
    )
