"""Blocks of a comparison → where each limit stands. Pure: the same blocks, the same answer.

A block is one run of each arm. Every look that was possible is replayed from the first block on,
because a limit that failed has failed: what is decided while the run goes and what the verdict
says at its end are one computation. A pass is no such end: while other limits of the case go
on, it is held against all blocks again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from iogate.gate.pairs import UNUSABLE_BLOCKS, Pairs, blocks_of, pairs_of
from iogate.gate.pools import pooled
from iogate.model.comparison import Comparison
from iogate.model.measurement import Measurement
from iogate.model.plan import Plan
from iogate.model.spec import Level
from iogate.model.verdict import Ground, Hold
from iogate.stats.boundary import Boundary, boundary_for, rules_of
from iogate.stats.family import effective_thresholds
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.paired import Change, Look, chance_of_worse, change_of, look, sees_enough

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


class State(Enum):
    """What is known about a threshold. UNDECIDABLE: more blocks would not help."""

    OPEN = "open"
    FAILED = "failed"
    SETTLED = "settled"
    UNDECIDABLE = "undecidable"


@dataclass(frozen=True, slots=True)
class Glance:
    """A limit after ``blocks`` of its blocks, in signed logs; positive is worse. It fails with a
    mean above ``fails_at``, which is infinite where it cannot fail yet, unless ``held_by``
    something else, and passes with the upper end of its interval below ``settles_at``."""

    blocks: int
    mean: float
    upper: float
    fails_at: float
    settles_at: float
    held_by: tuple[Hold, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What decided a limit: the number of the ``block`` after which it did, how many ``blocks``
    there were by then, and, of a fail, the ``level`` at which it errs where nothing changed."""

    ground: Ground
    block: int
    blocks: int
    level: float | None = None


@dataclass(frozen=True, slots=True)
class Standing:
    """A limit after the blocks so far. ``sd`` is of a block's log ratio; ``more`` the blocks it
    may still take, and 0 once it is decided. ``glances`` are all looks at it."""

    pairs: Pairs
    state: State
    boundary: Boundary
    decision: Decision | None = None
    sd: float | None = None
    more: int = 0
    glances: tuple[Glance, ...] = ()

    @property
    def gated(self) -> bool:
        return self.pairs.threshold.level is Level.FAIL

    @property
    def decided_at(self) -> int:
        """The number of the block that decided it, 0 where none did."""
        return self.decision.block if self.decision else 0

    @property
    def blunt(self) -> bool:
        """Whether runs differ so much that all blocks together would not see a regression of as
        many times the limit as they have to, in one comparison of five."""
        import numpy as np

        if self.sd is None:
            return False
        most = self.boundary.rules.most_blocks
        sd, limit = np.array([self.sd]), np.array([self.pairs.limit])
        return not sees_enough(sd, limit, self.boundary, most)[0]

    @property
    def change(self) -> Change:
        """What the blocks that decided it measured, or all of them: one row."""
        blocks = self.decision.blocks if self.decision else None
        return changed(self.pairs, self.boundary, blocks)


def changed(pairs: Pairs, boundary: Boundary, blocks: int | None = None) -> Change:
    """The change that the first ``blocks`` usable blocks (all of them) measured; two at least."""
    import numpy as np

    differences, sums = np.array([pairs.differences[:blocks]]), np.array([pairs.sums[:blocks]])
    return change_of(differences, sums, boundary, np.array([pairs.confidence]))


def stand(plan: Plan, measurements: Sequence[Measurement]) -> tuple[Standing, ...]:
    """Every threshold of the plan that is relative, in the order of the plan's cases; then its
    pools."""
    comparison = plan.comparison
    assert comparison is not None
    by_case = blocks_of(plan, measurements, comparison)
    alone = list(pairs_of(plan, by_case))
    paired = [*alone, *pooled(plan, by_case, alone)]
    standing: dict[int, Standing] = {}
    levels = [pairs.threshold.level for pairs in paired]
    for level in Level:
        family = [n for n, own in enumerate(levels) if own is level]
        # Where others decide how long it takes, advisory ones are judged once, at the end.
        judge = _at_the_end if level is Level.WARN and Level.FAIL in levels else _replay
        judged = judge([paired[n] for n in family], comparison)
        standing.update(zip(family, judged, strict=True))
    return tuple(_before_the_loss(standing[n], plan, measurements) for n in range(len(paired)))


def _before_the_loss(
    standing: Standing, plan: Plan, measurements: Sequence[Measurement]
) -> Standing:
    """A pool that failed before it lost a member, whose values went away, has failed."""
    lost_at = standing.pairs.lost_at
    if not lost_at or not standing.gated or standing.state is State.FAILED:
        return standing
    earlier = stand(plan, [m for m in measurements if m.block < lost_at])
    before = earlier[len(earlier) - len(plan.pools) + standing.pairs.place]
    return before if before.state is State.FAILED else standing


def open_cases(standings: Sequence[Standing]) -> frozenset[str]:
    """The ids of the cases that need more blocks: those with a gated threshold still open.
    Where nothing is gated, advisory limits are what the comparison is for."""
    undecided = [standing for standing in standings if standing.state is State.OPEN]
    gated = [standing for standing in standings if standing.gated]
    if not gated:
        return _cases_of(undecided)
    going = [standing for standing in gated if standing.state is State.OPEN]
    if not going:
        return frozenset()
    # Cases without a gated limit go on with the others.
    return _cases_of(going) | (_cases_of(undecided) - _cases_of(gated))


def _cases_of(standings: Sequence[Standing]) -> frozenset[str]:
    return frozenset(name for standing in standings for name in standing.pairs.case_ids)


def _replay(family: Sequence[Pairs], comparison: Comparison) -> list[Standing]:
    """All looks at one family, from the first block on."""
    rules = rules_of(comparison)
    standings = [_before(pairs, boundary_for(len(family), rules)) for pairs in family]
    last = max((pairs.blocks[-1] for pairs in family if pairs.blocks), default=0)
    for block in range(1, last + 1):
        due = [
            n
            for n, standing in enumerate(standings)
            if standing.state is not State.FAILED
            and not standing.pairs.is_small
            and block in standing.pairs.blocks
            and _count(standing.pairs, block) >= rules.first_look
        ]
        if due:
            boundary = boundary_for(_effective(family, block, comparison.seed), rules)
            _look_at(standings, due, block, boundary)
    return [_given_up(standing) for standing in standings]


def _at_the_end(family: Sequence[Pairs], comparison: Comparison) -> list[Standing]:
    """One look at a family, after its last block: which are findings, of which a share may be
    false. A limit that is none stands as after any other look."""
    boundary = boundary_for(max(len(family), 1), rules_of(comparison))
    standings = [_before(pairs, boundary) for pairs in family]
    due = [
        n
        for n, standing in enumerate(standings)
        if standing.state is State.OPEN and len(standing.pairs.blocks) >= boundary.rules.first_look
    ]
    against = [_against_chance(family[n], boundary) for n in due]
    share = FALSE_SHARE / comparison.stages  # it is judged once more in each
    findings = benjamini_hochberg([chance for chance, _ in against], share)
    for n, (_, change), is_finding in zip(due, against, findings, strict=True):
        block, blocks = family[n].blocks[-1], len(family[n].blocks)
        _look_at(standings, [n], block, boundary)
        if is_finding and change.low[0] > family[n].limit:
            decision = Decision(Ground.PAST, block, blocks, share)
            standings[n] = replace(standings[n], state=State.FAILED, decision=decision, more=0)
        elif standings[n].state is State.FAILED:
            glances = (*standings[n].glances[:-1], _no_finding(standings[n].glances[-1]))
            open_yet = replace(standings[n], state=State.OPEN, decision=None)
            standings[n] = replace(open_yet, glances=glances)
    return [_given_up(standing) for standing in standings]


def _no_finding(glance: Glance) -> Glance:
    return replace(glance, held_by=(*glance.held_by, Hold.FINDINGS))


def _against_chance(pairs: Pairs, boundary: Boundary) -> tuple[float, Change]:
    """The probability of so bad a change by chance, and the change."""
    import numpy as np

    differences, sums = np.array([pairs.differences]), np.array([pairs.sums])
    return float(chance_of_worse(differences, sums)[0]), changed(pairs, boundary)


def _before(pairs: Pairs, boundary: Boundary) -> Standing:
    state = State.UNDECIDABLE if pairs.never else State.OPEN
    more = 0 if pairs.never else boundary.rules.most_blocks - len(pairs.blocks)
    return Standing(pairs, state, boundary, more=more)


def _given_up(standing: Standing) -> Standing:
    """Where several blocks could not be compared, what is left of them passes nothing, and neither
    do blocks with too few I/Os. What failed while there were enough has failed."""
    if standing.pairs.thin is not None and standing.state is not State.FAILED:
        return _before(standing.pairs, standing.boundary)
    enough = len(standing.pairs.unusable) < UNUSABLE_BLOCKS
    if enough or standing.state not in {State.OPEN, State.SETTLED}:
        return standing
    return replace(standing, state=State.UNDECIDABLE, decision=None, more=0)


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
        looks = look(
            np.array([p.differences[:count] for p in pairs]),
            np.array([p.sums[:count] for p in pairs]),
            np.array([p.limit for p in pairs]),
            boundary,
            confidences=np.array([p.confidence for p in pairs]),
        )
        for row, n in enumerate(rows):
            seen = _glance(looks, row, standings[n].pairs, boundary, block)
            after = _after(standings[n].pairs, looks, row, block, boundary)
            standings[n] = replace(after, glances=(*standings[n].glances, seen))


def _glance(looks: Look, row: int, pairs: Pairs, boundary: Boundary, block: int) -> Glance:
    mean, upper = float(looks.mean[row]), float(looks.upper[row])
    error = float(looks.sd[row]) / math.sqrt(looks.blocks)
    fails_at = max(boundary.fail_t(looks.blocks, looks.df) * error, pairs.limit + upper - mean)
    thin = (Hold.THIN,) if looks.fails[row] and pairs.was_thin(block) else ()
    held_by = (*looks.held_by[row], *thin)
    return Glance(looks.blocks, mean, upper, fails_at, float(looks.passes_at[row]), held_by)


def _after(pairs: Pairs, looks: Look, row: int, block: int, boundary: Boundary) -> Standing:
    """Where a limit stands after a look."""
    sd, ground = float(looks.sd[row]), _ground(looks, row)
    if ground is Ground.PAST and pairs.was_thin(block):
        ground = None
    if ground is not None:
        level = boundary.level_by(looks.blocks) if ground is Ground.PAST else None
        decision = Decision(ground, block, looks.blocks, level)
        state = State.FAILED if ground is Ground.PAST else State.SETTLED
        return Standing(pairs, state, boundary, decision, sd)
    if looks.gives_up[row]:
        return Standing(pairs, State.UNDECIDABLE, boundary, sd=sd)
    more = blocks_to_go(looks.blocks, float(looks.mean[row]), sd, pairs.limit, boundary)
    return Standing(pairs, State.OPEN, boundary, sd=sd, more=more)


def _ground(looks: Look, row: int) -> Ground | None:
    """What a look decides a limit by, if it does."""
    if looks.fails[row]:
        return Ground.PAST
    if not looks.settled[row]:
        return None
    return Ground.WITHIN if looks.within[row] else Ground.SEES


def blocks_to_go(blocks: int, mean: float, sd: float, limit: float, boundary: Boundary) -> int:
    """How many more blocks a limit takes if the mean and its spread stay as they are."""
    most = boundary.rules.most_blocks
    told = boundary.rules.sees * limit
    for n in range(blocks + 1, most + 1):
        error, df = sd / math.sqrt(n), 2 * (n - 1)
        reach = boundary.limit_t(n, df) * error
        if mean > boundary.fail_t(n, df) * error and mean - reach > limit:
            return n - blocks
        vouches = boundary.visible_after(n, sd, limit) <= told and mean <= limit
        if mean + reach < (max(boundary.visible(sd, n), limit) if vouches else limit):
            return n - blocks
    return most - blocks
