"""The interval of a night's median encloses it as often as it says."""

from __future__ import annotations

import random

import pytest

from iogate.model.night import RunFacts
from iogate.model.run import Host, Revision
from iogate.store.median import night_of

KEY = ("0" * 16, "write.iops")
FACTS = RunFacts("a", "demo", Host("h", "m"), Revision(), 1)


@pytest.mark.parametrize("count", [3, 5, 9, 20])
def test_the_median_is_enclosed_as_often_as_promised(count: int) -> None:
    chance = random.Random(count)
    held = 0
    for _ in range(4000):
        # Skewed on purpose: of an exponential with mean 1 the median is ln 2.
        night = night_of(FACTS, {KEY: [chance.expovariate(1) for _ in range(count)]})
        spread = night.spreads[KEY]
        held += spread.low <= 0.6931471805599453 <= spread.high
        assert spread.low <= night.values[KEY] <= spread.high
    assert held / 4000 == pytest.approx(spread.confidence, abs=0.025)


def test_one_repetition_has_no_interval() -> None:
    night = night_of(FACTS, {KEY: [5.0]})
    assert (night.values, night.spreads) == ({KEY: 5.0}, {})
