"""How many independent thresholds a family of correlated ones is worth.

The metrics of one run move together: IOPS and mean latency are nearly one number. Flipping
the sign of whole blocks, the same flips for every threshold, keeps that dependence and
nothing else (Westfall and Young 1993, max-T). 2ⁿ flips cannot resolve the far tail where a
boundary lies, so the flips measure the dependence where they can, as the correlation of a
one-factor normal family that exceeds a moderate level as often, and that family says what
the number is far out, where it is larger.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from iogate.stats.distributions import TWO_SIDED_95_Z, normal_tail

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

FLIPS = 10_000
_LEVEL_Z = TWO_SIDED_95_Z
_TAIL_Z = 3.7
_ENOUGH_BLOCKS = 8
_CHUNK = 1024


def effective_thresholds(differences: Floats, *, seed: int, flips: int = FLIPS) -> float:
    """Between 1 and the number of rows of ``differences`` (thresholds, blocks).

    A difference that is not finite counts as 0. Below eight blocks there are too few sign
    patterns to tell, and every threshold counts. Asked once more, it is remembered: each look
    at a comparison replays those before it.
    """
    import numpy as np

    rows, blocks = differences.shape
    if rows <= 1 or blocks < _ENOUGH_BLOCKS:
        return float(max(rows, 1))
    finite = np.where(np.isfinite(differences), differences, 0.0)
    return _effective(finite.astype(np.float64).tobytes(), rows, seed, flips)


@lru_cache(maxsize=256)
def _effective(table: bytes, rows: int, seed: int, flips: int) -> float:
    import numpy as np

    finite = np.frombuffer(table).reshape(rows, -1)
    lengths = np.sqrt((finite**2).sum(axis=1, keepdims=True))
    if not lengths.any():
        return 1.0
    unit = (finite / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)
    any_above, one_above = _exceedances(unit, seed, flips)
    if one_above <= 0:
        return float(rows)
    correlation = _correlation(rows, any_above, one_above)
    return min(max(_number_far_out(rows, correlation), 1.0), float(rows))


def _exceedances(unit: NDArray[np.float32], seed: int, flips: int) -> tuple[float, float]:
    """How often any row, and a row on average, exceeds the moderate level."""
    import numpy as np

    generator = np.random.default_rng(seed)
    any_above = one_above = 0.0
    transposed = np.ascontiguousarray(unit.T)
    for start in range(0, flips, _CHUNK):
        size = min(_CHUNK, flips - start)
        signs = generator.integers(0, 2, (size, unit.shape[1]), dtype=np.int8)
        above = (signs.astype(np.float32) * 2 - 1) @ transposed > _LEVEL_Z
        any_above += float(above.any(axis=1).sum())
        one_above += float(np.count_nonzero(above)) / unit.shape[0]
    return any_above / flips, one_above / flips


def _correlation(rows: int, any_above: float, one_above: float) -> float:
    """The one-factor correlation under which ``any_above`` is as seen; bisection."""
    from iogate.stats.distributions import normal_quantile

    z = normal_quantile(min(max(one_above, 1e-9), 0.5))
    low, high = 0.0, 1.0
    for _ in range(30):
        middle = (low + high) / 2
        if any_exceeds(rows, middle, z) > any_above:
            low = middle
        else:
            high = middle
    return low


@lru_cache(maxsize=4096)
def any_exceeds(rows: int, correlation: float, z: float) -> float:
    """P(max of ``rows`` equally correlated standard normals > z)."""
    import numpy as np

    factor = np.linspace(-8.0, 8.0, 321)
    weights = np.exp(-(factor**2) / 2)
    weights /= weights.sum()
    spread = math.sqrt(max(1 - correlation, 1e-12))
    shifted = (z - math.sqrt(correlation) * factor) / spread
    tails = np.array([normal_tail(value) for value in shifted])
    # 1 - (1 - tail)^rows without losing small tails.
    some = -np.expm1(rows * np.log1p(-np.minimum(tails, 1 - 1e-16)))
    return float((weights * some).sum())


def _number_far_out(rows: int, correlation: float) -> float:
    return any_exceeds(rows, correlation, _TAIL_Z) / normal_tail(_TAIL_Z)
