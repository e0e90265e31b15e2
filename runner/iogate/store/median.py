"""The median and its interval, where there are very many small samples."""

from __future__ import annotations

from collections.abc import Mapping

from iogate.model.night import Night, RunFacts, Spread
from iogate.stats.confidence import USUAL_CONFIDENCE
from iogate.stats.robust import middle
from iogate.stats.signtest import ranks_around_median


def night_of(facts: RunFacts, samples: Mapping[tuple[str, str], list[float]]) -> Night:
    """The night of finite samples, one value a repetition. Sorts them."""
    values = {key: f[0] if len(f) == 1 else median(f) for key, f in samples.items()}
    spreads = {
        key: _spread(samples_of_key)
        for key, samples_of_key in samples.items()
        if len(samples_of_key) > 1
    }
    return Night(facts, values, spreads)


def median(values: list[float]) -> float:
    """As ``stats.robust.median``, of finite values, at a fraction of its price. Sorts them."""
    values.sort()
    return middle(values)


def _spread(ordered: list[float]) -> Spread:
    count = len(ordered)
    rank, confidence = ranks_around_median(count, USUAL_CONFIDENCE)
    return Spread(ordered[rank], ordered[count - 1 - rank], confidence, count)
