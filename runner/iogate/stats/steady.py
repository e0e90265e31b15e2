"""Whether a rate has become steady, by fio's rules: ``iops:2%`` is a largest deviation from
the mean of the window, ``iops_slope:0.3%`` the slope of the least-squares line through it, per
second; with ``%`` as a share of the mean. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

_LEAST_SAMPLES = 3


@dataclass(frozen=True, slots=True)
class SteadyRule:
    """``of`` is iops or bw; ``limit`` is in its unit, or percent where ``relative``."""

    of: str
    slope: bool
    limit: float
    relative: bool


def parse_rule(text: str) -> SteadyRule:
    """``iops_slope:0.3%``; ValueError for anything else."""
    what, _, limit = text.partition(":")
    of = what.removesuffix("_slope")
    if of not in ("iops", "bw"):
        raise ValueError(f"{text!r} is no rule for a steady state")
    return SteadyRule(of, of != what, float(limit.removesuffix("%")), limit.endswith("%"))


def unsteadiness(window: Sequence[tuple[float, float]], rule: SteadyRule) -> float:
    """How far from steady a window of (time in seconds, rate) is, in the unit of the rule's
    limit; infinite for one that is too short to tell, or in which nothing moves."""
    if len(window) < _LEAST_SAMPLES:
        return float("inf")
    import numpy as np

    times, values = np.asarray(window, dtype=float).T
    mean = float(values.mean())
    if mean <= 0:
        return float("inf")
    if rule.slope:
        spread = times - times.mean()
        found = abs(float(spread @ values) / float(spread @ spread))
    else:
        found = float(np.abs(values - mean).max())
    return 100 * found / mean if rule.relative else found
