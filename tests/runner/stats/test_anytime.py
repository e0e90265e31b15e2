"""Evidence that holds at any look."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from iogate.stats.anytime import evidence

Floats = NDArray[np.float64]
SIZES = st.lists(st.floats(0, 1e3), min_size=1, max_size=8)


@given(SIZES)
@settings(deadline=None)
def test_over_all_orders_of_the_arms_it_is_one_on_average(sizes: list[float]) -> None:
    """Which is all that the coins can do where the arms do not differ, whatever was measured."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(sizes))))
    found = evidence(signs * np.array(sizes))
    assert found.mean(axis=0) == pytest.approx(np.ones(len(sizes)))
    assert (found >= 0).all()


@given(SIZES, st.floats(1e-3, 1e3))
def test_it_knows_no_unit_and_falls_where_the_candidate_is_better(
    sizes: list[float], times: float
) -> None:
    differences = np.array([sizes]) + 1.0
    assert evidence(differences * times) == pytest.approx(evidence(differences))
    assert (np.diff(evidence(-differences)) <= 1e-12).all()
    assert (evidence(-differences) < 1).all()
    assert (evidence(differences) > 1).all()


def test_what_was_said_is_not_changed_by_later_pairs() -> None:
    differences = np.random.default_rng(1).normal(0.1, 1, (3, 20))
    assert evidence(differences)[:, :7] == pytest.approx(evidence(differences[:, :7]))


def test_a_pair_without_a_difference_says_nothing() -> None:
    differences = np.array([[1.0, np.nan, np.inf, 0.0, 1.0]])
    found = evidence(differences)[0]
    assert found[1:4] == pytest.approx([found[0]] * 3)
    assert np.isfinite(found).all()


def drifting(rng: np.random.Generator, comparisons: int, pairs: int) -> Floats:
    """Runs get slower, those that are second in a block more and more; d of each pair."""
    runs = rng.normal(0, 0.01, (comparisons, pairs, 4)) + np.linspace(0, 0.2, 4 * pairs).reshape(
        pairs, 4
    )
    runs[:, :, 1::2] += np.linspace(0, 0.1, pairs)[:, None]
    coins = np.where(rng.random((comparisons, pairs)) < 0.5, 1.0, -1.0)
    return np.asarray(coins * (runs[..., 1] - runs[..., 0] + runs[..., 2] - runs[..., 3]) / 2)


def test_one_clean_comparison_of_a_hundred_ever_reaches_a_hundred() -> None:
    rng = np.random.default_rng(1)
    for clean in (rng.normal(size=(20_000, 40)), rng.standard_cauchy((20_000, 40)),
                  drifting(rng, 20_000, 40)):  # fmt: skip
        assert (evidence(clean).max(axis=1) >= 100).mean() <= 0.01
        assert (evidence(clean).max(axis=1) >= 10).mean() <= 0.10


def test_a_regression_is_seen_if_later_than_by_the_boundary() -> None:
    worse = np.random.default_rng(1).normal(0.05, 0.03, (2_000, 14))
    assert (evidence(worse).max(axis=1) >= 100).mean() > 0.85
