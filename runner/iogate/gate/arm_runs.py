"""A run of an arm in a block, which is one repetition, or all those of a boot.

The repetitions of a boot share what differs from boot to boot: they are not independent of each
other, and a verdict takes one value from them, their mean. What a kernel does in one repetition of
five is in it, as it is in one long repetition; a median would pass it. Means of counts are as
many times apart as their sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from iogate.metrics.base import Metric
from iogate.model.measurement import Measurement
from iogate.stats.nested import nested_sds


def values_of(run: Sequence[Measurement], judged: Metric) -> tuple[float, ...]:
    """What each repetition gave; empty where one of them gave no finite value: what is left of a
    boot is not what the boot gave."""
    values = (judged.extract(each) for each in run)
    known = tuple(value for value in values if value is not None and math.isfinite(value))
    return known if len(known) == len(run) else ()


def mean_of(values: Sequence[float]) -> float:
    """Of one value at least, however large."""
    return values[0] if len(values) == 1 else sum(value / len(values) for value in values)


def several(runs: Iterable[tuple[float, ...]]) -> tuple[tuple[float, ...], ...]:
    """The values of each run, where a run has several: nothing where they are the samples."""
    kept = tuple(runs)
    return kept if any(len(run) > 1 for run in kept) else ()


def sds_of(arms: Sequence[Sequence[tuple[float, ...]]]) -> tuple[float, float] | None:
    """By how much boots of an arm differ, and the repetitions of one, in logs; None where boots
    have one each, there are fewer than two, or a value has no logarithm."""
    if any(value <= 0 for arm in arms for run in arm for value in run):
        return None
    return nested_sds([[[math.log(value) for value in run] for run in arm] for arm in arms])
