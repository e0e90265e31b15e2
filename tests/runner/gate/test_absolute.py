"""How many repetitions an absolute limit needs, and when one more may decide it."""

from __future__ import annotations

import pytest

from iogate.gate.absolute import can_decide, headroom, may_decide
from iogate.model.spec import Repetitions
from support import samples as s

OVER_100 = s.threshold(value=100.0)
WHILE_OPEN = Repetitions(3, 20)


@pytest.mark.parametrize(
    ("planned", "confidence", "can"),
    [
        (Repetitions(4, 4), None, False),
        (Repetitions(5, 5), None, True),  # by chance once in 32
        (Repetitions(5, 5), 0.99, False),
        (Repetitions(7, 7), 0.99, True),  # once in 128
        (Repetitions(2, 4), 0.5, False),  # looked at again and again, never with five
        (Repetitions(4, 4), 0.5, True),
    ],
)
def test_so_many_on_one_side_decide(
    planned: Repetitions, confidence: float | None, can: bool
) -> None:
    assert can_decide(s.threshold(confidence=confidence), planned) is can


@pytest.mark.parametrize(
    ("samples", "may"),
    [
        ((), False),
        ((50.0,), True),
        ((50.0,) * 3, True),
        ((50.0,) * 4, True),
        ((50.0,) * 12, False),
        ((150.0,) * 12, False),
        ((50.0, 150.0) * 6, True),
        ((50.0, 150.0) * 10, False),
    ],
)
def test_one_more_may_decide_while_it_is_open(samples: tuple[float, ...], may: bool) -> None:
    assert may_decide(samples, OVER_100, WHILE_OPEN) is may


def test_below_five_runs_one_more_may_whatever_confidence_is_asked_for() -> None:
    unsure = s.threshold(value=100.0, confidence=0.5)
    assert may_decide((50.0,) * 4, unsure, WHILE_OPEN)
    assert not may_decide((50.0,) * 6, unsure, WHILE_OPEN)


def test_headroom_is_in_standard_deviations_and_negative_past_the_limit() -> None:
    room = headroom((110.0, 120.0, 130.0), 120.0, OVER_100)
    assert room == pytest.approx(20 / 14.826, rel=1e-3)
    past = headroom((70.0, 80.0, 90.0), 80.0, OVER_100)
    assert past == pytest.approx(-20 / 14.826, rel=1e-3)
    assert headroom((110.0, 120.0), 115.0, OVER_100) is None
    assert headroom((120.0,) * 3, 120.0, OVER_100) is None
