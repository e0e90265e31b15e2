"""How far a candidate is from its baseline: the door between the gate and the statistics."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from iogate.stats.bootstrap import ratio_interval
from iogate.stats.robust import median


@dataclass(frozen=True, slots=True)
class Change:
    """A relative change (0.1 = +10 %) and its interval; None, with ``why`` in words, where
    the numbers allow none. From zero to anything above it the change is infinite."""

    estimate: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""


def relative_change(
    candidate: Sequence[float],
    baseline_runs: Sequence[Sequence[float]],
    *,
    confidence: float,
    seed: int = 0,
) -> Change:
    """Median against median, both of at least one finite value, with a bootstrap interval."""
    flat = [value for run in baseline_runs for value in run]
    if min(*candidate, *flat) < 0:
        return Change(None, why="a negative number has no relative change")
    estimate = _ratio(median(candidate), median(flat)) - 1
    if len(candidate) < 2:
        return Change(estimate, why="one repetition says nothing about its own noise")
    low, high = ratio_interval(candidate, baseline_runs, confidence=confidence, seed=seed)
    return Change(estimate, low - 1, high - 1)


def _ratio(above: float, below: float) -> float:
    if below:
        return above / below
    return math.inf if above else 1.0
