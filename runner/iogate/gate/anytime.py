"""What a comparison says at any look, for whoever looks whenever they like. It decides nothing: the
boundary does, which finds more at its own looks."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from iogate.gate.pairs import Pairs, blocks_of, pairs_of
from iogate.model.comparison import ARMS
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.spec import Level
from iogate.stats.anytime import evidence

_MOST_TOLD = 10_000


def evidence_of(pairs: Pairs) -> float | None:
    """To one, against no change for the worse of a limit; None before its first whole pair of
    blocks. Of a pool, whose cases drew orders of their own, nothing is said."""
    both = _balanced(pairs)
    if pairs.pool is not None or not both:
        return None
    import numpy as np

    return float(evidence(np.array([both]))[0, -1])


def evidence_words(paired: Iterable[Pairs]) -> str:
    """In a sentence, of all gated limits together (where none is, of all): the mean of their
    evidence, which is as good (Vovk and Wang 2021). Empty before the first pair of blocks."""
    own = [each for each in paired if each.pool is None]
    gated = [each for each in own if each.threshold.level is Level.FAIL] or own
    told = [evidence_of(each) for each in gated]
    if all(each is None for each in told):
        return ""
    mean = math.fsum(1.0 if each is None else each for each in told) / len(told)
    if mean < 2:
        return "at any look: no evidence of a regression"
    ratio = f"{mean:.0f}" if mean < _MOST_TOLD else f"more than {_MOST_TOLD:,}"
    return f"at any look: evidence of a regression, {ratio} to 1"


def evidence_so_far(plan: Plan, measurements: Sequence[Measurement]) -> str:
    """The same of a run in progress; empty for one that compares no arms, and for a canary."""
    rule = plan.comparison
    if rule is None or rule.canary:
        return ""
    return evidence_words(pairs_of(plan, blocks_of(plan, measurements, rule)))


def _balanced(pairs: Pairs) -> list[float]:
    """The mean difference of each whole pair of blocks, in which either arm was first once; NaN
    where a block of it has none."""
    known = dict(zip(pairs.blocks, pairs.differences, strict=True))
    counted = sorted((*pairs.blocks, *pairs.unusable))
    firsts, seconds = counted[0::ARMS], counted[1::ARMS]
    return [
        (known.get(first, math.nan) + known.get(second, math.nan)) / 2
        for first, second in zip(firsts, seconds, strict=False)
    ]
