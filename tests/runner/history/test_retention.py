"""Old time series thin out; all else stays."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.errors import UsageError
from iogate.history.retention import SETTING, Step, apply_policy, parse_policy, prune, thin
from iogate.model.histogram import Histogram
from iogate.model.measurement import Interval, Series
from iogate.store import Store, open_store
from support import samples as s
from support.year import DAY_NS, FIRST_NS, year

NOW = FIRST_NS + 400 * DAY_NS
POLICY = parse_policy("30d:10s,365d:none")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Four runs a third of a year apart: the oldest are 400 and 280 days old, then 160, 20."""
    with closing(open_store(str(tmp_path / "h.sqlite"))) as opened:
        runs = list(year(nights=8, series=1, repetitions=1))[:4]
        opened.add_runs(
            replace(run, started_ns=FIRST_NS + at * DAY_NS)
            for run, at in zip(runs, (0, 120, 240, 380), strict=True)
        )
        yield opened


def lengths(store: Store) -> list[int]:
    found = []
    for run in map(store.run, store.run_ids()):
        for measurement in run.measurements:
            series = measurement.jobs[0].series
            found.append(len(series.intervals) if series else 0)
    return found


def runs_at(store: Store, *at_ns: int) -> None:
    """Runs that measured nothing: they only say what time it is."""
    store.add_runs(s.run(f"at-{each}", started_ns=each) for each in at_ns)


def test_steps_are_read() -> None:
    assert parse_policy("30d:10s, 365d:none") == (
        Step(30 * DAY_NS, 10_000),
        Step(365 * DAY_NS, None),
    )


@pytest.mark.parametrize(
    "text", ["", "30d", "30d:0s", "30:10s", "90d:10s,30d:60s", "30d:none,90d:60s", "1d:9s,2d:9s"]
)
def test_what_is_no_policy_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_policy(text)
    assert "30d:10s" in caught.value.remedy


def test_series_thin_out_by_age_and_all_else_stays(store: Store) -> None:
    before = [store.run(run_id) for run_id in store.run_ids()]
    nights = store.nights(["0" * 16])
    found = list(prune(store, POLICY, now_ns=NOW))
    assert lengths(store) == [0, 3, 3, 30]
    assert [(each.before, each.after) for each in found] == [(30, 3), (30, 3), (30, 0)]
    assert store.nights(["0" * 16]) == nights
    for old, new in zip(before, map(store.run, store.run_ids()), strict=True):
        jobs = [replace(job, series=None) for job in old.measurements[0].jobs]
        assert [replace(job, series=None) for job in new.measurements[0].jobs] == jobs
        assert (new.verdict, new.environment, new.plan) == (old.verdict, old.environment, old.plan)


def test_a_dry_run_tells_the_same_and_changes_nothing(store: Store) -> None:
    told = list(prune(store, POLICY, now_ns=NOW, dry_run=True))
    assert lengths(store) == [30, 30, 30, 30]
    assert told == list(prune(store, POLICY, now_ns=NOW))
    assert list(prune(store, POLICY, now_ns=NOW)) == []


def test_nothing_goes_without_a_policy(store: Store) -> None:
    assert apply_policy(store, now_ns=NOW) == 0
    assert lengths(store) == [30, 30, 30, 30]


def test_a_configured_policy_is_applied_once_a_day(store: Store) -> None:
    store.set_setting(SETTING, "300d:10s")
    runs_at(store, NOW - DAY_NS)
    assert apply_policy(store, now_ns=NOW) == 1
    assert lengths(store) == [3, 30, 30, 30]
    assert apply_policy(store, now_ns=NOW + DAY_NS // 2) == 0
    runs_at(store, NOW + 29 * DAY_NS, NOW + 30 * DAY_NS)
    assert apply_policy(store, now_ns=NOW + 30 * DAY_NS) == 1
    assert lengths(store) == [3, 3, 30, 30]
    store.set_setting(SETTING, "30d:none")  # another policy begins anew
    assert apply_policy(store, now_ns=NOW + 30 * DAY_NS) == 4


def test_a_clock_that_jumps_ahead_thins_nothing_until_a_second_run_agrees(store: Store) -> None:
    store.set_setting(SETTING, "365d:none")
    far_ns = NOW + 50 * 365 * DAY_NS
    runs_at(store, NOW - DAY_NS, far_ns)
    assert apply_policy(store, now_ns=far_ns) == 1, "which was due within 30 days"
    assert lengths(store) == [0, 30, 30, 30]
    runs_at(store, NOW + 90 * DAY_NS)
    assert apply_policy(store, now_ns=NOW + 90 * DAY_NS) == 1, "back again, it goes on"
    assert lengths(store) == [0, 0, 30, 30]
    runs_at(store, far_ns + 1)
    assert apply_policy(store, now_ns=far_ns + 1) == 2
    assert lengths(store) == [0, 0, 0, 0]


def test_what_was_done_in_the_future_is_done_again(store: Store) -> None:
    store.set_setting(SETTING, "365d:none")
    far_ns = NOW + 50 * 365 * DAY_NS
    runs_at(store, far_ns, far_ns + 1)
    assert apply_policy(store, now_ns=far_ns) == 4
    (old,) = list(year(nights=1, series=1, repetitions=1))
    store.add_runs([replace(old, id="found-again")])
    assert apply_policy(store, now_ns=NOW) == 1


def test_runs_that_are_months_apart_are_thinned_too(store: Store) -> None:
    store.set_setting(SETTING, "100d:none")
    runs_at(store, NOW)
    assert apply_policy(store, now_ns=NOW) == 3
    assert apply_policy(store, now_ns=NOW + 99 * DAY_NS) == 0
    runs_at(store, NOW + 200 * DAY_NS, NOW + 300 * DAY_NS)
    assert apply_policy(store, now_ns=NOW + 300 * DAY_NS) == 1


COUNTS = st.dictionaries(st.sampled_from(["read", "write"]), st.integers(0, 9))


@given(st.lists(COUNTS, max_size=40), st.integers(1, 20))
def test_thinning_loses_no_io(counts: list[dict[str, int]], wider: int) -> None:
    series = Series(
        100,
        tuple(
            Interval((at + 1) * 100, each, each, {}, {"read": Histogram({128: 1})})
            for at, each in enumerate(counts)
        ),
    )
    thinned = thin(series, wider * 100)
    if not counts:
        assert thinned is None
        return
    assert thinned is not None
    assert thinned.intervals[-1].end_ms == len(counts) * 100
    assert len(thinned.intervals) == -(-len(counts) // wider)
    for name in ("read", "write"):
        total = sum(each.get(name, 0) for each in counts)
        assert sum(each.ios.get(name, 0) for each in thinned.intervals) == total
    merged = sum(each.histograms["read"].count for each in thinned.intervals)
    assert merged == len(counts)
    assert thin(thinned, wider * 100) == thinned
