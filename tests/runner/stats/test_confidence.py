"""How sure the interval of a limit is."""

from __future__ import annotations

import pytest

from iogate.stats.confidence import ALL_LOOKS_CONFIDENCE, limit_confidence


@pytest.mark.parametrize(
    ("limit", "confidence"),
    [
        (-0.5, 0.8),
        (-0.2, 0.8),
        (0.0, 0.8),
        (0.02, 0.8),
        (0.1, 0.8),
        (0.15, 0.77),
        (0.2, 0.74),
        (9.0, 0.74),
    ],
)
def test_only_wide_limits_of_an_increase_are_less_sure(limit: float, confidence: float) -> None:
    assert limit_confidence(limit) == confidence


def test_a_wider_limit_is_never_more_sure() -> None:
    sure = [limit_confidence(percent / 100) for percent in range(-99, 400)]
    assert sure == sorted(sure, reverse=True)
    assert sure[0] == ALL_LOOKS_CONFIDENCE
