"""Bootstrap intervals of the ratio of two medians.

Percentile intervals of the non-parametric bootstrap (Efron 1979; Davison and Hinkley 1997,
section 5.3). The baseline is resampled in two stages, runs and then repetitions inside each
drawn run (Davison and Hinkley 1997, section 3.8), because repetitions of one run share that
run's luck and are not independent.

Small samples: a resampled median of n = 2 or 3 reaches the smallest and the largest value
with more probability than a 95 % interval cuts off, so there the interval is the range of
the sample. The range covers the true median with probability 1 - 2 · 0.5ⁿ (the sign test's
interval): 50 % for two values, 75 % for three, 94 % for five. The interval is therefore too
narrow for very few repetitions whatever the confidence, and it knows nothing of how much
the candidate itself would differ in another run: a limit needs to leave room for that.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

RESAMPLES = 9999


def ratio_interval(
    candidate: Sequence[float],
    baseline_runs: Sequence[Sequence[float]],
    *,
    confidence: float,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Interval of median(candidate) / median(all of ``baseline_runs``).

    Values are finite and not negative; the baseline has one non-empty group a run. A
    resample with a baseline of zero counts as 1 when the candidate is zero too, else as
    infinite. The same seed gives the same interval.
    """
    import numpy as np

    generator = np.random.default_rng(seed)
    above = _medians([candidate], resamples, generator)
    below = _medians(baseline_runs, resamples, generator)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where((below == 0) & (above == 0), 1.0, above / below)
    return _percentiles(ratios, confidence)


def _medians(
    groups: Sequence[Sequence[float]], resamples: int, generator: np.random.Generator
) -> Floats:
    """Medians of ``resamples`` two-stage resamples, each of as many groups as there are."""
    import numpy as np

    sizes = np.array([len(group) for group in groups])
    padded = np.full((len(groups), sizes.max()), np.inf)
    for row, group in zip(padded, groups, strict=True):
        row[: len(group)] = group
    drawn = generator.integers(0, len(groups), (resamples, len(groups)))
    drawn_sizes = sizes[drawn]
    places = generator.random((*drawn.shape, padded.shape[1])) * drawn_sizes[:, :, None]
    values = padded[drawn[:, :, None], places.astype(np.intp)]
    # A shorter group is drawn only as often as it is long: the rest sorts to the end.
    values[np.arange(padded.shape[1]) >= drawn_sizes[:, :, None]] = np.inf
    ordered = np.sort(values.reshape(resamples, -1), axis=1)
    totals = drawn_sizes.sum(axis=1)
    rows = np.arange(resamples)
    low, high = ordered[rows, (totals - 1) // 2], ordered[rows, totals // 2]
    middle = low / 2 + high / 2  # no overflow on the way
    return np.asarray(np.where(low == high, low, middle), dtype=np.float64)


def _percentiles(values: Floats, confidence: float) -> tuple[float, float]:
    """Outer order statistics, never between two: infinite ratios must not become NaN."""
    import numpy as np

    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")
    tail = (1 - confidence) / 2
    low = np.quantile(values, tail, method="lower")
    high = np.quantile(values, 1 - tail, method="higher")
    return float(low), float(high)
