from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iogate.stats.fdr import benjamini_hochberg

CHANCES = st.lists(st.floats(0, 1), max_size=30)


def test_the_example_of_the_paper() -> None:
    """Benjamini and Hochberg (1995), section 4.1: four of fifteen at 5 %."""
    given_there = [0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459,
                   0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0]  # fmt: skip
    assert benjamini_hochberg(given_there, 0.05) == [True] * 4 + [False] * 11


@given(CHANCES)
def test_more_extreme_is_found_first(chances: list[float]) -> None:
    found = benjamini_hochberg(chances, 0.05)
    kept = [p for p, is_found in zip(chances, found, strict=True) if is_found]
    assert all(p <= 0.05 for p in kept)
    assert all(f for p, f in zip(chances, found, strict=True) if kept and p < max(kept))


@pytest.mark.parametrize("shifted", [0, 5])
def test_few_findings_are_false(shifted: int) -> None:
    rng = np.random.default_rng(1)
    share = []
    for _ in range(400):
        chances = rng.uniform(size=40)
        chances[:shifted] /= 1000
        found = benjamini_hochberg(chances.tolist(), 0.05)
        share.append(sum(found[shifted:]) / max(sum(found), 1))
    assert float(np.mean(share)) < 0.07
