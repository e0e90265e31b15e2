"""Group-sequential boundaries: when a comparison that is looked at after every block may end.

The upper boundary is Wang and Tsiatis's (1987): fail at block n when z_n > C · (N/n)^(½-Δ),
where Δ = ½ is Pocock's and Δ = 0 O'Brien and Fleming's. The lower one is for futility: a
threshold is *settled* once the upper bound of its change is below what N blocks could show.
Settled is final, so paths that end below are not counted against the error (a binding
futility bound); C comes from the recursive integration of Armitage, McPherson and Rowe
(1969) with both boundaries.

Error is spent on a family of thresholds. The level of the family shrinks a little with its
size, because t statistics of light-tailed noise err more the further out the boundary lies:
the constants are set so that simulated A/A runs fail in less than 1 % under every noise model
of docs/statistics.md. So is the shape: the larger the family, the less early looks get.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from iogate.stats.distributions import (
    ONE_SIDED_95_Z,
    POWER_80_Z,
    normal_quantile,
    normal_tail,
    t_quantile,
)

_GRID_STEP = 0.05
_GRID_END = 40.0
_GRID_SDS = 6.0  # of the walk at its end, which is further out from 45 blocks on
_KERNEL_END = 7.0
_MOST_ROOT = 100.0  # of the number of blocks that something would take


@dataclass(frozen=True, slots=True)
class Rules:
    """What is asked of a comparison. ``futility_z`` is of the upper bound, ``power_z`` of the
    effect that N blocks would show."""

    family_level: float = 0.0083
    tail_reserve: float = 0.22
    first_look: int = 4
    most_blocks: int = 28
    futility_z: float = 1.66
    power_z: float = 1.96


@dataclass(frozen=True, slots=True)
class Boundary:
    """The boundaries for a family of ``thresholds`` (effective number, may be a fraction)."""

    rules: Rules
    thresholds: float
    level: float
    first_fail: int
    shape: float
    constant: float

    def fail_z(self, blocks: int) -> float:
        """z above which a threshold fails at this look; infinite before ``first_fail``."""
        if blocks < self.first_fail:
            return math.inf
        return _upper(self.constant, self.shape, blocks, self.rules.most_blocks)

    def fail_t(self, blocks: int, df: int) -> float:
        """The same as a bound on Student's t."""
        z = self.fail_z(blocks)
        return math.inf if math.isinf(z) else t_quantile(normal_tail(z), df)

    def futility_t(self, df: int) -> float:
        """How many standard errors the upper bound is above the estimate."""
        return t_quantile(normal_tail(self.rules.futility_z), df)

    def visible(self, sd: float) -> float:
        """The effect, in log units, that all N blocks together would show."""
        return (self.constant + self.rules.power_z) * sd / math.sqrt(self.rules.most_blocks)

    def visible_after(self, blocks: int, sd: float, power_z: float = POWER_80_Z) -> float:
        """The effect that a fail at exactly ``blocks`` blocks would find in 80 % of runs."""
        bound = self.fail_z(max(blocks, self.first_fail))
        return (bound + power_z) * sd / math.sqrt(blocks)

    def blocks_to_fail(self, effect: float, sd: float) -> int:
        """Blocks in which an effect (in log units, positive) fails by the last and highest
        demand, in four of five comparisons."""
        return _blocks_for(self.constant + POWER_80_Z, effect, sd)


def blocks_to_bound(room: float, sd: float) -> int:
    """Blocks in which a one-sided 95 % bound falls below a limit that lies ``room`` (in log
    units) away, in four of five comparisons."""
    return _blocks_for(ONE_SIDED_95_Z + POWER_80_Z, room, sd)


def _blocks_for(z: float, effect: float, sd: float) -> int:
    """At most ten thousand."""
    ratio = z * sd / effect if effect > 0 else math.inf
    return math.ceil(min(ratio, _MOST_ROOT) ** 2)


def boundary_for(thresholds: float, rules: Rules | None = None) -> Boundary:
    """The boundary for a family; the number is rounded up a little, so that few are made."""
    return _boundary(_rounded_up(max(thresholds, 1.0)), rules or Rules())


@lru_cache(maxsize=256)
def _boundary(thresholds: float, rules: Rules) -> Boundary:
    level = rules.family_level * thresholds ** (-1 - rules.tail_reserve)
    # Noise of two states separates the arms by itself in 4⁻ⁿ: at most half of the level.
    first_fail = max(rules.first_look, math.ceil(math.log(2 / level, 4)))
    first_fail = min(first_fail, rules.most_blocks)
    shape = min(max(0.5 - 0.2 * math.log10(thresholds / 4), 0.2), 0.5)
    constant = _solve(rules, level, first_fail, shape)
    return Boundary(rules, thresholds, level, first_fail, shape, constant)


def _rounded_up(thresholds: float) -> float:
    return math.ceil(thresholds) if thresholds <= 10 else math.ceil(thresholds / 5) * 5


def _upper(constant: float, shape: float, blocks: int, most: int) -> float:
    return float(constant * (most / blocks) ** (0.5 - shape))


def _solve(rules: Rules, level: float, first_fail: int, shape: float) -> float:
    """The C whose boundary is crossed with probability ``level``; bisection."""
    low, high = normal_quantile(level) - 0.5, normal_quantile(level) + 2.5
    for _ in range(24):
        middle = (low + high) / 2
        if _crossing(rules, middle, first_fail, shape) > level:
            low = middle
        else:
            high = middle
    return high


def _crossing(rules: Rules, constant: float, first_fail: int, shape: float) -> float:
    """The probability that a standard random walk crosses the upper boundary first."""
    import numpy as np

    end = max(_GRID_END, math.ceil(_GRID_SDS * math.sqrt(rules.most_blocks)))
    x = np.arange(-end, end, _GRID_STEP)
    steps = np.arange(-_KERNEL_END, _KERNEL_END + _GRID_STEP / 2, _GRID_STEP)
    kernel = np.exp(-(steps**2) / 2)
    kernel /= kernel.sum()
    density = np.exp(-(x**2) / (2 * rules.first_look))
    density /= density.sum()
    crossed = 0.0
    for blocks in range(rules.first_look, rules.most_blocks + 1):
        if blocks > rules.first_look:
            density = np.convolve(density, kernel, "same")
        root = math.sqrt(blocks)
        upper = math.inf
        if blocks >= first_fail:
            upper = _upper(constant, shape, blocks, rules.most_blocks)
            above = np.clip((x - upper * root) / _GRID_STEP + 0.5, 0, 1)
            crossed += float((density * above).sum())
            density *= 1 - above
        goal = (constant + rules.power_z) * math.sqrt(blocks / rules.most_blocks)
        lower = min(goal - rules.futility_z, upper)
        density *= np.clip((x - lower * root) / _GRID_STEP + 0.5, 0, 1)
    return crossed
