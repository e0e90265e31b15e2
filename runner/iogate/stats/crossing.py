"""How often a random walk that is looked at again and again crosses its bounds, and the bounds
that it crosses as often as is wanted: the recursive integration of Armitage, McPherson and Rowe
(1969), over the part of the walk that has crossed none so far.

Blocks are planned in stages. The bounds of a stage are solved for with those of the stages before
it as they are, so that a stage that is added changes nothing of what was decided without it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from iogate.stats.distributions import normal_quantile

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

_GRID_STEP = 0.05
_GRID_END = 40.0
_GRID_SDS = 6.0  # of the walk at its end, which is further out from 45 blocks on
_KERNEL_END = 7.0
_CONSTANT_OFF = 1e-7


@dataclass(frozen=True, slots=True)
class Looks:
    """After every block from ``first_look`` on, in stages of ``stage_blocks``. Only from block
    ``first`` on is the walk held against a bound, which is a constant of the stage times
    (end of the stage / blocks)^(½ - ``shape``)."""

    first_look: int
    stage_blocks: int
    first: int
    shape: float

    def stage_of(self, blocks: int, stages: int) -> int:
        """From 0; what is past the last is of the last."""
        return min((max(blocks, 1) - 1) // self.stage_blocks, stages - 1)

    def bound(self, blocks: int, constants: tuple[float, ...]) -> float:
        """As a normal quantile."""
        stage = self.stage_of(blocks, len(constants))
        end = self.stage_blocks * (stage + 1)
        return float(constants[stage] * (end / blocks) ** (0.5 - self.shape))


@lru_cache(maxsize=1024)
def stage_constants(looks: Looks, levels: tuple[float, ...]) -> tuple[float, ...]:
    """The constant of each stage, with which a standard random walk crosses a bound for the first
    time in that stage with the probability in ``levels``. By secants: the logarithm of the
    probability is nearly straight."""
    before = stage_constants(looks, levels[:-1]) if len(levels) > 1 else ()
    walk, level = _Walk(looks, len(levels)), levels[-1]
    for _ in before:
        walk.go_on(before)
    goal = math.log(level)
    last, here = normal_quantile(level), normal_quantile(level) + 0.3
    off = math.log(walk.crossing((*before, last))) - goal
    while abs(here - last) > _CONSTANT_OFF:
        now_off = math.log(walk.crossing((*before, here))) - goal
        last, here, off = here, here - now_off * (here - last) / (now_off - off), now_off
    return (*before, here)


class _Walk:
    """The density of a walk at the end of a stage, where it crossed no bound until then."""

    def __init__(self, looks: Looks, stages: int) -> None:
        import numpy as np

        self._looks = looks
        end = max(_GRID_END, math.ceil(_GRID_SDS * math.sqrt(looks.stage_blocks * stages)))
        self._x = np.arange(-end, end, _GRID_STEP)
        steps = np.arange(-_KERNEL_END, _KERNEL_END + _GRID_STEP / 2, _GRID_STEP)
        self._kernel = np.exp(-(steps**2) / 2)
        self._kernel /= self._kernel.sum()
        self._blocks = 0
        self._density: Floats = np.zeros(0)

    def go_on(self, constants: tuple[float, ...]) -> None:
        """To the end of the next stage."""
        self._density, _ = self._stage(constants)
        self._blocks += self._looks.stage_blocks

    def crossing(self, constants: tuple[float, ...]) -> float:
        """The probability to cross a bound in the next stage, and none before."""
        return self._stage(constants)[1]

    def _stage(self, constants: tuple[float, ...]) -> tuple[Floats, float]:
        import numpy as np

        looks, density, crossed = self._looks, self._density, 0.0
        end = self._blocks + looks.stage_blocks
        begin = min(looks.first_look, end) if not self._blocks else self._blocks + 1
        for blocks in range(begin, end + 1):
            if not self._blocks and blocks == begin:
                density = np.exp(-(self._x**2) / (2 * begin))
                density /= density.sum()
            else:
                density = np.convolve(density, self._kernel, "same")
            if blocks >= looks.first:
                upper = looks.bound(blocks, constants) * math.sqrt(blocks)
                above = np.clip((self._x - upper) / _GRID_STEP + 0.5, 0, 1)
                crossed += float((density * above).sum())
                density = density * (1 - above)
        return density, crossed
