"""How far runs go without a change, and how many it takes to know."""

from __future__ import annotations

import math

import numpy as np
import pytest

from iogate.stats.excursions import Excursions, excursions, furthest, reach, runs_needed


def test_the_runs_needed_follow_from_the_level() -> None:
    assert runs_needed(0.01) == 20
    assert runs_needed(0.05) == 5


@pytest.mark.parametrize("series", [1, 4, 40])
def test_with_so_many_runs_no_stay_in_a_state_misleads_more_often(series: int) -> None:
    """All series stayed in one of two equal states, and one leaves it in the run judged."""
    stays = range(2, 4000)
    before = runs_needed(0.01) - 1
    chances = [series / 2 / stay * (1 - 1 / stay) ** (series * before) for stay in stays]
    assert max(chances) <= 0.01


@pytest.mark.parametrize("series", [1, 4, 40])
def test_the_reach_holds_for_tails_of_students_t(series: int) -> None:
    runs, level = 20, 0.05
    rng = np.random.default_rng(3)
    drawn = rng.standard_t(3, (4000, series, runs + 1))
    old = np.abs(drawn[:, :, :-1]).max(axis=(1, 2))
    new = drawn[:, :, -1].max(axis=1)
    assert np.mean(new > reach(runs, level) * old) <= 1.3 * level


def test_a_reach_is_never_inside_of_what_was_there() -> None:
    assert reach(10_000, 0.01) == 1.0


def test_excursions_are_of_medians_in_logs() -> None:
    found = excursions([[1.0, 2.0, 3.0], *[[2.0, 2.0]] * 4, [4.0, 4.0]])
    assert found is not None
    assert found.centre == pytest.approx(math.log(2))
    assert found.furthest == pytest.approx(math.log(2))
    assert found.inside == 0  # the run of three differs most, and is left out
    assert excursions([[1.0], [0.0]]) is None


def test_others_count_by_what_their_repetitions_differ_by() -> None:
    own = Excursions(0, 0.01, 0.01)
    assert furthest(own, []) == 0.01
    assert furthest(own, [Excursions(0, 0.08, 0.04)]) == pytest.approx(0.02)
    assert furthest(own, [Excursions(0, 0.03, 0.04)]) == 0.01
    assert furthest(own, [Excursions(0, 0.08, 0.0)]) == 0.08
