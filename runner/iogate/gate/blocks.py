"""Blocks of a comparison → where each threshold stands. Pure: the same blocks, the same answer.

A block is one run of each arm. Every look that was possible is replayed from the first block
on, because a threshold that was settled stays settled: what is decided while the run goes and
what the verdict says at its end are one computation.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from iogate.metrics import metric
from iogate.metrics.base import Metric
from iogate.metrics.thin import too_thin
from iogate.model.comparison import Comparison
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.spec import Level, Threshold
from iogate.stats.boundary import Boundary, Rules, boundary_for
from iogate.stats.family import effective_thresholds
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.hodges_lehmann import estimate_with_interval
from iogate.stats.paired import (
    BLUNT,
    FAIL_CONFIDENCE,
    INTERVAL_CONFIDENCE,
    Look,
    bluntness,
    chance_of_worse,
    is_within,
    look,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_LEAST_LEFT = 1e-9
_UNUSABLE_BLOCKS = 2  # more than one in which there is nothing to compare, and it is given up


class State(Enum):
    """What is known about a threshold. UNDECIDABLE: more blocks would not help."""

    OPEN = "open"
    FAILED = "failed"
    SETTLED = "settled"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Pairs:
    """The blocks of one threshold. Logs are signed so that positive is worse. ``place`` is
    that of the threshold in its case."""

    case: Case
    threshold: Threshold
    metric: Metric
    base: tuple[float, ...]
    candidate: tuple[float, ...]
    blocks: tuple[int, ...]
    differences: tuple[float, ...]
    sums: tuple[float, ...]
    unusable: tuple[int, ...]
    thin: float | None = None
    place: int = 0

    @property
    def worse(self) -> float:
        """The sign of a change for the worse."""
        return self.threshold.limit.worse

    @property
    def confidence(self) -> float:
        """What is asked of the interval of the change."""
        return self.threshold.confidence or INTERVAL_CONFIDENCE

    @property
    def limit(self) -> float:
        """The limit in log units, positive: how much worse is still allowed."""
        return max(_signed_log(self.worse, self.threshold.limit.value), 0.0)


@dataclass(frozen=True, slots=True)
class Glance:
    """A threshold after ``blocks`` of its blocks: mean, bound and boundaries in signed logs,
    positive is worse. ``fails_at`` is infinite where it cannot fail yet."""

    blocks: int
    mean: float
    upper: float
    fails_at: float
    settles_at: float


@dataclass(frozen=True, slots=True)
class Standing:
    """A threshold after the blocks so far. ``sd`` is of a block's log ratio; ``more`` the
    blocks it may still take, and 0 once it is decided. ``glances`` are all looks at it."""

    pairs: Pairs
    state: State
    decided_at: int
    boundary: Boundary
    sd: float | None = None
    more: int = 0
    glances: tuple[Glance, ...] = ()

    @property
    def gated(self) -> bool:
        return self.pairs.threshold.level is Level.FAIL

    @property
    def blunt(self) -> bool:
        """Whether runs differ so much that all blocks together would miss a regression of
        several times the limit, in one run of five."""
        import numpy as np

        if self.sd is None:
            return False
        limits = np.array([self.pairs.limit])
        return bool(bluntness(np.array([self.sd]), limits, self.boundary)[0] > BLUNT)


def stand(plan: Plan, measurements: Sequence[Measurement]) -> tuple[Standing, ...]:
    """Every threshold of the plan that is relative, in the order of the plan's cases."""
    comparison = plan.comparison
    assert comparison is not None
    found = list(_pairs_of(plan, measurements, comparison))
    standing: dict[int, Standing] = {}
    levels = [pairs.threshold.level for pairs in found]
    for level in Level:
        family = [n for n, own in enumerate(levels) if own is level]
        # Where others decide how long it takes, advisory ones are judged once, at the end.
        judge = _at_the_end if level is Level.WARN and Level.FAIL in levels else _replay
        judged = judge([found[n] for n in family], comparison)
        standing.update(zip(family, judged, strict=True))
    return tuple(standing[n] for n in range(len(found)))


def open_cases(standings: Sequence[Standing]) -> frozenset[str]:
    """The ids of the cases that need more blocks: those with a gated threshold still open.
    Where nothing is gated, advisory limits are what the comparison is for."""
    undecided = [one for one in standings if one.state is State.OPEN]
    if not any(one.gated for one in standings):
        return frozenset(one.pairs.case.id for one in undecided)
    gated = frozenset(one.pairs.case.id for one in standings if one.gated)
    if any(one.gated for one in undecided):  # cases without a gated limit go on with the others
        advisory = frozenset(one.pairs.case.id for one in undecided) - gated
        return frozenset(one.pairs.case.id for one in undecided if one.gated) | advisory
    return frozenset()


def _pairs_of(
    plan: Plan, measurements: Sequence[Measurement], comparison: Comparison
) -> Iterator[Pairs]:
    kept = undisturbed(measurements)
    for case in plan.cases:
        arms = {
            arm: {m.block: m for m in kept if m.case_id == case.id and m.arm == arm}
            for arm in (comparison.base.name, comparison.candidate.name)
        }
        base, candidate = arms[comparison.base.name], arms[comparison.candidate.name]
        both = sorted(base.keys() & candidate.keys())
        blocks = [(n, base[n], candidate[n]) for n in both]
        for place, threshold in enumerate(case.thresholds):
            if threshold.limit.relative:
                judged = metric(threshold.metric, plan.metrics)
                pairs = _pairs(case, threshold, judged, blocks)
                yield replace(pairs, place=place, thin=_thin(threshold.metric, blocks, plan))


def _pairs(
    case: Case,
    threshold: Threshold,
    judged: Metric,
    blocks: Sequence[tuple[int, Measurement, Measurement]],
) -> Pairs:
    numbers, base, candidate, differences, sums, unusable = [], [], [], [], [], []
    for number, first, second in blocks:
        values = judged.extract(first), judged.extract(second)
        logs = _logs(*values)
        if logs is None:
            unusable.append(number)
            continue
        numbers.append(number)
        base.append(float(values[0] or 0.0))
        candidate.append(float(values[1] or 0.0))
        differences.append(threshold.limit.worse * (logs[1] - logs[0]))
        sums.append(logs[1] + logs[0])
    return Pairs(
        case, threshold, judged, tuple(base), tuple(candidate), tuple(numbers),
        tuple(differences), tuple(sums), tuple(unusable),
    )  # fmt: skip


def _thin(
    path: str, blocks: Sequence[tuple[int, Measurement, Measurement]], plan: Plan
) -> float | None:
    """Of the arm with fewer I/Os."""
    arms = [base for _, base, _ in blocks], [candidate for _, _, candidate in blocks]
    counts = (too_thin(path, runs, plan.metrics) for runs in arms)
    return min((count for count in counts if count is not None), default=None)


def _logs(base: float | None, candidate: float | None) -> tuple[float, float] | None:
    """None where there is no ratio. Zero to zero is no change."""
    if base is None or candidate is None or not (math.isfinite(base) and math.isfinite(candidate)):
        return None
    if base == candidate == 0:
        return 0.0, 0.0
    return (math.log(base), math.log(candidate)) if base > 0 and candidate > 0 else None


def _signed_log(sign: float, change: float) -> float:
    """Nothing falls by 100 % or more: such a limit is as good as the last before it."""
    return sign * math.log1p(max(change, -1 + _LEAST_LEFT))


def _replay(family: Sequence[Pairs], comparison: Comparison) -> list[Standing]:
    """All looks at one family, from the first block on."""
    rules = Rules(most_blocks=comparison.most_blocks)
    standings = [_before(pairs, boundary_for(len(family), rules)) for pairs in family]
    last = max((pairs.blocks[-1] for pairs in family if pairs.blocks), default=0)
    for block in range(1, last + 1):
        due = [
            n
            for n, one in enumerate(standings)
            if one.state is State.OPEN
            and block in one.pairs.blocks
            and _count(one.pairs, block) >= rules.first_look
        ]
        if due:
            boundary = boundary_for(_effective(family, block, comparison.seed), rules)
            _look_at(standings, due, block, boundary)
    return [_last_word(_given_up(one), State.UNDECIDABLE) for one in standings]


def _at_the_end(family: Sequence[Pairs], comparison: Comparison) -> list[Standing]:
    """One look at a family, after its last block: which are findings, of which a share may be
    false. A threshold that is none stands as after any other look."""
    boundary = boundary_for(max(len(family), 1), Rules(most_blocks=comparison.most_blocks))
    standings = [_before(pairs, boundary) for pairs in family]
    due = [
        n
        for n, one in enumerate(standings)
        if one.state is State.OPEN and len(one.pairs.blocks) >= boundary.rules.first_look
    ]
    against = [_against_chance(family[n]) for n in due]
    findings = benjamini_hochberg([chance for chance, _ in against], FALSE_SHARE)
    for n, (_, is_past), is_finding in zip(due, against, findings, strict=True):
        block = family[n].blocks[-1]
        _look_at(standings, [n], block, boundary)
        if is_finding and is_past:
            standings[n] = replace(standings[n], state=State.FAILED, decided_at=block, more=0)
        elif standings[n].state is State.FAILED:
            standings[n] = replace(standings[n], state=State.OPEN, decided_at=0)
    return [_last_word(_given_up(one), State.UNDECIDABLE, State.OPEN) for one in standings]


def _against_chance(pairs: Pairs) -> tuple[float, bool]:
    """The probability of so bad a change by chance, and whether its estimate is past the
    limit."""
    import numpy as np

    differences, sums = np.array([pairs.differences]), np.array([pairs.sums])
    centre, *_ = estimate_with_interval(differences, FAIL_CONFIDENCE)
    return float(chance_of_worse(differences, sums)[0]), bool(centre[0] > pairs.limit)


def _before(pairs: Pairs, boundary: Boundary) -> Standing:
    thin = pairs.thin is not None
    state = State.UNDECIDABLE if thin else State.OPEN
    more = 0 if thin else boundary.rules.most_blocks - len(pairs.blocks)
    return Standing(pairs, state, 0, boundary, more=more)


def _given_up(one: Standing) -> Standing:
    if one.state is not State.OPEN or len(one.pairs.unusable) < _UNUSABLE_BLOCKS:
        return one
    return replace(one, state=State.UNDECIDABLE, decided_at=0, more=0)


def _last_word(one: Standing, *undecided: State) -> Standing:
    """What was given up, and has its whole interval within the limit after all blocks, which
    others may have asked for: settled. Too noisy matters only where a regression is possible."""
    import numpy as np

    pairs = one.pairs
    if one.state not in undecided or one.sd is None or len(pairs.unusable) >= _UNUSABLE_BLOCKS:
        return one
    asked = np.array([pairs.limit]), np.array([pairs.confidence])
    if not is_within(np.array([pairs.differences]), *asked)[0]:
        return one
    return replace(one, state=State.SETTLED, decided_at=pairs.blocks[-1], more=0)


def _count(pairs: Pairs, block: int) -> int:
    """How many usable blocks there are up to ``block``."""
    return sum(number <= block for number in pairs.blocks)


def _effective(family: Sequence[Pairs], last: int, seed: int) -> float:
    """The effective number of thresholds, from the blocks so far."""
    import numpy as np

    table = np.full((len(family), last), np.nan)
    for row, pairs in zip(table, family, strict=True):
        for number, difference in zip(pairs.blocks, pairs.differences, strict=True):
            if number <= last:
                row[number - 1] = difference
    return effective_thresholds(table, seed=seed)


def _look_at(standings: list[Standing], due: Sequence[int], block: int, boundary: Boundary) -> None:
    """Judge the rows that are due, those with equally many blocks together."""
    import numpy as np

    counts: dict[int, list[int]] = {}
    for n in due:
        counts.setdefault(_count(standings[n].pairs, block), []).append(n)
    for count, rows in counts.items():
        pairs = [standings[n].pairs for n in rows]
        found = look(
            np.array([p.differences[:count] for p in pairs]),
            np.array([p.sums[:count] for p in pairs]),
            np.array([p.limit for p in pairs]),
            boundary,
            confidences=np.array([p.confidence for p in pairs]),
        )
        for row, n in enumerate(rows):
            seen = _glance(found, row, standings[n].pairs.limit, boundary)
            after = _after(standings[n].pairs, found, row, block, boundary)
            standings[n] = replace(after, glances=(*standings[n].glances, seen))


def _glance(found: Look, row: int, limit: float, boundary: Boundary) -> Glance:
    error = float(found.sd[row]) / math.sqrt(found.blocks)
    return Glance(
        found.blocks,
        float(found.mean[row]),
        float(found.upper[row]),
        max(boundary.fail_t(found.blocks, found.df) * error, limit),
        float(found.visible[row]),
    )


def _after(pairs: Pairs, found: Look, row: int, block: int, boundary: Boundary) -> Standing:
    sd = float(found.sd[row])
    if found.fails[row]:
        return Standing(pairs, State.FAILED, block, boundary, sd)
    if found.gives_up[row]:
        return Standing(pairs, State.UNDECIDABLE, 0, boundary, sd)
    if found.settled[row]:
        return Standing(pairs, State.SETTLED, block, boundary, sd)
    more = blocks_to_go(found.blocks, float(found.mean[row]), sd, pairs.limit, boundary)
    state = State.OPEN if found.blocks < boundary.rules.most_blocks else State.UNDECIDABLE
    return Standing(pairs, state, 0, boundary, sd, more)


def blocks_to_go(blocks: int, mean: float, sd: float, limit: float, boundary: Boundary) -> int:
    """How many more blocks a threshold takes if the mean and its spread stay as they are."""
    most = boundary.rules.most_blocks
    visible = max(boundary.visible(sd), limit)
    for n in range(blocks + 1, most + 1):
        error, df = sd / math.sqrt(n), 2 * (n - 1)
        if mean > max(limit, boundary.fail_t(n, df) * error):
            return n - blocks
        upper = mean + boundary.futility_t(df) * error
        if upper < limit or (upper < visible and mean <= limit):
            return n - blocks
    return most - blocks
