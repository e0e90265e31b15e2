"""Metrics that stand still."""

from __future__ import annotations

import pytest

from iogate.stats.still import is_still, worst_run


@pytest.mark.parametrize(
    ("runs", "found"),
    [
        ([[0, 0], [0, 0]], True),
        ([[0, 0], [1, 2]], True),
        ([[0, 3], [1, 2]], False),
        ([[0, 1], [0, 2], [3]], False),
        ([[50, 50], [51, 50]], True),
        ([[100, 100], [101, 99]], False),
        ([[7]], False),
    ],
)
def test_half_of_the_values_and_one_beyond_the_limit_make_it_still(
    runs: list[list[float]], found: bool
) -> None:
    assert is_still(runs, 0.015) is found
    assert is_still(runs, -0.015) is found


@pytest.mark.parametrize(
    ("levels", "found"),
    [
        ({"a": 1, "b": 3, "c": 2}, "b"),
        ({"a": 3, "b": 3, "c": 2}, None),
        ({"a": -1, "b": -2}, "a"),
        ({"a": 0}, "a"),
    ],
)
def test_the_worst_run_is_one_alone(levels: dict[str, float], found: str | None) -> None:
    assert worst_run(levels) == found
