"""Series that hop between levels: no hop is news, a level that they never had is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from iogate.stats.hopping import hopping, level_changes, level_changes_of_each

Floats = NDArray[np.float64]
LOW, HIGH, NEVER_HAD = 100.0, 112.0, 140.0
TAIL = 150  # nights that are looked at each night


def hops(seed: int, nights: int, longest: int, levels: tuple[float, ...] = (LOW, HIGH)) -> Floats:
    """So many nights in stays from one night to the longest, each value 1 % from its level."""
    pick = np.random.default_rng(seed)
    values: list[float] = []
    now = 0
    while len(values) < nights:
        stay = 1 if pick.random() < 0.4 else int(pick.integers(1, longest + 1))
        values += [levels[now]] * stay
        now = (now + int(pick.integers(1, len(levels)))) % len(levels)
    return np.array(values[:nights]) * (1 + 0.01 * pick.standard_normal(nights))


def steady(seed: int, nights: int, level: float = LOW) -> Floats:
    return level * (1 + 0.01 * np.random.default_rng(seed).standard_normal(nights))


def alerts(values: Floats, first: int) -> list[int]:
    """The changes among the last nights that each night from the first on tells, once each."""
    told: list[int] = []
    for night in range(first, len(values)):
        start = max(0, night + 1 - TAIL)
        for at in level_changes(values[start : night + 1]):
            place = at + start
            if place > night - 15 and not any(abs(place - known) <= 5 for known in told):
                told.append(place)
    return told


@pytest.mark.parametrize("longest", [2, 6, 20])
@pytest.mark.parametrize("levels", [(LOW, HIGH), (LOW, HIGH, 125.0)], ids=["two", "three"])
def test_hops_are_no_changes(longest: int, levels: tuple[float, ...]) -> None:
    """But in a few of a hundred, whose brief stays look like excursions by chance."""
    changed = [seed for seed in range(40) if level_changes(hops(seed, 500, longest, levels))]
    assert len(changed) <= 3


def test_brief_stays_that_are_half_of_all_are_no_excursions() -> None:
    """Of this one they keep apart by chance as excursions do, and are too many to be any."""
    assert level_changes(hops(61, 500, 6)) == []


def test_few_hops_alert() -> None:
    nights = 0
    told = 0
    for seed in range(10):
        values = hops(seed, 360, 20)
        told += len(alerts(values, 100))
        nights += 260
    assert told / nights < 3 / 1000


@pytest.mark.parametrize("level", [NEVER_HAD, 80.0])
def test_a_level_that_it_never_had_is_news_within_nights_and_for_good(level: float) -> None:
    for seed in range(5):
        values = np.concatenate([hops(seed, 300, 12), steady(seed, 60, level)])
        for nights in (3, 5, 12, 60):
            assert any(abs(at - 300) <= 5 for at in level_changes(values[: 300 + nights])), nights


def test_a_level_that_a_hopping_series_had_for_two_nights_is_no_news() -> None:
    """But in some, where two nights are too few to be a level."""
    told = 0
    for seed in range(20):
        had = [hops(seed, 100, 8), steady(seed, 2, NEVER_HAD), hops(seed + 50, 40, 8)]
        values = np.concatenate([*had, steady(seed + 1, 5, NEVER_HAD)])
        told += any(abs(at - 142) <= 5 for at in level_changes(values))
    assert told <= 8


def test_a_shift_of_the_level_that_a_series_is_on_is_no_hop() -> None:
    """It was elsewhere for two weeks once, and 8 % within its level are news as in any other."""
    for seed in range(5):
        was = [steady(seed, 60), steady(seed + 10, 15, 130.0), steady(seed + 20, 70)]
        values = np.concatenate([*was, steady(seed + 30, 5, 108.0)])
        assert any(abs(at - 145) <= 3 for at in level_changes(values)), seed


def test_the_night_from_which_a_series_hops_is_a_change() -> None:
    for seed in range(5):
        values = np.concatenate([steady(seed, 200), hops(seed, 250, 8)[::-1]])
        found = level_changes(values)
        assert any(abs(at - 200) <= 10 for at in found)
        assert len(found) == 1


def test_a_series_that_stops_hopping_has_a_change_once_the_stay_is_too_long() -> None:
    for seed in range(5):
        values = np.concatenate([hops(seed, 250, 8), steady(seed, 150)])
        found = level_changes(values)
        assert any(abs(at - 250) <= 10 for at in found)
        assert len(found) == 1


@pytest.mark.parametrize("shifts", [[1.05], [1.1, 1.0], [0.9, 1.05, 1.2]])
def test_real_steps_stay(shifts: list[float]) -> None:
    """A few levels that each held for weeks are changes, also where one comes again."""
    parts = [steady(seed, 60, LOW * shift) for seed, shift in enumerate([1.0, *shifts])]
    found = level_changes(np.concatenate(parts))
    expected = [60 * (k + 1) for k in range(len(shifts))]
    assert len(found) == len(expected)
    assert all(abs(at - wanted) <= 5 for at, wanted in zip(found, expected, strict=True))


def test_how_a_series_hops_is_told() -> None:
    values = hops(4, 500, 10)
    how = hopping(values)
    assert how is not None
    assert np.allclose(how.levels, [LOW, HIGH], rtol=0.01)
    assert sum(how.shares) == pytest.approx(1)
    high = float(np.mean(values > 106))
    assert how.shares[1] == pytest.approx(high, abs=0.02)
    assert 1 <= how.typical_stay <= 6
    assert (how.since, how.until) == (0, 500)


def test_from_when_to_when_it_hopped_is_told() -> None:
    values = np.concatenate([steady(1, 150), hops(1, 200, 6)[::-1], steady(2, 150)])
    how = hopping(values)
    assert how is not None
    assert abs(how.since - 150) <= 10
    assert abs(how.until - 350) <= 10


@pytest.mark.parametrize("values", [[], [1.0], [1.0] * 300, [float("nan")] * 50])
def test_what_has_no_levels_hops_nowhere(values: list[float]) -> None:
    assert hopping(values) is None
    assert level_changes(values) == []


def test_noise_and_single_spikes_hop_nowhere() -> None:
    for seed in range(10):
        values = steady(seed, 400)
        assert hopping(values) is None
        values[50::40] *= 1.3
        assert hopping(values) is None


def test_nights_without_a_value_are_passed_over() -> None:
    whole = np.concatenate([hops(5, 300, 8), steady(5, 60, NEVER_HAD)])
    holes = np.insert(whole, [10, 100, 320], np.nan)
    moved = [at + sum(place <= at for place in (10, 100, 320)) for at in level_changes(whole)]
    assert level_changes(holes) == moved


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 1000),
    scale=st.sampled_from([-3.0, 1e-9, 0.5, 1e12]),
    offset=st.sampled_from([0.0, 7.0]),
)
def test_the_unit_does_not_matter(seed: int, scale: float, offset: float) -> None:
    values = np.concatenate([hops(seed, 200, 10), steady(seed, 30, NEVER_HAD)])
    assert level_changes(values * scale + offset * abs(scale)) == level_changes(values)


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 1000), step=st.sampled_from([0.0, 0.5, 2.0]))
@example(seed=147, step=0.0)
@example(seed=28, step=2.0)
@example(seed=54, step=0.5)
def test_what_is_turned_over_is_told_the_same(seed: int, step: float) -> None:
    """Of whole numbers, too, where values stand right between two levels."""
    values = np.concatenate([hops(seed, 200, 10), steady(seed, 30, NEVER_HAD)])
    values = np.round(values / step) * step if step else values
    assert level_changes(-values) == level_changes(values)
    there, back = hopping(values), hopping(-values)
    assert (there is None) == (back is None)
    if there and back:
        assert back.levels == tuple(-level for level in reversed(there.levels))
        assert back.shares == tuple(reversed(there.shares))
        assert (back.since, back.until) == (there.since, there.until)


def test_many_are_answered_as_each_is() -> None:
    many = [hops(seed, 200, 10) for seed in range(5)] + [steady(seed, 200) for seed in range(5)]
    many.append(np.concatenate([steady(1, 198), steady(2, 2, NEVER_HAD)]))
    assert level_changes_of_each(many) == [level_changes(values) for values in many]
    assert level_changes(many[-1]) == [198]
