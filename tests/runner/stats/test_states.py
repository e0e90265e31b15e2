"""Runs in one of two states: seen where they are, and what it takes to fail among them."""

from __future__ import annotations

import numpy as np
import pytest

from iogate.stats.boundary import boundary_for
from iogate.stats.paired import look
from iogate.stats.states import chance_of_signs, two_states


def drawn(seed: int, rows: int, blocks: int, apart: float) -> tuple[np.ndarray, np.ndarray]:
    """Two arms of runs that are each in one of two states, ``apart`` in logs."""
    rng = np.random.default_rng(seed)
    states = rng.random((2, rows, blocks)) < 0.5
    base, candidate = rng.normal(0, 0.003, (2, rows, blocks)) + states * apart
    return base, candidate


def test_tight_states_are_seen_and_normal_noise_is_not() -> None:
    assert two_states(*drawn(1, 500, 8, 0.06)).mean() > 0.98
    assert two_states(*drawn(2, 500, 8, 0.0)).mean() < 0.02
    assert not two_states(np.ones((1, 6)), np.ones((1, 6)))[0]


def test_signs_count_only_blocks_whose_arms_are_in_different_states() -> None:
    base = np.array([[0.0, 0.001, 0.06, 0.0, 0.061, 0.0, 0.0, 0.001]])
    candidate = np.array([[0.06, 0.061, 0.061, 0.06, 0.0, 0.0, 0.06, 0.06]])
    # Five blocks are worse, one is better, two are of one state.
    assert chance_of_signs(base, candidate)[0] == pytest.approx(7 / 64)


@pytest.mark.parametrize("limits", [4, 40])
def test_two_states_alone_do_not_fail_early(limits: int) -> None:
    """Past the boundary of Student's t, and far from what coins allow."""
    boundary = boundary_for(limits)
    fails = 0
    for blocks in (8, 12, 16):
        base, candidate = drawn(blocks, 20_000, blocks, 0.06)
        one_look = look(candidate - base, candidate + base, np.full(20_000, 0.0198), boundary)
        fails += int(one_look.fails.sum())
    assert fails / 20_000 < boundary.level


def test_a_step_that_the_signs_tell_fails_in_two_states_too() -> None:
    base, candidate = drawn(3, 1, 24, 0.06)
    slower = candidate + 0.10
    fails = look(slower - base, slower + base, np.array([0.0198]), boundary_for(4)).fails
    assert fails[0]
