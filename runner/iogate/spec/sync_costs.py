"""What a job that syncs among its writes waits for, and which metrics have it."""

from __future__ import annotations

# Each makes the job wait for its data to be on the device, every so many writes.
SYNCS_AMONG_WRITES = ("fsync", "fdatasync", "sync_file_range")
_LATENCIES = ("slat", "clat", "lat", "intended_lat")
_RATES = ("iops", "bw", "stalls")


def _parts(path: str) -> tuple[str, str]:
    """The direction and the name of a metric's path, whichever job it is of."""
    direction, _, rest = path.partition(".")
    if direction == "jobs":
        direction, _, rest = rest.partition(".")[2].partition(".")
    return direction, rest.partition(".")[0]


def is_latency_of_writes(path: str) -> bool:
    """Whether a metric is the time that single writes take."""
    direction, name = _parts(path)
    return direction == "write" and name in _LATENCIES


def counts_syncs(path: str) -> bool:
    """Whether a metric gets worse when syncs do: they are its own, or it is a rate of what they
    hold up."""
    direction, name = _parts(path)
    return direction in ("sync", "all", "runtime") or name in _RATES
