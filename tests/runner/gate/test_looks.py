"""The looks at a comparison: a mean past the line fails, or its record says what held it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from iogate.gate.judge import judge
from iogate.model.comparison import Arm, Comparison
from iogate.model.spec import Comparison as Compare
from iogate.model.verdict import Hold, Outcome, ThresholdVerdict
from support import samples as s

FASTER = s.threshold(comparison=Compare.GREATER, value=-0.02, relative=True)
SEEDS = range(1, 13)


def judged(base: Sequence[float], candidate: Sequence[float]) -> ThresholdVerdict:
    """The limit that the candidate is not slower, block by block."""
    rule = Comparison(Arm("base"), Arm("candidate"), seed=1, most_blocks=28)
    found = [
        replace(one, arm=arm, block=block)
        for arm, values in (("base", base), ("candidate", candidate))
        for block, one in enumerate(s.repetitions(values), start=1)
    ]
    plan = replace(s.plan(s.case(FASTER)), comparison=rule)
    return judge(plan, found, (), ()).thresholds[0]


def noisy(seed: int, level: float = 1000.0, sd: float = 0.01) -> list[float]:
    values = level * np.exp(np.random.default_rng(seed).normal(0, sd, 12))
    return [float(value) for value in values]


def in_two_states(seed: int, level: float) -> list[float]:
    rng = np.random.default_rng(seed)
    low = (rng.random(12) < 0.5) * 0.06
    return [float(value) for value in level * np.exp(rng.normal(0, 0.003, 12) - low)]


def alike(seed: int) -> ThresholdVerdict:
    return judged(noisy(seed), noisy(seed + 50, 950.0))


def one_arm_varies(seed: int) -> ThresholdVerdict:
    return judged(noisy(seed, sd=0.001), noisy(seed + 50, 940.0, 0.04))


def states(seed: int) -> ThresholdVerdict:
    return judged(in_two_states(seed, 1000.0), in_two_states(seed + 50, 950.0))


def held(verdict: ThresholdVerdict) -> set[Hold]:
    return {hold for look in verdict.looks for hold in look.held_by}


def says_why(verdict: ThresholdVerdict) -> bool:
    """Whether each look past the line is the one that failed, or says why it is not."""
    fail = verdict.decided_at if verdict.outcome is Outcome.FAIL else 0
    past = [
        look for look in verdict.looks if look.fails_at is not None and look.change < look.fails_at
    ]
    return all(bool(look.held_by) is not (look.blocks == fail) for look in past)


@pytest.mark.parametrize("seed", SEEDS)
def test_a_mean_past_the_line_fails_or_says_what_held_it(seed: int) -> None:
    assert all(says_why(verdict) for verdict in (alike(seed), one_arm_varies(seed), states(seed)))


def test_each_condition_is_told_as_what_it_is() -> None:
    assert any(Hold.STATES in held(states(seed)) for seed in SEEDS)
    assert any(Hold.SPREAD in held(one_arm_varies(seed)) for seed in SEEDS)
    assert not any(held(judged(noisy(seed), noisy(seed + 50))) for seed in SEEDS)
