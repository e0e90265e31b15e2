"""Is a quantile backed by enough I/Os to be compared?

The standard error of the quantile q of n I/Os is s / f, where s = √(q(1-q)/n) and f is their
density there. The histogram has both: s is a step along its ranks, so that half of the distance
between the quantiles q - s and q + s is the error (Woodruff 1952).
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from iogate.metrics.combine import directions_of, merged_latency
from iogate.metrics.path import table_paths
from iogate.model.measurement import Latency, Measurement
from iogate.model.spec import DefinedMetric, Limit

SHARE_OF_LIMIT = 0.25
_ROUNDING = 1e-6
_LEAST_IOS_BEYOND = 1000  # where no histogram says how far I/Os lie apart
_TAIL = re.compile(r"\btail$")  # p99 over p50
_QUANTILE = re.compile(
    r"(?:jobs\.(?P<job>.+)\.)?(?P<direction>read|write|trim|sync|all)\."
    r"(?P<kind>slat|clat|lat|intended_lat)\.p(?P<percent>[0-9.]+)"
)


def too_thin(
    path: str,
    measurements: Iterable[Measurement],
    limit: Limit,
    defined: tuple[DefinedMetric, ...] = (),
) -> float | None:
    """The relative standard error (0.1: 10 %; infinite where it cannot be told) of the quantile
    that a metric is, or of the worst of those that it is made of, where it is over a quarter
    of a relative limit; else None. It is that of the repetition with the median number of
    I/Os: a single one that stalled is noise, as it is in every other metric."""
    kept = list(measurements)
    errors = (_typical_error(part, kept) for part in table_paths(path, defined))
    worst = max((error for error in errors if error is not None), default=0.0)
    return worst if worst > allowed_error(limit) else None


def allowed_error(limit: Limit) -> float:
    """The relative standard error that a quantile may have to be held against a relative limit."""
    return SHARE_OF_LIMIT * abs(limit.value)


def sampling_error(latency: Latency, q: float) -> float:
    """The relative standard error of a quantile (0..1) of so many independent I/Os. Where there is
    no histogram it is 0 with 1,000 I/Os beyond it, else infinite."""
    if latency.histogram is None or not latency.histogram.bins:
        return 0.0 if latency.n * min(q, 1 - q) >= _LEAST_IOS_BEYOND else math.inf
    step = math.sqrt(q * (1 - q) / max(latency.n, 1))
    value = latency.histogram.quantile_ns(q)
    if q - step < 0 or q + step > 1 or value <= 0:
        return math.inf
    above = latency.histogram.quantile_ns(q + step)
    return (above - latency.histogram.quantile_ns(q - step)) / 2 / value


def least_ios(path: str, defined: tuple[DefinedMetric, ...] = ()) -> int:
    """How many I/Os a run has to have for a standard error of the quantile that a metric is, or
    of the worst of those that it is made of, not to reach past the slowest or the fastest of
    them: with fewer nothing is known of it. 0 where it is none of reads, writes or trims."""
    matches = (_match(part) for part in table_paths(path, defined))
    shares = [_share(m) for m in matches if m and m["direction"] != "sync"]
    return max((math.ceil(_odds(share) - _ROUNDING) for share in shares), default=0)


def typical_ios(
    path: str, measurements: Iterable[Measurement], defined: tuple[DefinedMetric, ...] = ()
) -> int:
    """The I/Os of the repetition with the median number of them; 0 where there are none."""
    kept = list(measurements)
    found = (_typical(m, kept) for part in table_paths(path, defined) if (m := _match(part)))
    return min((_count(parts) for parts in found if parts), default=0)


def _match(path: str) -> re.Match[str] | None:
    return _QUANTILE.fullmatch(_TAIL.sub("clat.p99", path))


def _share(match: re.Match[str]) -> float:
    return float(match["percent"]) / 100


def _odds(share: float) -> float:
    """Of the larger side of a quantile to the smaller one."""
    smaller = min(share, 1 - share)
    return (1 - smaller) / smaller if smaller > 0 else 0.0


def _typical_error(path: str, measurements: Iterable[Measurement]) -> float | None:
    """Of a metric of the table; None for one that is no quantile, or was not measured."""
    match = _match(path)
    parts = _typical(match, measurements) if match else None
    if not match or not parts:
        return None
    latency = merged_latency(parts)
    return math.inf if latency is None else sampling_error(latency, _share(match))


def _typical(match: re.Match[str], measurements: Iterable[Measurement]) -> list[Latency] | None:
    """The latencies of the repetition with the median number of I/Os."""
    parts = (_parts(match, measurement) for measurement in measurements)
    ordered = sorted((each for each in parts if each), key=_count)
    return ordered[(len(ordered) - 1) // 2] if ordered else None


def _parts(match: re.Match[str], measurement: Measurement) -> list[Latency]:
    jobs = [job for job in measurement.jobs if match["job"] in (None, job.name)]
    parts = (getattr(part, match["kind"]) for part in directions_of(jobs, match["direction"]))
    return [part for part in parts if part is not None]


def _count(parts: Iterable[Latency]) -> int:
    return sum(part.n for part in parts)
