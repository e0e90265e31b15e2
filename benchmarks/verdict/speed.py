"""How long the verdict on many thresholds takes, from numbers to decisions."""

from __future__ import annotations

import time

import numpy as np

from iogate.stats.boundary import boundary_for
from iogate.stats.family import effective_thresholds
from iogate.stats.hodges_lehmann import estimate_with_interval
from iogate.stats.paired import look

CASES, METRICS, BLOCKS, FLIPS = 200, 8, 20, 10_000
PROMISED_S = 1.0


def gate_seconds(rounds: int = 5) -> float:
    """Median time of 200 cases × 8 metrics × 20 blocks with 10,000 sign flips."""
    rng = np.random.default_rng(0)
    took = []
    for number in range(rounds):
        shape = (CASES * METRICS, BLOCKS)
        candidate, base = rng.normal(0, 0.03, shape), rng.normal(0, 0.03, shape)
        began = time.perf_counter()
        differences, sums = candidate - base, candidate + base
        family = effective_thresholds(differences, seed=number, flips=FLIPS)
        look(differences, sums, np.full(len(sums), 0.02), boundary_for(family))
        estimate_with_interval(differences, 0.95)
        took.append(time.perf_counter() - began)
    return float(np.median(took))


def lines() -> list[str]:
    """Rows of the table: what, how long, the promise."""
    seconds = gate_seconds()
    held = "holds" if seconds <= PROMISED_S else "**does not hold**"
    what = f"gate {CASES} cases × {METRICS} metrics × {BLOCKS} blocks, {FLIPS:,} sign flips"
    return [f"| {what} | {seconds:.2f} s | ≤ {PROMISED_S:.0f} s | {held} |"]
