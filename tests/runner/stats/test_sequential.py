"""The boundary, the family and a look: what must hold whatever the numbers are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from iogate.stats.boundary import Rules, boundary_for
from iogate.stats.family import any_exceeds, effective_thresholds
from iogate.stats.paired import chance_of_worse, look, pooled_sd

Floats = NDArray[np.float64]


def normal(
    seed: int, rows: int, blocks: int, *, shift: float = 0.0, sd: float = 0.03
) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    base, candidate = rng.normal(0, sd, (2, rows, blocks))
    candidate = candidate + shift
    return candidate - base, candidate + base


def test_a_random_walk_crosses_as_often_as_the_level_allows() -> None:
    """Known variance: the walk itself, past either boundary."""
    rules = Rules(family_level=0.05, tail_reserve=0, limit_level=0.1)
    boundary = boundary_for(1, rules)
    looks = range(rules.first_look, rules.most_blocks + 1)
    walks = np.random.default_rng(1).normal(size=(40_000, rules.most_blocks)).cumsum(axis=1)
    z = walks[:, rules.first_look - 1 :] / np.sqrt(looks)
    at_all = np.array([boundary.fail_z(n) for n in looks])
    past_limit = np.array([boundary.limit_t(n, 4000) for n in looks])
    assert (z > at_all).any(axis=1).mean() == pytest.approx(0.05, abs=0.004)
    assert (z > past_limit).any(axis=1).mean() == pytest.approx(0.10, abs=0.006)


@pytest.mark.parametrize(
    ("thresholds", "constant"),
    [
        (1, 3.0273189940098377),
        (4, 3.5121897358794962),
        (10, 3.649791463782972),
        (40, 3.9310072762904054),
        (400, 4.503467585940961),
    ],
)
def test_the_boundary_of_28_blocks_is_the_one_whose_errors_were_measured(
    thresholds: int, constant: float
) -> None:
    assert boundary_for(thresholds).constant == pytest.approx(constant, rel=1e-6)


def test_a_long_walk_has_room_up_to_its_boundary() -> None:
    """40 thresholds are told apart at 49 sd of a block after 200 of them."""
    constants = [boundary_for(40, Rules(most_blocks=n)).constant for n in (60, 200)]
    assert constants[0] < constants[1] < constants[0] + 0.1


@given(st.floats(1, 500))
@settings(max_examples=20, deadline=None)
def test_more_thresholds_need_stronger_evidence(thresholds: float) -> None:
    one, many = boundary_for(thresholds), boundary_for(thresholds * 2)
    assert many.level < one.level
    assert many.first_fail >= one.first_fail
    assert many.fail_z(28) >= one.fail_z(28) - 0.2
    assert one.fail_z(10) >= one.fail_z(20)
    assert math.isinf(one.fail_z(one.first_fail - 1))


def test_two_state_noise_cannot_fail_at_once() -> None:
    """4⁻ⁿ is the chance that every block has one arm in either state."""
    for thresholds in (1, 4, 40, 400):
        boundary = boundary_for(thresholds)
        assert 4.0**-boundary.first_fail <= boundary.level / 2


def test_arms_in_two_states_have_their_chance_however_far_apart_they_are() -> None:
    blocks = 6
    apart = np.full((1, blocks), 0.5) + np.random.default_rng(0).normal(0, 1e-4, (1, blocks))
    assert 4.0**-blocks <= chance_of_worse(apart, apart)[0] < 1.1 * 4.0**-blocks


def test_copies_of_one_threshold_count_once_and_independent_ones_in_full() -> None:
    one, _ = normal(3, 1, 16)
    assert effective_thresholds(np.repeat(one, 30, axis=0), seed=0) == pytest.approx(1, abs=0.3)
    many, _ = normal(4, 30, 16)
    assert effective_thresholds(many, seed=0) > 24


def test_what_moves_together_is_worth_little_though_it_moved_far() -> None:
    """Flips take the shift away: only the dependence counts."""
    common, own = (np.random.default_rng(seed).normal(size=(12, 28)) for seed in (1, 2))
    rows = np.sqrt(0.95) * common[:1] + np.sqrt(0.05) * own
    assert effective_thresholds(rows, seed=1) < 6
    assert effective_thresholds(rows + 3, seed=1) < 3


def test_the_effective_number_is_seeded_and_bounded() -> None:
    data, _ = normal(5, 12, 10)
    data[6:] = data[:6] + np.random.default_rng(0).normal(0, 0.01, (6, 10))
    found = effective_thresholds(data, seed=7)
    assert found == effective_thresholds(data, seed=7)
    assert 1 <= found <= 12
    assert effective_thresholds(data[:, :5], seed=7) == 12
    assert effective_thresholds(np.zeros((4, 12)), seed=7) == 1
    data[0, 0] = math.inf
    assert math.isfinite(effective_thresholds(data, seed=7))


def test_correlation_lowers_the_chance_of_any() -> None:
    chances = [any_exceeds(20, rho, 3.0) for rho in (0, 0.3, 0.6, 0.9, 1)]
    assert chances == sorted(chances, reverse=True)
    assert chances[0] == pytest.approx(1 - (1 - 0.0013499) ** 20, rel=1e-3)
    assert chances[-1] == pytest.approx(0.00135, rel=0.1)


def test_a_large_shift_fails_and_none_settles() -> None:
    limits = np.full(6, math.log(1.02))
    differences, sums = normal(1, 6, 12, shift=0.2)
    assert look(differences, sums, limits, boundary_for(6)).fails.all()
    differences, sums = normal(2, 6, 28)
    found = look(differences, sums, limits, boundary_for(6))
    assert not found.fails.any()
    assert found.settled.all()


def test_a_shift_within_its_limit_does_not_fail() -> None:
    differences, sums = normal(1, 4, 28, shift=0.05, sd=0.002)
    found = look(differences, sums, np.full(4, math.log(1.10)), boundary_for(4))
    assert not found.fails.any()
    assert found.settled.all()


@given(st.integers(0, 1000), st.integers(4, 28), st.floats(-0.2, 0.2))
@settings(max_examples=50, deadline=None)
def test_never_both(seed: int, blocks: int, shift: float) -> None:
    differences, sums = normal(seed, 5, blocks, shift=shift)
    found = look(differences, sums, np.full(5, 0.02), boundary_for(5))
    assert not (found.fails & found.settled).any()
    if blocks < boundary_for(5).first_fail:
        assert not found.fails.any()


def test_an_arm_that_varies_alone_has_half_of_the_degrees_of_freedom() -> None:
    """The same change and the same variance: two arms that vary tell more than one does."""
    steps = np.linspace(-1, 1, 11)
    waves = np.linalg.qr(np.column_stack((np.ones(11), steps, steps**2)))[0]
    first, second = waves[:, 1], waves[:, 2]
    shift = 0.5
    both = second + shift - first, second + shift + first
    alone = first * math.sqrt(2) + shift, first * math.sqrt(2) + shift
    differences, sums = np.array([both[0], alone[0]]), np.array([both[1], alone[1]])
    t = shift / (pooled_sd(differences, sums) / math.sqrt(11))
    assert t[0] == pytest.approx(t[1])
    seen = look(differences, sums, np.full(2, 0.01), boundary_for(1))
    assert seen.fails.tolist() == [True, False]


def test_runs_that_differ_too_much_for_the_limit_are_given_up() -> None:
    differences, sums = normal(1, 2, 28, sd=0.5)
    told = look(differences, sums, np.array([0.02, 10.0]), boundary_for(2))
    assert told.settled.tolist() == [False, True]
    assert told.gives_up.tolist() == [True, False]


def test_equal_runs_settle_and_an_exact_shift_fails() -> None:
    limits = np.array([0.02])
    same = look(np.zeros((1, 6)), np.ones((1, 6)), limits, boundary_for(1))
    assert same.settled[0]
    moved = look(np.full((1, 6), 0.05), np.ones((1, 6)), limits, boundary_for(1))
    assert moved.fails[0]


def test_what_alternates_from_run_to_run_is_not_averaged_away() -> None:
    differences = np.array([[0.1, -0.1, 0.1, -0.1, 0.12, -0.11]])
    alone = float(differences.std(ddof=1))
    assert pooled_sd(differences, np.ones((1, 6)))[0] ** 2 == pytest.approx(0.7 * alone**2)
