"""Where a change may have been."""

from __future__ import annotations

import numpy as np
import pytest

from iogate.stats.changerange import MOST, ChangeRange, change_range


def stepped(seed: int, step: float, *, size: int = 40, at: int = 20) -> list[float]:
    noise = np.random.default_rng(seed).normal(100, 1, size)
    return [*noise[:at], *(noise[at:] + step)]


def test_a_step_without_noise_is_known_to_the_night() -> None:
    assert change_range([1.0] * 8 + [2.0] * 8, 8) == ChangeRange(8, 8, 8)
    assert change_range([1.0] * 8 + [2.0] * 8, 9) == ChangeRange(8, 8, 8)


def test_a_small_step_has_a_wider_range_than_a_large_one() -> None:
    small, large = (change_range(stepped(1, step), 20) for step in (1.5, 8.0))
    assert large.high - large.low == 0
    assert small.high - small.low >= 2


def test_the_range_holds_the_truth_about_as_often_as_it_says() -> None:
    held = 0
    for seed in range(300):
        where = change_range(stepped(seed, 2.0), 20, confidence=0.8)
        held += where.low <= 20 <= where.high
    assert 0.78 <= held / 300 <= 0.97


def test_the_best_is_where_the_squares_are_least() -> None:
    values = stepped(7, 2.5)
    squares = {
        i: float(np.var(values[:i]) * i + np.var(values[i:]) * (40 - i)) for i in range(2, 39)
    }
    assert change_range(values, 20).best == min(squares, key=lambda i: squares[i])


def test_it_stays_between_the_changes_beside_it() -> None:
    where = change_range(stepped(3, 0.8), 20, start=18, stop=23)
    assert 18 < where.low <= where.best <= where.high < 23


def test_one_bad_night_does_not_draw_the_index() -> None:
    values = stepped(2, 5.0)
    values[25] = 10_000.0
    assert change_range(values, 20).best == 20


@pytest.mark.parametrize("unit", [1e-200, 1.0, 1e200])
def test_the_size_of_the_numbers_is_no_obstacle(unit: float) -> None:
    values = [value * unit for value in stepped(4, 3.0)]
    assert change_range(values, 20) == change_range(stepped(4, 3.0), 20)


def test_nights_far_away_do_not_matter() -> None:
    near = stepped(5, 2.0, size=2 * MOST, at=MOST)
    far = change_range([*[0.0] * 50, *near, *[0.0] * 50], 50 + MOST)
    where = change_range(near, MOST)
    assert far == ChangeRange(where.low + 50, where.best + 50, where.high + 50)
