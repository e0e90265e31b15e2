"""The JSON of fio 2 in the units of fio 3: latencies in ns, amounts in bytes, I/Os counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from iogate.foreign.fio_numbers import likely_ios

_LATENCIES = ("slat", "clat", "lat")
_MOMENTS = ("min", "max", "mean", "stddev")
_NS_PER_US = 1000
_KIB = 1024
_CLEARLY_BYTES = 32  # between 1, where amounts are in KiB, and 1024


def is_of_two(part: Mapping[str, Any]) -> bool:
    """Whether a direction of a job is as version 2 wrote it: latencies name no unit."""
    return any(name in part for name in _LATENCIES)


def counts(part: Mapping[str, Any]) -> bool:
    """Whether a direction says how many I/Os there were: versions before 2.1.12 do not."""
    return "total_ios" in part or not part.get("runtime")


def modernised(part: Mapping[str, Any]) -> dict[str, Any]:
    """A direction as fio 3 would have written it; where the number of I/Os is missing, it is
    worked out from the rate."""
    seconds = part.get("runtime", 0) / 1000
    modern = {key: value for key, value in part.items() if key not in _LATENCIES}
    modern["io_bytes"] = part.get("io_bytes", 0) * _unit(part)
    if "total_ios" not in part:
        total, exact = likely_ios(modern["io_bytes"], part.get("iops", 0), seconds)
        modern |= {"total_ios": total} | ({"iops": total / seconds} if exact else {})
    for name in _LATENCIES:
        if name in part:
            modern[f"{name}_ns"] = _in_ns(part[name])
    return modern


def _unit(part: Mapping[str, Any]) -> int:
    """Its amounts are in KiB but for the latest of version 2: the rate, always in KiB, tells."""
    in_kib = part.get("bw", 0) * part.get("runtime", 0) / 1000
    return 1 if in_kib and part.get("io_bytes", 0) > in_kib * _CLEARLY_BYTES else _KIB


def _in_ns(latency: Mapping[str, Any]) -> dict[str, Any]:
    """Places of the list of percentiles that are not used are of 0 %."""
    modern = {**latency, **{key: latency[key] * _NS_PER_US for key in _MOMENTS}}
    modern["percentile"] = {
        percent: value * _NS_PER_US
        for percent, value in latency.get("percentile", {}).items()
        if float(percent)
    }
    return modern
