"""Group-sequential boundaries: when a comparison that is looked at after every block may end.

Two questions are asked at each look, and a fail needs both answers. Is there a regression at all?
That one shares the error of the whole family of limits. Is it past the limit? That one errs for
its own limit alone: a change that lies exactly at the limit fails in one comparison of ten.

Both boundaries are Wang and Tsiatis's (1987): past it at block n when z_n > C · (N/n)^(½-Δ),
where Δ = ½ is Pocock's and Δ = 0 O'Brien and Fleming's; ``crossing`` finds C. Nothing is taken off
for paths that would have ended early as passed, because a pass is held against all blocks again
until the case ends.

The level of the family shrinks a little with its size, because t statistics of light-tailed noise
err more the further out the boundary lies: the constants are set so that simulated clean
comparisons fail in less than 1 % under every noise model of docs/statistics.md. So is the shape:
the larger the family, the less early looks get.

Who asks again adds a stage of as many blocks. The bounds of all stages are there from the
beginning: the error of an added one comes from a reserve that the first leaves untouched, half of
it for the first that is added, half of the rest for the next, and so on (a spending function, Lan
and DeMets 1983). So it does not matter when, how often or why somebody asks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from iogate.model.comparison import SEES, Comparison
from iogate.stats.confidence import ALL_LOOKS_CONFIDENCE
from iogate.stats.crossing import Looks, stage_constants
from iogate.stats.distributions import (
    POWER_80_Z,
    TWO_SIDED_95_Z,
    normal_tail,
    t_quantile,
)

_MOST_ROOT = 100.0  # of the number of blocks that something would take


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a comparison. ``limit_level`` is how often a change that lies exactly at
    its limit may fail, over all looks. ``power_z`` is of the effect that N blocks would show. A
    pass has to see a regression of ``sees`` times the limit. ``most_blocks`` are planned in equal
    ``stages``: the first, and those that were added. What all added ones together may err by is the
    ``reserve``, a share of the level of the first, and ``limit_reserve`` that of a limit's."""

    family_level: float = 0.0083
    tail_reserve: float = 0.22
    limit_level: float = (1 - ALL_LOOKS_CONFIDENCE) / 2
    limit_shape: float = 0.25
    first_look: int = 4
    most_blocks: int = 28
    power_z: float = TWO_SIDED_95_Z
    sees: float = SEES
    stages: int = 1
    reserve: float = 0.2
    limit_reserve: float = 0.5

    @property
    def stage_blocks(self) -> int:
        """How many blocks a stage has."""
        return self.most_blocks // self.stages


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundaries for a family of ``limits`` (effective number, may be a fraction): ``level``
    (of the first stage), ``shape`` and ``constants`` (one a stage) are those of a regression at
    all."""

    rules: Rules
    limits: float
    level: float
    first_fail: int
    shape: float
    constants: tuple[float, ...]
    limit_constants: tuple[float, ...]

    @property
    def constant(self) -> float:
        """That of the last stage."""
        return self.constants[-1]

    @property
    def limit_constant(self) -> float:
        """That of the last stage."""
        return self.limit_constants[-1]

    def own_level(self, blocks: int) -> float:
        """How often the looks of the stage that this block is in find a regression where nothing
        changed."""
        shares = _shares(self.rules.stages, self.rules.reserve)
        return self.level * shares[self._looks.stage_of(blocks, self.rules.stages)]

    def level_by(self, blocks: int) -> float:
        """The same of all stages up to that one."""
        return self.level * self._spent(blocks, self.rules.reserve)

    def confidence(self, blocks: int, asked: float | None = None) -> float:
        """Of the interval of the change at this look, at all looks up to its stage together;
        ``asked`` is what the first stage was to have."""
        level = 2 * self.rules.limit_level if asked is None else 1 - asked
        return 1 - level * self._spent(blocks, self.rules.limit_reserve)

    def _spent(self, blocks: int, reserve: float) -> float:
        stage = self._looks.stage_of(blocks, self.rules.stages)
        return math.fsum(_shares(stage + 1, reserve))

    @property
    def _looks(self) -> Looks:
        return _looks(self.rules, self.first_fail, self.shape)

    def fail_z(self, blocks: int) -> float:
        """z above which there is a regression at this look; infinite before ``first_fail``."""
        if blocks < self.first_fail:
            return math.inf
        return self._looks.bound(blocks, self.constants)

    def fail_t(self, blocks: int, df: int) -> float:
        """The same as a bound on Student's t."""
        z = self.fail_z(blocks)
        return math.inf if math.isinf(z) else t_quantile(normal_tail(z), df)

    def limit_t(self, blocks: int, df: int, confidence: float | None = None) -> float:
        """How many standard errors the ends of the interval of the change are from its middle
        at this look: at all looks of the first stage together each end is on the wrong side with
        ``limit_level`` at most, or half of what the ``confidence`` of the interval leaves."""
        return t_quantile(normal_tail(self._limit_z(blocks, confidence)), df)

    def visible(self, sd: float, blocks: int) -> float:
        """The effect, in log units, that all blocks up to the end of this block's stage together
        would show."""
        stage = self._looks.stage_of(blocks, self.rules.stages)
        end = self.rules.stage_blocks * (stage + 1)
        return (self.constants[stage] + self.rules.power_z) * sd / math.sqrt(end)

    def visible_after(self, blocks: int, sd: float, limit: float = 0.0) -> float:
        """The effect that ``blocks`` blocks find past a limit in four of five comparisons; all
        are in log units. The fail of earlier looks would add a little, and is left out."""
        at_all, past_limit = self.demands(blocks)
        error = sd / math.sqrt(blocks)
        return max(at_all * error, limit + past_limit * error)

    def demands(self, blocks: int) -> tuple[float, float]:
        """How many standard errors from zero, and from its limit, a change has to be for these
        blocks to find it in four of five comparisons; infinite where they cannot fail yet."""
        df = 2 * (blocks - 1)
        return self.fail_t(blocks, df) + POWER_80_Z, self.limit_t(blocks, df) + POWER_80_Z

    def _limit_z(self, blocks: int, confidence: float | None = None) -> float:
        rules, constants = self.rules, self.limit_constants
        if confidence is not None:
            constants = _limit_constants(replace(rules, limit_level=(1 - confidence) / 2))
        return _limit_looks(rules).bound(blocks, constants)

    def blocks_to_fail(self, effect: float, sd: float, limit: float = 0.0) -> int:
        """Blocks in which an effect (in log units, past the limit) fails by the last and highest
        demands, in four of five comparisons."""
        at_all = _blocks_for(self.constant + POWER_80_Z, effect, sd)
        return max(at_all, _blocks_for(self.limit_constant + POWER_80_Z, effect - limit, sd))

    def blocks_to_pass(self, limit: float, sd: float) -> int:
        """Blocks after which no change passes, in four of five comparisons: its interval is within
        the limit, or they see a regression of ``sees`` times the limit."""
        within = _blocks_for(self.limit_constant + POWER_80_Z, limit, sd)
        beyond = (self.rules.sees - 1) * limit
        vouches = max(
            _blocks_for(self.constant + POWER_80_Z, self.rules.sees * limit, sd),
            _blocks_for(self.limit_constant + POWER_80_Z, beyond, sd),
        )
        return min(within, vouches)


def _blocks_for(z: float, effect: float, sd: float) -> int:
    """At most ten thousand."""
    ratio = z * sd / effect if effect > 0 else math.inf
    return math.ceil(min(ratio, _MOST_ROOT) ** 2)


def rules_of(comparison: Comparison) -> Rules:
    """What is asked of a comparison's limits."""
    return Rules(most_blocks=comparison.most_blocks, sees=comparison.sees, stages=comparison.stages)


def boundary_for(limits: float, rules: Rules | None = None) -> Boundary:
    """The boundary for a family; the number is rounded up a little, so that few are made."""
    return _boundary(_rounded_up(max(limits, 1.0)), rules or Rules())


@lru_cache(maxsize=256)
def _boundary(limits: float, rules: Rules) -> Boundary:
    level = rules.family_level * limits ** (-1 - rules.tail_reserve)
    first_fail = min(_first_fail(level, rules), rules.stage_blocks)
    shape = min(max(0.5 - 0.2 * math.log10(limits / 4), 0.2), 0.5)
    levels = tuple(level * share for share in _shares(rules.stages, rules.reserve))
    constants = stage_constants(_looks(rules, first_fail, shape), levels)
    return Boundary(rules, limits, level, first_fail, shape, constants, _limit_constants(rules))


def _first_fail(level: float, rules: Rules) -> int:
    """Noise of two states separates the arms by itself in 4⁻ⁿ: at most half of the level."""
    return max(rules.first_look, math.ceil(math.log(2 / level, 4)))


def blocks_against_states(limits: float) -> int:
    """How many blocks a comparison has to have for noise of two states not to fail more of so
    many limits than it may."""
    rules = Rules()
    return _first_fail(boundary_for(limits, rules).level, rules)


def failed_by_states(limits: int, blocks: int) -> float:
    """The share of clean comparisons of so few blocks in which some limit has each of its arms in
    one of two states."""
    return 1 - (1 - 4.0**-blocks) ** limits


def _limit_constants(rules: Rules) -> tuple[float, ...]:
    shares = _shares(rules.stages, rules.limit_reserve)
    return stage_constants(_limit_looks(rules), tuple(rules.limit_level * s for s in shares))


def _looks(rules: Rules, first: int, shape: float) -> Looks:
    return Looks(rules.first_look, rules.stage_blocks, first, shape)


def _limit_looks(rules: Rules) -> Looks:
    return _looks(rules, min(rules.first_look, rules.stage_blocks), rules.limit_shape)


def _shares(stages: int, reserve: float) -> tuple[float, ...]:
    """What each stage may err by, as shares of the level of the first."""
    return (1.0, *(reserve * 0.5**added for added in range(1, stages)))


def _rounded_up(limits: float) -> float:
    return math.ceil(limits) if limits <= 10 else math.ceil(limits / 5) * 5
