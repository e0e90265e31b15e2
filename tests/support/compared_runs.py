"""Comparisons of two arms with plausible noise, judged by the real gate."""

from __future__ import annotations

import random
from dataclasses import replace

from iogate.model.comparison import Arm, Comparison
from iogate.model.measurement import Measurement
from iogate.model.run import Run
from support.report_runs import Pace, case, limit, measurement, plan, run, slowed

LIMITS = (
    limit("write.iops vs baseline > -3%", -0.03),
    limit("write.clat.p99 < 2ms", 2e6),
)
ARMS = (Arm("spec"), Arm("deep", overrides=("iodepth=64",), engine="/opt/iogate-engine"))
PACES = {"oltp-write": {"write": Pace()}}
ROUNDS = 6


def compared(
    by: float, *, seed: int = 1, arms: tuple[Arm, Arm] = ARMS, canary: bool = False
) -> Run:
    """ROUNDS blocks of one case; the candidate is slower by a fraction. The base runs first in
    the odd ones."""
    rng = random.Random(seed)
    one = case(thresholds=LIMITS)
    rule = Comparison(
        arms[0], arms[1], seed=7, most_blocks=ROUNDS, sequential=not canary, canary=canary
    )
    whole = replace(plan([one]), comparison=rule)
    found: list[Measurement] = []
    for block in range(1, ROUNDS + 1):
        for place, arm in enumerate(arms):
            paces = slowed(PACES, by * place + rng.gauss(0, 0.004))
            made = measurement(one, 2 * block + place, paces, rng, seconds=4)
            at = (100 * block + 10 * (place if block % 2 else 1 - place)) * 10**9
            found.append(replace(made, arm=arm.name, block=block, started_ns=at))
    return run(whole, found)
