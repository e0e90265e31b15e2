"""Pools in a comparison: what several metrics of several cases did together, block by block.

A block gives one number a pool, the mean of what it gives its members, signed so that positive is
worse. What members have in common inside a block is in that number and no more, so that the blocks
of a pool are judged as those of any limit.

The n-th block of a pool is the n-th of each of its members that counts. A case whose block was
disturbed measures it again later, and its pairs of blocks of opposite order stay pairs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from iogate.gate.pairs import UNUSABLE_BLOCKS, Blocks, Pairs, pairs, thin_of
from iogate.metrics.base import Metric
from iogate.model.plan import Plan
from iogate.model.pool import FEWEST_MEMBERS, POOLED, Pool, PoolMember
from iogate.model.spec import Comparison as Compare
from iogate.model.spec import Limit, Threshold
from iogate.model.units import Better, Unit
from iogate.model.verdict import MemberChange
from iogate.stats.hodges_lehmann import estimates

MEASURED = Metric(
    POOLED, Unit.RATIO, Better.LOW, "how many times as bad as the base", lambda _: None
)
THIN = "too few I/Os"
_NO_RATIO = "no ratio in {} blocks"


def pooled(plan: Plan, by_case: Mapping[str, Blocks], alone: Iterable[Pairs]) -> Iterator[Pairs]:
    """The blocks of each pool of the plan; ``alone`` are those of the limits of its cases."""
    known = {(each.case.id, each.threshold.metric): each for each in alone}
    cases = {case.id: case for case in plan.cases}
    for place, pool in enumerate(plan.pools):
        every = []
        for member in pool.members:
            blocks, limit = by_case[member.case_id], member_limit(member, pool)
            own = known.get((member.case_id, member.metric))
            own = own or pairs(cases[member.case_id], limit, blocks, plan)
            every.append(replace(own, threshold=limit, thin=thin_of(limit, blocks, plan)))
        yield replace(_pool(pool, every), place=place)


def _pool(pool: Pool, every: Sequence[Pairs]) -> Pairs:
    reasons = [_why_not(each) for each in every]
    kept = [each for each, reason in zip(every, reasons, strict=True) if not reason]
    left_out = [(each, reason) for each, reason in zip(every, reasons, strict=True) if reason]
    return _together(pool, kept, left_out)


def member_limit(member: PoolMember, pool: Pool) -> Threshold:
    """By what a member has too few I/Os for its pool. The sampling errors of m members are
    independent, so their mean has a √m-th of one, and is as good as the pool's limit asks."""
    allowed = pool.threshold.limit.value * math.sqrt(len(pool.members))
    value = allowed * member.better.worse
    limit = Limit(Compare.asking(member.better), value, relative=True, text="")
    return Threshold(member.metric, limit)


def _why_not(member: Pairs) -> str:
    """Why a member is left out of all blocks; empty where it is not."""
    if member.thin is not None:
        return THIN
    lost = len(member.unusable)
    return _NO_RATIO.format(lost) if lost >= UNUSABLE_BLOCKS else ""


def _together(pool: Pool, kept: Sequence[Pairs], left_out: Sequence[tuple[Pairs, str]]) -> Pairs:
    count = min((len(each.blocks) for each in kept), default=0)
    count = count if len(kept) >= FEWEST_MEMBERS else 0
    # Logs of the sums, signed as the differences are, so that both have the same variance.
    differences = [_mean([each.differences[n] for each in kept]) for n in range(count)]
    sums = [_mean([each.worse * each.sums[n] for each in kept]) for n in range(count)]
    return Pairs(
        case=pool,
        threshold=pool.threshold,
        metric=MEASURED,
        base=(1.0,) * count,
        candidate=tuple(math.exp(each) for each in differences),
        blocks=tuple(max(each.blocks[n] for each in kept) for n in range(count)),
        differences=tuple(differences),
        sums=tuple(sums),
        unusable=(),
        members=tuple(kept),
        left_out=tuple(left_out),
    )


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def member_changes(standing: Pairs, blocks: int) -> tuple[MemberChange, ...]:
    """What each member of a pool did in the first ``blocks`` blocks, estimated as a limit of its
    own is; the worst first, and then those that were left out."""
    changes = _changes(standing.members, blocks)
    changes.sort(key=lambda each: -(each.worse or 0.0))
    left = [
        MemberChange(m.case.id, m.threshold.metric, left_out=why) for m, why in standing.left_out
    ]
    return (*changes, *left)


def names_of(standing: Pairs) -> dict[str, str]:
    """The names of the cases that a pool is made of, by their ids."""
    every = (*standing.members, *(each for each, _ in standing.left_out))
    return {each.case.id: each.case.name for each in every}


def _changes(members: Sequence[Pairs], blocks: int) -> list[MemberChange]:
    if not blocks:
        return [MemberChange(each.case.id, each.threshold.metric) for each in members]
    moved = estimates([each.differences[:blocks] for each in members])
    return [
        MemberChange(
            each.case.id,
            each.threshold.metric,
            change=math.expm1(each.worse * worse),
            worse=math.expm1(worse),
        )
        for each, worse in zip(members, moved, strict=True)
    ]
