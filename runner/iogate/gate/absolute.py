"""Absolute limits: counted runs against a limit, and how much room is left."""

from __future__ import annotations

import math
from dataclasses import replace

from iogate.model.spec import Repetitions, Threshold
from iogate.model.verdict import Interval, Outcome, ThresholdVerdict
from iogate.stats.robust import MAD_TO_SIGMA, mad
from iogate.stats.signtest import (
    LEAST_RUNS,
    LEVEL,
    level_of_looks,
    median_interval,
    runs_that_decide,
)

NOISE_SD = 2.0  # a limit this close to today's level is broken by noise alone, now and then
_LEAST_FOR_SPREAD = 3


def level_of(threshold: Threshold, planned: Repetitions) -> float:
    """The level that runs are counted at: that of the threshold, less where the case is
    repeated until it is decided, as each look may err."""
    level = _asked_level(threshold)
    if planned.min >= planned.max:
        return level
    return level_of_looks(max(planned.min, LEAST_RUNS), planned.max, level)


def _asked_level(threshold: Threshold) -> float:
    return LEVEL if threshold.confidence is None else 1 - threshold.confidence


def can_decide(threshold: Threshold, planned: Repetitions) -> bool:
    """Whether so many repetitions, all on one side, would decide an absolute limit that is
    counted: by chance they are there once in 2ⁿ."""
    looked_at = planned.min == planned.max or planned.max >= LEAST_RUNS
    return looked_at and 0.5**planned.max <= _asked_level(threshold)


def may_decide(samples: tuple[float, ...], threshold: Threshold, planned: Repetitions) -> bool:
    """Whether one more run may decide an absolute limit. Below five runs the median would, and
    would not be worth its name."""
    if not samples or len(samples) >= planned.max:
        return False
    outcome = _counted(samples, threshold, level_of(threshold, planned))
    return len(samples) < LEAST_RUNS or outcome is Outcome.INCONCLUSIVE


def judge_absolute(verdict: ThresholdVerdict, planned: Repetitions) -> ThresholdVerdict:
    """Fail when enough runs break the limit to exclude chance, pass when enough keep
    it, else inconclusive. Below five runs it is a *point* verdict, unless the threshold asks for
    a confidence. ``planned`` is how often the case was to be repeated."""
    threshold, value, n = verdict.threshold, verdict.value, len(verdict.samples)
    assert value is not None
    level = level_of(threshold, planned)
    point = n < LEAST_RUNS and threshold.confidence is None
    if point:
        outcome = _of_few(verdict.samples, value, threshold)
    else:
        outcome = _counted(verdict.samples, threshold, level)
    interval = None
    if n > 1:
        interval = Interval(*median_interval(verdict.samples, 1 - level))
    return replace(
        verdict,
        outcome=outcome,
        value_interval=interval,
        point=point,
        headroom=headroom(verdict.samples, value, threshold),
    )


def _of_few(samples: tuple[float, ...], middle: float, threshold: Threshold) -> Outcome:
    """The median breaks the limit, or every run keeps it. Where the median does and a run does
    not, so few vouch for nothing."""
    limit = threshold.limit
    if not limit.comparison.holds(middle, limit.value):
        return Outcome.FAIL
    kept = all(limit.comparison.holds(value, limit.value) for value in samples)
    return Outcome.PASS if kept else Outcome.INCONCLUSIVE


def _counted(samples: tuple[float, ...], threshold: Threshold, level: float) -> Outcome:
    needed = runs_that_decide(len(samples), level)
    limit = threshold.limit
    kept = sum(limit.comparison.holds(value, limit.value) for value in samples)
    if needed is None:
        return Outcome.INCONCLUSIVE
    if len(samples) - kept >= needed:
        return Outcome.FAIL
    return Outcome.PASS if kept >= needed else Outcome.INCONCLUSIVE


def headroom(samples: tuple[float, ...], value: float, threshold: Threshold) -> float | None:
    """How many standard deviations of a run lie between the median and the limit; negative
    past it. None below three runs, or where they do not spread."""
    if len(samples) < _LEAST_FOR_SPREAD:
        return None
    sd = MAD_TO_SIGMA * mad(samples)
    room = (threshold.limit.value - value) * threshold.limit.worse
    if not (sd > 0 and math.isfinite(sd) and math.isfinite(room)):
        return None
    return room / sd


def is_within_noise(verdict: ThresholdVerdict) -> bool:
    """Whether the limit lies so close to today's level that noise decides."""
    return verdict.headroom is not None and abs(verdict.headroom) < NOISE_SD
