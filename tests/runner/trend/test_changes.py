"""What is said of a change: its two values, its effect and its turn agree, whatever the nights."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.model.trend import Change, Turn
from iogate.model.units import format_value
from iogate.trend import analyse
from support.nights import CASE, line, nights_of

NOW = 10**19


def changes_of(values: np.ndarray, path: str = "write.iops") -> list[Change]:
    nights = nights_of([{(CASE, path): float(value)} for value in values])
    trend = analyse("demo", [line(path)], nights, (), now_ns=NOW)
    told = [change for alert in trend.alerts for change in alert.changes]
    return [*told, *(change for each in trend.series for change in each.recoveries)]


def check(change: Change) -> None:
    """The values lie the way the effect and the turn say."""
    rise = change.after - change.before
    worse = rise * change.better.worse > 0
    assert worse == (change.turn is Turn.REGRESSION), change
    if change.effect:
        assert change.after / change.before - 1 == pytest.approx(change.effect, rel=1e-9, abs=1e-12)
    assert change.effect is None or rise * change.effect >= 0, change


@pytest.mark.parametrize("path", ["write.iops", "write.clat.p99"])
def test_the_values_of_a_change_lie_the_way_that_it_says(path: str) -> None:
    """Two states, of which the likelier becomes the other: medians and the middle of all
    differences may then go opposite ways."""
    rng, seen = np.random.default_rng(5), 0
    for _ in range(150):
        shares = np.repeat(rng.uniform(0.25, 0.75, size=2), (50, 30))
        level = np.where(rng.random(80) < shares, 13_900, 12_900) * np.repeat([1, 1.03], (50, 30))
        for change in changes_of(level * (1 + rng.normal(0, 0.01, size=80)), path):
            check(change)
            seen += 1
    assert seen > 20


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 7.0]), min_size=20, max_size=40),
    st.lists(st.sampled_from([0.0, 1.0, 2.0, 3.0, 9.0]), min_size=18, max_size=40),
    st.booleans(),
)
def test_counts_agree_too(before: list[float], after: list[float], is_positive: bool) -> None:
    for change in changes_of(np.array([*before, *after]) + (5 if is_positive else 0), "errors"):
        check(change)


def test_more_errors_than_before_are_worse_though_most_nights_have_none() -> None:
    """Neither medians nor the middle of all differences see it: both are zero."""
    after = np.tile([0, 0, 0, 4, 5], 8)
    told = changes_of(np.concatenate([np.zeros(40), after]), "errors")
    for change in (change for change in told if not change.closed):
        assert change.turn is Turn.REGRESSION
        assert (format_value(change.before, change.unit), change.after > 0) == ("0", True)


def test_a_step_has_its_medians() -> None:
    (change,) = changes_of(np.repeat([0.0, 5.0], 30), "errors")
    assert (change.before, change.after, change.effect) == (0.0, 5.0, None)
