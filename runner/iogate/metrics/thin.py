"""Is a quantile backed by enough I/Os to be compared?"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from statistics import median_low

from iogate.metrics.combine import directions_of
from iogate.metrics.path import table_paths
from iogate.model.measurement import Measurement
from iogate.model.spec import DefinedMetric

LEAST_IOS_BEYOND = 1000
_TAIL = re.compile(r"\btail$")  # p99 over p50
_QUANTILE = re.compile(
    r"(?:jobs\.(?P<job>.+)\.)?(?P<direction>read|write|trim|sync|all)\."
    r"(?P<kind>slat|clat|lat|intended_lat)\.p(?P<percent>[0-9.]+)"
)


def ios_beyond(
    path: str, measurement: Measurement, defined: tuple[DefinedMetric, ...] = ()
) -> float | None:
    """How many I/Os of a repetition lie beyond the quantile of a latency that a metric is, or the
    thinnest of those that it is made of; None for one without any. p99 of 100,000 I/Os has 1,000
    beyond it."""
    counts = (_beyond(part, measurement) for part in table_paths(path, defined))
    return min((count for count in counts if count is not None), default=None)


def too_thin(
    path: str, measurements: Iterable[Measurement], defined: tuple[DefinedMetric, ...] = ()
) -> float | None:
    """The number of I/Os beyond the quantile in the median repetition, where it is too small.
    A single repetition that stalled is noise, as it is in every other metric."""
    counts = [ios_beyond(path, measurement, defined) for measurement in measurements]
    known = [count for count in counts if count is not None]
    typical = median_low(known) if known else math.inf
    return typical if typical < LEAST_IOS_BEYOND else None


def _beyond(path: str, measurement: Measurement) -> float | None:
    """Of a metric of the table."""
    match = _QUANTILE.fullmatch(_TAIL.sub("clat.p99", path))
    if not match:
        return None
    jobs = [job for job in measurement.jobs if match["job"] in (None, job.name)]
    parts = (getattr(part, match["kind"]) for part in directions_of(jobs, match["direction"]))
    count = sum(part.n for part in parts if part is not None)
    share = float(match["percent"]) / 100
    # The median has as many on either side; the least quantiles have theirs below.
    return float(count * min(1 - share, share))
