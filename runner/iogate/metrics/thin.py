"""Is a quantile backed by enough I/Os to be compared?"""

from __future__ import annotations

import re

from iogate.metrics.combine import directions_of
from iogate.model.measurement import Measurement

LEAST_IOS_BEYOND = 1000
_QUANTILE = re.compile(
    r"(?:jobs\.(?P<job>.+)\.)?(?P<direction>read|write|trim|sync|all)\."
    r"(?P<kind>slat|clat|lat)\.p(?P<percent>[0-9.]+)"
)


def ios_beyond(path: str, measurement: Measurement) -> float | None:
    """How many I/Os of a repetition lie beyond the quantile that ``path`` names; None for a
    metric that is no quantile of a latency. p99 of 100,000 I/Os has 1,000 beyond it."""
    match = _QUANTILE.fullmatch(path)
    if not match:
        return None
    jobs = [job for job in measurement.jobs if match["job"] in (None, job.name)]
    parts = (getattr(part, match["kind"]) for part in directions_of(jobs, match["direction"]))
    count = sum(part.n for part in parts if part is not None)
    share = float(match["percent"]) / 100
    # The median has as many on either side; the least quantiles have theirs below.
    return float(count * min(1 - share, share))


def too_thin(path: str, measurements: tuple[Measurement, ...]) -> float | None:
    """The least number of I/Os beyond the quantile in a repetition, where it is too small."""
    counts = [ios_beyond(path, measurement) for measurement in measurements]
    least = min((count for count in counts if count is not None), default=None)
    return least if least is not None and least < LEAST_IOS_BEYOND else None
