"""Comparisons of two arms with plausible noise, judged by the real gate."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import product

from iogate.model.comparison import Arm, Comparison, repetition_of
from iogate.model.measurement import Measurement
from iogate.model.run import Run
from iogate.model.spec import Threshold
from support.report_runs import Pace, case, limit, measurement, plan, run, slowed

LIMITS = (
    limit("write.iops vs baseline > -3%", -0.03),
    limit("write.clat.p99 < 2ms", 2e6),
)
ARMS = (Arm("spec"), Arm("deep", overrides=("iodepth=64",), engine="/opt/iogate-engine"))
PACES = {"oltp-write": {"write": Pace()}}
ROUNDS = 6


def compared(
    by: float,
    *,
    seed: int = 1,
    arms: tuple[Arm, Arm] = ARMS,
    canary: bool = False,
    per_boot: int = 1,
    limits: Sequence[Threshold] = LIMITS,
) -> Run:
    """ROUNDS blocks of one case; the candidate is slower by a fraction. The base runs first in
    the odd ones."""
    rng = random.Random(seed)
    one = case(thresholds=limits)
    rule = Comparison(
        *arms, seed=7, most_blocks=ROUNDS, sequential=not canary, canary=canary, per_boot=per_boot
    )
    whole = replace(plan([one]), comparison=rule)
    found: list[Measurement] = []
    for block in range(1, ROUNDS + 1):
        for place, turn in product(range(len(arms)), range(1, per_boot + 1)):
            paces = slowed(PACES, by * place + rng.gauss(0, 0.004))
            number = repetition_of(block, place, turn, per_boot=per_boot)
            made = measurement(one, number, paces, rng, seconds=4)
            at = (100 * block + 10 * (place if block % 2 else 1 - place) + turn) * 10**9
            found.append(replace(made, arm=arms[place].name, block=block, started_ns=at))
    return run(whole, found)
