"""Several jobs, or directions, seen as one: exact for counts, moments and histograms."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from iogate.model.histogram import Histogram
from iogate.model.measurement import TRANSFERS, Direction, JobMeasurement, Latency


def directions_of(jobs: Sequence[JobMeasurement], direction: str) -> list[Direction]:
    """The parts of ``direction`` that did I/O; ``all`` is read, write and trim, as a sync
    moves no data and its latency is of another kind."""
    names = TRANSFERS if direction == "all" else (direction,)
    parts = (job.directions.get(name) for job in jobs for name in names)
    return [part for part in parts if part is not None and part.total_ios > 0]


def merged_latency(parts: Iterable[Latency]) -> Latency | None:
    """One latency over all samples of ``parts``; None when there is no sample.

    Mean and standard deviation are the pooled ones (n-1 below, as the engine's):
    sum of squares = Σ (n_i - 1) s_i² + Σ n_i (mean_i - mean)². The histogram is the exact
    sum, and None as soon as one part has none: a part of the tail would be missing.
    """
    kept = [part for part in parts if part.n > 0]
    if not kept:
        return None
    if len(kept) == 1:
        return kept[0]
    n = sum(part.n for part in kept)
    mean = sum(part.n * part.mean_ns for part in kept) / n
    squares = sum(_squares_around(mean, part) for part in kept)
    return Latency(
        n=n,
        min_ns=min(part.min_ns for part in kept),
        max_ns=max(part.max_ns for part in kept),
        mean_ns=mean,
        stddev_ns=math.sqrt(squares / (n - 1)),
        histogram=_merged_histogram(kept),
    )


def _squares_around(mean_ns: float, part: Latency) -> float:
    distance = part.mean_ns - mean_ns
    return (part.n - 1) * part.stddev_ns * part.stddev_ns + part.n * distance * distance


def _merged_histogram(parts: Sequence[Latency]) -> Histogram | None:
    histograms = [part.histogram for part in parts if part.histogram and part.histogram.bins]
    return Histogram.merged(histograms) if len(histograms) == len(parts) else None
