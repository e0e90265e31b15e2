"""Whether a percentile that a limit is about has any I/O beyond it."""

from __future__ import annotations

import re

from iogate.model.measurement import Measurement
from iogate_reports.data import CaseData
from iogate_reports.text import median, plural

_PERCENTILE = re.compile(
    r"(?:jobs\.(?P<job>.+)\.)?(?P<direction>read|write|trim|sync|all)\."
    r"(?P<kind>slat|clat|lat|intended_lat)\.(?P<name>p(?P<percent>\d{1,3}(?:\.\d{1,9})?))"
)
_ROUNDING = 1e-9


def few_ios(metric: str, data: CaseData) -> str:
    """``p99.9 of 3 I/Os, none of which is beyond it`` of a typical repetition; empty where there
    are enough, or where it is not known."""
    match = _PERCENTILE.fullmatch(metric)
    counts = [_count(match, m) for m in data.measurements] if match else []
    typical = median([float(count) for count in counts if count])
    if match is None or typical is None:
        return ""
    beyond = typical * (1 - float(match["percent"]) / 100)
    if beyond >= 1 - _ROUNDING:
        return ""
    return f"{match['name']} of {plural(int(typical), 'I/O')}, none of which is beyond it"


def _count(match: re.Match[str], measurement: Measurement) -> int:
    """The I/Os of a repetition that the percentile is of."""
    wanted = match["direction"]
    latencies = (
        getattr(direction, match["kind"])
        for job in measurement.jobs
        for name, direction in job.directions.items()
        if match["job"] in (None, job.name)
        and (name == wanted or (wanted == "all" and name != "sync"))
    )
    return sum(latency.n for latency in latencies if latency)
