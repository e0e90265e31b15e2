"""What was once said of a series: by asking for few nights the same as by asking for all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from iogate.stats.hopping import level_changes, level_changes_of_each
from iogate.stats.replay import NEAR, Earlier, find_places, said_earlier


def earlier_of(many: Sequence[Sequence[float]]) -> list[list[Earlier]]:
    now = level_changes_of_each(many)
    return said_earlier(many, now, find_places(many, now))


def replayed(values: Sequence[float]) -> set[int]:
    """Every place that any number of first nights put a change at, and all nights do not."""
    now = level_changes(values)
    places = {at for end in range(len(values)) for at in level_changes(values[:end])}
    return {at for at in places if all(abs(at - other) > NEAR for other in now)}


def excursion(seed: int) -> list[float]:
    """120 nights, some of them on another level."""
    rng = np.random.default_rng(seed)
    values = 1000 * (1 + 0.02 * rng.normal(size=120))
    start, nights = int(rng.integers(20, 90)), int(rng.integers(4, 16))
    values[start : start + nights] *= rng.choice([0.36, 0.8, 0.9, 1.1, 1.5])
    return [float(value) for value in values]


def test_what_any_night_said_is_among_what_was_said_earlier() -> None:
    many = [excursion(seed) for seed in range(60)]
    told = earlier_of(many)
    seen = missed = 0
    for values, earlier in zip(many, told, strict=True):
        for at in replayed(values):
            seen += 1
            missed += all(abs(at - each.at) > NEAR for each in earlier)
    assert seen >= 5
    assert missed <= seen // 20


def test_five_nights_are_said_with_when_they_were() -> None:
    values = [1000.0, 1010.0, 990.0] * 20 + [360.0, 364.0, 357.0, 362.0, 359.0]
    values += [990.0, 1000.0, 1010.0] * 10
    ((earlier,),) = earlier_of([values])
    assert earlier.at == 60
    assert 62 <= earlier.first <= 64
    assert earlier.first <= earlier.last < len(values)


def test_what_is_said_now_is_not_said_earlier() -> None:
    values = [1000.0, 1010.0, 990.0] * 20 + [800.0, 810.0, 790.0] * 20
    assert level_changes(values) == [60]
    assert earlier_of([values]) == [[]]


@pytest.mark.parametrize("values", [[], [1.0], [0.0] * 40, [5.0] * 8, [1e300, -1e300] * 30])
def test_any_series_has_an_answer(values: list[float]) -> None:
    (earlier,) = earlier_of([values])
    assert all(0 < each.at < each.last <= len(values) for each in earlier)


def test_quiet_series_are_hardly_asked_about() -> None:
    rng = np.random.default_rng(8)
    many = (1000 * (1 + 0.02 * rng.normal(size=(400, 150)))).tolist()
    assert sum(map(len, earlier_of(many))) <= 12
