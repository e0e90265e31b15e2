"""The two measured ends, and on which side of the middle between them a revision is.

What is held against the middle is one repetition at a time, so that nothing is assumed of the
noise: a repetition of a good revision is on the bad side with a probability below a tenth, as
the ends themselves show. Three more on one side than on the other then decide with an error of
at most STEP_ERROR (Wald's sequential test of 0.1 against 0.9); what is as close as that never
gets is left undecided.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from iogate.metrics import Metric
from iogate.stats.ranks import chance_above
from iogate.stats.robust import mad, median

LEAD = 3  # repetitions more on one side than on the other
_WRONG_SIDE = 0.1
STEP_ERROR = 1 / (1 + ((1 - _WRONG_SIDE) / _WRONG_SIDE) ** LEAD)  # 1 in 730
END_REPETITIONS = 5  # of each end: all apart by chance is 1 in 252
END_ROUNDS = 4  # of so many repetitions, while the ends may differ but are not apart
_MAY_DIFFER = 0.1  # the chance of as much without any difference, above which it is given up
_WRONG_SHARE = 10  # one in so many repetitions of an end may be on the wrong side


class Side(StrEnum):
    """What a revision is."""

    GOOD = "good"
    BAD = "bad"
    UNCLEAR = "cannot tell"


@dataclass(frozen=True, slots=True)
class Key:
    """What is looked at: a metric of a case, by name, as its id may change with the revision."""

    case: str
    metric: str


@dataclass(frozen=True, slots=True)
class Ends:
    """The metric that tells the ends apart, their levels (medians, in its base unit), and
    the middle between them."""

    key: Key
    metric: Metric
    good: float
    bad: float
    middle: float

    def side(self, values: Sequence[float]) -> Side:
        """Which side the repetitions are on, UNCLEAR as long as none leads by LEAD."""
        worse = [value for value in values if value != self.middle]
        lead = sum(1 if self._is_bad(value) else -1 for value in worse)
        if abs(lead) < LEAD:
            return Side.UNCLEAR
        return Side.BAD if lead > 0 else Side.GOOD

    def _is_bad(self, value: float) -> bool:
        return (value > self.middle) == (self.bad > self.middle)


def find_ends(
    metrics: Iterable[tuple[Key, Metric]],
    good: Mapping[Key, Sequence[float]],
    bad: Mapping[Key, Sequence[float]],
) -> Ends | None:
    """The metric that tells the measured ends apart best; None when none does, or none in
    the direction in which it gets worse."""
    candidates = [
        (_clearness(good[key], bad[key]), ends)
        for key, metric in metrics
        if good.get(key) and bad.get(key)
        for ends in [_ends(key, metric, good[key], bad[key])]
        if _are_apart(ends, good[key], bad[key])
    ]
    return max(candidates, key=lambda item: item[0])[1] if candidates else None


def may_differ(
    metrics: Iterable[tuple[Key, Metric]],
    good: Mapping[Key, Sequence[float]],
    bad: Mapping[Key, Sequence[float]],
) -> bool:
    """Whether more repetitions may tell the ends apart: a metric is worse at the bad end, by
    more than chance explains easily."""
    for key, metric in metrics:
        if good.get(key) and bad.get(key):
            before, after = (
                [metric.better.worse * value for value in end[key]] for end in (good, bad)
            )
            if chance_above(after, before) <= _MAY_DIFFER:
                return True
    return False


def _ends(key: Key, metric: Metric, good: Sequence[float], bad: Sequence[float]) -> Ends:
    low, high = median(good), median(bad)
    middle = math.sqrt(low) * math.sqrt(high) if min(low, high) > 0 else low / 2 + high / 2
    return Ends(key, metric, low, high, middle)


def _are_apart(ends: Ends, good: Sequence[float], bad: Sequence[float]) -> bool:
    worse = (ends.bad - ends.good) * ends.metric.better.worse
    if not worse > 0 or not ends.bad != ends.middle != ends.good:
        return False
    wrong = sum(value == ends.middle or ends.side([value] * LEAD) is Side.BAD for value in good)
    wrong_bad = sum(value == ends.middle or ends.side([value] * LEAD) is Side.GOOD for value in bad)
    return wrong <= len(good) // _WRONG_SHARE and wrong_bad <= len(bad) // _WRONG_SHARE


def _clearness(good: Sequence[float], bad: Sequence[float]) -> float:
    """The step in units of the noise of both ends."""
    step = abs(median(bad) - median(good))
    noise = mad(good) + mad(bad)
    return step / noise if noise > 0 else math.inf
