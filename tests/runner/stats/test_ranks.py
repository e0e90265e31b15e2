from __future__ import annotations

from itertools import combinations
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.ranks import chance_above, least_chance

SAMPLE = st.lists(st.integers(0, 9), min_size=1, max_size=4)


def by_hand(above: list[int], below: list[int]) -> float:
    """Every way in which the ranks could have fallen."""
    wins = sum(a > b for a in above for b in below)
    ranks = range(len(above) + len(below))
    ways = list(combinations(ranks, len(above)))
    as_many = sum(sum(a > b for a in way for b in ranks if b not in way) >= wins for way in ways)
    return as_many / len(ways)


@given(SAMPLE, SAMPLE)
def test_it_counts_every_way(above: list[int], below: list[int]) -> None:
    assert chance_above(above, below) == pytest.approx(by_hand(above, below))


@pytest.mark.parametrize(("n", "m"), [(1, 1), (3, 12), (5, 100), (10, 200)])
def test_all_above_is_one_way(n: int, m: int) -> None:
    assert least_chance(n, m) * comb(n + m, n) == pytest.approx(1)


def test_many_values_are_close_to_what_few_would_say() -> None:
    below = list(range(0, 200, 2))
    ten = chance_above([150.0 + n for n in range(10)], below)
    eleven = chance_above([150.0 + n for n in range(11)], below)
    assert ten / 10 < eleven < ten
    assert chance_above([0.0] * 50, [1.0] * 50) == pytest.approx(1)
