"""The reasons of a change that is no fail, in words that do not contradict themselves."""

from __future__ import annotations

import pytest

from iogate.gate.doubts import Chance, Family, chance_words, reach_words
from iogate.model.spec import Level


@pytest.mark.parametrize(
    ("value", "own", "seen", "needed"),
    [
        (0.01, 0.025, "1 %", "0.6 %"),
        (0.00604, 0.025, "0.604 %", "0.6 %"),
        (0.00600000001, 0.025, "0.600000001 %", "0.6 %"),
        (0.0051, 0.00505, "0.51 %", "0.505 %"),
        (0.3, 0.005, "30 %", "0.5 %"),
    ],
)
def test_what_is_seen_and_what_is_needed_never_read_alike(
    value: float, own: float, seen: str, needed: str
) -> None:
    said = chance_words(Chance(value, "ranks"), own, Family(Level.FAIL, 4, 0.006))
    assert f"so bad in {seen} of runs" in said
    assert f"a fail needs {needed} or less" in said


def test_a_reach_and_the_one_that_is_needed_do_not_either() -> None:
    assert "it is 1.4996 times" in reach_words(1.4996, 1.5)
    assert "it is 1.2 times" in reach_words(1.2, 1.5)
