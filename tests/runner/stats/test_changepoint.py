"""Change points: steps are found and soon, noise, spikes and drift are not, nothing crashes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from iogate.stats.changepoint import RULE, Rule, change_points, change_points_of_each

Floats = NDArray[np.float64]
Noise = Callable[[np.random.Generator, int], Floats]

MARGIN = 5
SERIES = 250
ANY_FLOATS = st.lists(st.floats(allow_nan=True, allow_infinity=True), max_size=120)
SMALL_NUMBERS = st.lists(st.integers(-3, 3), max_size=150)


def normal(rng: np.random.Generator, size: int) -> Floats:
    return rng.normal(size=size)


def heavy(rng: np.random.Generator, size: int) -> Floats:
    return rng.standard_t(3, size=size)


def outliers(rng: np.random.Generator, size: int) -> Floats:
    return rng.normal(size=size) + 10 * (rng.random(size) < 0.03)


def bimodal(rng: np.random.Generator, size: int) -> Floats:
    return rng.normal(size=size) + 4 * (rng.random(size) < 0.3)


def autoregressive(rng: np.random.Generator, size: int, rho: float = 0.3) -> Floats:
    values = rng.normal(size=size + 50)
    for i in range(1, len(values)):
        values[i] += rho * values[i - 1]
    return values[50:]


def drift(rng: np.random.Generator, size: int) -> Floats:
    return rng.normal(size=size) + np.arange(size) * 4 / 300


def wave(rng: np.random.Generator, size: int) -> Floats:
    return rng.normal(size=size) + 0.5 * np.sin(np.arange(size) * math.tau / 150)


def stepped(seed: int, at: int, size: int, step: float, noise: float = 3.0) -> Floats:
    """`size` nights around 100 that move by `step` at `at`."""
    values = 100 + noise * np.random.default_rng(seed).normal(size=size)
    values[at:] += step
    return values


def found_near(values: Floats, at: int) -> bool:
    return any(abs(found - at) <= MARGIN for found in change_points(values))


def quiet_nights(seed: int = 3, size: int = 200) -> Floats:
    return 100 + np.random.default_rng(seed).normal(size=size)


def rounds(noise: Noise, size: int) -> Iterator[Floats]:
    rng = np.random.default_rng(20)
    return (100 + 3 * noise(rng, size) for _ in range(SERIES))


@pytest.mark.parametrize("step", [15.0, -15.0, 40.0])
@pytest.mark.parametrize("at", [20, 100, 170])
def test_a_clear_step_is_the_only_change(step: float, at: int) -> None:
    for seed in range(10):
        found = change_points(stepped(seed, at, 200, step))
        assert len(found) == 1
        assert abs(found[0] - at) <= 2


def test_two_levels_without_noise_change_where_they_do() -> None:
    assert change_points([7.0] * 30 + [8.0] * 30) == [30]
    assert change_points([7.0] * 30 + [8.0] * 30 + [6.5] * 25) == [30, 60]


def test_every_turn_of_a_level_that_comes_and_goes_is_found() -> None:
    levels = np.repeat([0.0, 12.0, 0.0, -9.0, 3.0], 40)
    found = change_points(quiet_nights() + levels)
    assert len(found) == 4
    assert all(abs(i - at) <= 1 for i, at in zip(found, (40, 80, 120, 160), strict=True))


def test_two_turns_as_strong_as_each_other_and_too_close_are_one() -> None:
    there_and_back = [0.0] * 30 + [1.0] * 12 + [0.0] * 30
    assert change_points(there_and_back) == [30, 42]
    assert change_points(there_and_back, Rule(spacing=14)) == [30]


@pytest.mark.parametrize(
    ("step", "nights", "share"), [(10.0, 8, 0.85), (8.0, 12, 0.8), (5.0, 20, 0.5), (5.0, 40, 0.65)]
)
def test_a_step_at_three_percent_noise_is_found_soon(
    step: float, nights: int, share: float
) -> None:
    hits = [found_near(stepped(seed, 100, 100 + nights, step), 100) for seed in range(100)]
    assert np.mean(hits) >= share


def test_a_large_step_is_reported_within_five_nights_and_stays() -> None:
    values = stepped(1, 60, 110, 20.0)
    for nights in range(5, 50):
        assert found_near(values[: 60 + nights], 60), nights


def test_five_nights_are_doubted_less_where_none_fell_back() -> None:
    """A step of 8 % at 3 % noise; the night that fell back is the second of the five."""
    reached, fell_back = [], []
    for seed in range(200):
        values = stepped(seed, 100, 105, 8.0)
        reached.append(found_near(values, 100))
        values[101] -= 8.0
        fell_back.append(found_near(values, 100))
    assert np.mean(reached) >= 0.7
    assert np.mean(fell_back) <= 0.4


def test_too_few_new_nights_are_no_change() -> None:
    values = stepped(1, 60, 63, 60.0)
    assert change_points(values) == []


@pytest.mark.parametrize("size", [40, 100, 300])
@pytest.mark.parametrize("noise", [normal, heavy, outliers, bimodal, autoregressive, drift, wave])
def test_noise_and_drift_are_quiet(noise: Noise, size: int) -> None:
    alarmed = [bool(change_points(values)) for values in rounds(noise, size)]
    assert np.mean(alarmed) <= 0.02


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("height", [5.0, -30.0, 1e6])
def test_a_spike_is_no_change_wherever_it_is(width: int, height: float) -> None:
    for at in range(5, 200 - width, 13):
        values = quiet_nights()
        values[at : at + width] += height
        assert change_points(values) == []
    values = quiet_nights()
    values[-width:] += height
    assert change_points(values) == []


def test_a_spike_does_not_hide_a_step() -> None:
    for height in (50.0, 1e3, 1e6):
        values = stepped(4, 100, 200, 15.0)
        values[40] += height
        assert len(change_points(values)) == 1
        assert found_near(values, 100)


def test_a_ramp_as_high_as_a_step_is_not_a_step() -> None:
    ramp = quiet_nights(size=200) + np.linspace(0, 8, 200)
    step = quiet_nights(size=200) + 8 * (np.arange(200) >= 100)
    assert change_points(ramp) == []
    assert found_near(step, 100)


def test_a_steep_ramp_over_months_is_mostly_left_alone() -> None:
    ramp = 36 * np.clip((np.arange(300) - 75) / 150, 0, 1)
    alarmed = [bool(change_points(stepped(seed, 0, 300, 0.0) + ramp)) for seed in range(200)]
    assert np.mean(alarmed) <= 0.2


def test_nights_that_resemble_each_other_seldom_alarm() -> None:
    rng = np.random.default_rng(7)
    alarmed = [bool(change_points(autoregressive(rng, 300, rho=0.5))) for _ in range(SERIES)]
    assert np.mean(alarmed) <= 0.04


@pytest.mark.parametrize(("step", "nights", "share"), [(6.0, 5, 0.35), (4.0, 8, 0.25)])
def test_a_moderate_step_waits_for_more_nights(step: float, nights: int, share: float) -> None:
    alarmed = [bool(change_points(stepped(seed, 100, 100 + nights, step))) for seed in range(200)]
    assert np.mean(alarmed) <= share


def test_nights_without_a_value_are_passed_over() -> None:
    whole = stepped(5, 60, 120, 15.0)
    [at] = change_points(whole)
    gappy = np.insert(whole, [10, 30, 90], [math.nan, math.inf, -math.inf])
    assert change_points(gappy) == [at + 2]


@pytest.mark.parametrize("size", range(RULE.before + RULE.after + 3))
def test_a_short_or_constant_series_has_no_change(size: int) -> None:
    assert change_points([4.2] * size) == []
    assert change_points([0.0] * 10 * size) == []
    assert change_points(list(range(min(size, RULE.before + RULE.after - 1)))) == []


@pytest.mark.parametrize(
    "values",
    [
        [1.0] * 30 + [2.0] + [1.0] * 30,
        [0.0] * 40 + [1e-310] * 3 + [1.0] + [0.0] * 40,
        [1e308, -1e308] * 20,
        [0, 1] * 50,
        list(range(100)),
    ],
)
def test_series_without_noise_or_unit_have_no_change(values: list[float]) -> None:
    assert change_points(values) == []


@pytest.mark.parametrize("top", [1e-300, 1.0, 1e308])
def test_the_size_of_the_numbers_is_no_obstacle(top: float) -> None:
    assert change_points([top] * 30 + [-top] * 30) == [30]


@given(ANY_FLOATS)
def test_any_floats_give_indices_of_numbers(values: list[float]) -> None:
    found = change_points(values)
    assert all(math.isfinite(values[i]) for i in found)
    check_shape(found, len(values))


@given(st.lists(st.one_of(ANY_FLOATS, SMALL_NUMBERS), max_size=12))
def test_many_series_of_any_numbers_are_told_as_one_by_one(many: list[list[float]]) -> None:
    assert change_points_of_each(many) == [change_points(values) for values in many]


def test_many_series_of_some_lengths_are_told_as_one_by_one() -> None:
    kinds = normal, heavy, outliers, bimodal, autoregressive, drift, wave
    rng = np.random.default_rng(7)
    many = [kinds[k % len(kinds)](rng, (40, 120, 300)[k % 3]) for k in range(200)]
    many += [stepped(seed, 60, 120, 10.0) for seed in range(50)]
    many += [
        np.full(120, 3.0),
        np.repeat([3.0, 4.0], 60),
        np.where(normal(rng, 120) > 2, np.nan, 1.0),
    ]
    alone = [change_points(values) for values in many]
    assert change_points_of_each(many) == alone
    assert 50 < sum(map(bool, alone)) < 150


@given(SMALL_NUMBERS)
def test_ties_give_ascending_indices_well_apart(values: list[int]) -> None:
    check_shape(change_points([float(v) for v in values]), len(values))


def check_shape(found: list[int], size: int) -> None:
    assert all(type(i) is int for i in found)
    assert all(RULE.before <= i <= size - RULE.after for i in found)
    assert all(b - a > RULE.spacing for a, b in pairwise(found))


@given(
    seed=st.integers(0, 10_000),
    step=st.floats(-30, 30),
    scale=st.floats(1e-6, 1e6),
    shift=st.floats(-1e3, 1e3),
    sign=st.sampled_from([1.0, -1.0]),
)
def test_unit_offset_and_direction_do_not_matter(
    seed: int, step: float, scale: float, shift: float, sign: float
) -> None:
    values = stepped(seed, 90, 150, step)
    assert change_points(sign * scale * (values + shift)) == change_points(values)


def test_lists_and_arrays_give_the_same_and_are_left_alone() -> None:
    values = stepped(6, 70, 140, 20.0)
    before = values.copy()
    assert change_points(values.tolist()) == change_points(values) != []
    assert np.array_equal(values, before)


def test_a_stricter_rule_finds_no_more() -> None:
    strict = Rule(threshold=4.0, clear=6.0)
    for seed in range(20):
        values = stepped(seed, 80, 160, 6.0)
        assert set(change_points(values, strict)) <= set(change_points(values))
