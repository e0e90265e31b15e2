"""By how much one sample lies above another."""

from __future__ import annotations

import math

import pytest

from iogate.stats.shift import MOST, relative_shift, shift

BEFORE, AFTER = [1.0, 2.5, 3.0, 4.5, 6.0], [11.0, 12.25, 13.0, 14.0, 16.5]


def test_the_shift_is_the_median_of_all_differences() -> None:
    differences = sorted(new - old for old in BEFORE for new in AFTER)
    assert shift(BEFORE, AFTER).estimate == differences[12]


def test_five_values_a_side_leave_out_two_differences_at_either_end() -> None:
    """The published critical value of the rank sum for 5 and 5 at 95 %."""
    differences = sorted(new - old for old in BEFORE for new in AFTER)
    moved = shift(BEFORE, AFTER)
    assert (moved.low, moved.high) == (differences[2], differences[-3])


def test_where_so_few_cannot_say_it_is_the_whole_range() -> None:
    moved = shift([1.0, 2.0], [5.0, 7.0])
    assert (moved.low, moved.high) == (3.0, 6.0)


def test_the_values_nearest_to_the_change_are_used() -> None:
    assert shift([-1e6, *[1.0] * MOST], [*[2.0] * MOST, 1e6]) == shift([1.0] * MOST, [2.0] * MOST)


def test_a_relative_shift_is_of_the_level_before() -> None:
    moved = relative_shift([100.0, 102.0, 98.0], [110.0, 112.2, 107.8])
    assert moved is not None
    assert moved.estimate == pytest.approx(0.1)
    assert moved.low < 0.1 < moved.high


@pytest.mark.parametrize("wrong", [0.0, -1.0])
def test_a_level_that_is_not_positive_has_no_relative_shift(wrong: float) -> None:
    assert relative_shift([1.0, wrong], [2.0]) is None
    assert relative_shift([1.0], [2.0, wrong]) is None


def test_a_shift_without_bounds_is_still_a_number() -> None:
    moved = relative_shift([1e-308], [1e308])
    assert moved is not None
    assert math.isfinite(moved.estimate)
