"""How long there was no night, and what is dated ahead."""

from __future__ import annotations

import pytest

from iogate.model.silence import days_ahead, silent_days, span

DAY_NS = 86_400 * 10**9


def nights(*days: int) -> list[int]:
    return [day * DAY_NS for day in days]


@pytest.mark.parametrize(
    ("days", "today", "silent"),
    [
        ((1, 2, 3), 6, 0),
        ((1, 2, 3), 7, 4),
        ((1, 8, 15), 36, 0),
        ((1, 8, 15), 37, 22),
        ((1, 2, 3, 48), 4, 0),
        ((1, 2, 3, 48), 9, 6),
        ((1,), 900, 0),
        ((), 900, 0),
    ],
)
def test_nights_are_missing_where_several_did_not_come(
    days: tuple[int, ...], today: int, silent: int
) -> None:
    assert silent_days(nights(*days), today * DAY_NS) == silent


def test_a_night_of_tomorrow_is_ahead_and_one_within_the_day_is_not() -> None:
    assert days_ahead(nights(1, 48), 3 * DAY_NS) == 45
    assert days_ahead([4 * DAY_NS - 1], 3 * DAY_NS) == 0
    assert days_ahead([], 3 * DAY_NS) == 0


def test_a_span_is_told_as_people_do() -> None:
    assert [span(days) for days in (1, 9, 59, 60, 330, 729, 730, 3660)] == [
        "1 day", "9 days", "59 days", "2 months", "11 months", "24 months", "2 years", "10 years",
    ]  # fmt: skip
