"""Latency histograms as the engine writes them: bucket middle in ns → count.

Geometry (engine.md, fio's): values below 128 ns have a bucket each; above, 64 buckets an
octave, so the middle is within 1/128 of every value of its bucket.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

_BUCKETS_PER_GROUP = 64


def bucket_bounds_ns(value_ns: int) -> tuple[int, int]:
    """Half-open range ``[low, high)`` in ns of the bucket that holds ``value_ns``."""
    if value_ns < 2 * _BUCKETS_PER_GROUP:
        return value_ns, value_ns + 1
    shift = value_ns.bit_length() - 7
    low = value_ns >> shift << shift
    return low, low + (1 << shift)


@dataclass(frozen=True, slots=True)
class Histogram:
    """Counts by bucket middle (ns), ascending. Merging is exact."""

    bins: Mapping[int, int] = field(default_factory=dict)

    @property
    def count(self) -> int:
        return sum(self.bins.values())

    def quantile_ns(self, q: float) -> float:
        """The ``q`` quantile (0..1) in ns, interpolated inside its bucket; nan when empty."""
        total = self.count
        if not total:
            return float("nan")
        rank = min(max(q, 0.0), 1.0) * total
        seen = 0
        for value, count in self.bins.items():
            if seen + count >= rank and count:
                low, high = bucket_bounds_ns(value)
                return low + (high - low) * (rank - seen) / count
            seen += count
        return float(max(self.bins))

    @staticmethod
    def merged(parts: Iterable[Histogram]) -> Histogram:
        bins: dict[int, int] = {}
        for part in parts:
            for value, count in part.bins.items():
                bins[value] = bins.get(value, 0) + count
        return Histogram(dict(sorted(bins.items())))
