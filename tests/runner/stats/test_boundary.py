"""The boundaries of comparisons of every length."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from iogate.stats.boundary import Boundary, Rules, boundary_for


@pytest.mark.parametrize("most_blocks", [1, 2, 3, 4])
def test_a_comparison_may_be_shorter_than_its_first_look(most_blocks: int) -> None:
    boundary = boundary_for(3, Rules(most_blocks=most_blocks))
    assert math.isfinite(boundary.fail_z(most_blocks))
    assert math.isfinite(boundary.visible_after(most_blocks, 0.01))


def bounds(boundary: Boundary, blocks: range) -> list[float]:
    return [boundary.fail_z(n) for n in blocks] + [boundary.limit_t(n, 4000) for n in blocks]


@given(st.floats(1, 60), st.integers(5, 40), st.integers(1, 3))
@settings(max_examples=15, deadline=None)
def test_blocks_that_are_added_change_no_bound_of_those_before(
    limits: float, most: int, stages: int
) -> None:
    first = boundary_for(limits, Rules(most_blocks=most * stages, stages=stages))
    more = boundary_for(limits, Rules(most_blocks=most * (stages + 1), stages=stages + 1))
    earlier = range(1, most * stages + 1)
    assert bounds(first, earlier) == pytest.approx(bounds(more, earlier), rel=1e-6)
    added = range(most * stages + 1, most * (stages + 1) + 1)
    assert all(map(math.isfinite, bounds(more, added)))


def test_what_all_added_blocks_err_by_is_no_more_than_the_reserve() -> None:
    rules = Rules(most_blocks=28 * 8, stages=8)
    boundary = boundary_for(4, rules)
    levels = [boundary.own_level(28 * stage) for stage in range(1, 9)]
    assert levels[0] == boundary.level
    assert levels[1:] == pytest.approx([boundary.level * 0.2 / 2**n for n in range(1, 8)])
    assert boundary.level_by(28) == boundary.level
    assert boundary.level_by(29) == pytest.approx(1.1 * boundary.level)
    assert 1.1 * boundary.level < boundary.level_by(28 * 8) < 1.2 * boundary.level
    assert boundary.confidence(28) == pytest.approx(0.80)
    assert boundary.confidence(56) == pytest.approx(0.75)
    assert boundary.confidence(28 * 8) > 0.70
    assert boundary.confidence(29, asked=0.96) == pytest.approx(0.95)


def test_no_family_errs_in_more_than_one_comparison_of_a_hundred_however_often_it_is_asked() -> (
    None
):
    for limits in (1, 4, 40, 400):
        boundary = boundary_for(limits, Rules(most_blocks=28 * 6, stages=6))
        assert limits * boundary.level_by(28 * 6) < 0.01


def test_a_walk_that_goes_on_crosses_as_often_as_the_stages_allow() -> None:
    """Known variance: stage by stage, where no bound was crossed before."""
    rules = Rules(
        family_level=0.05, tail_reserve=0, reserve=1.0, limit_level=0.1, limit_reserve=1.0,
        most_blocks=60, stages=3,
    )  # fmt: skip
    boundary = boundary_for(1, rules)
    looks = np.arange(rules.first_look, 61)
    walks = np.random.default_rng(1).normal(size=(40_000, 60)).cumsum(axis=1)
    z = walks[:, rules.first_look - 1 :] / np.sqrt(looks)
    for bound, level in ((boundary.fail_z, 0.05), (lambda n: boundary.limit_t(n, 4000), 0.1)):
        past = z > np.array([bound(int(n)) for n in looks])
        first = np.where(past.any(axis=1), looks[past.argmax(axis=1)], 99)
        shares = [((first > 20 * stage) & (first <= 20 * stage + 20)).mean() for stage in range(3)]
        assert shares == pytest.approx([level, level / 2, level / 4], abs=0.006)
