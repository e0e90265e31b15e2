"""How long there was no night, seen from today, and which nights are dated ahead of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import median

from iogate.model.trend import Trend

_DAY_NS = 86_400 * 10**9
_SILENT = 3
"""Times its usual days from night to night."""
_MONTH, _MONTHS_FROM = 30, 60
_YEAR, _YEARS_FROM = 365, 730


def silent_days(times_ns: Sequence[int], now_ns: int) -> int:
    """Days since the last of these nights, where they are several times as many as it usually takes
    from one to the next; else 0. Nights that are dated ahead of ``now_ns`` say nothing."""
    days = sorted({time // _DAY_NS for time in times_ns if time <= now_ns + _DAY_NS})
    gaps = [after - before for before, after in pairwise(days)]
    since = now_ns // _DAY_NS - days[-1] if days else 0
    return since if gaps and since > _SILENT * median(gaps) else 0


def days_ahead(times_ns: Sequence[int], now_ns: int) -> int:
    """By how many days the last of these nights is dated ahead of ``now_ns``; 0 where it is not."""
    return max((max(times_ns, default=0) - now_ns) // _DAY_NS, 0)


def silence_of(trend: Trend, now_ns: int) -> str:
    """``no night for 9 days``, or ``a night dated 45 days ahead``; empty where neither is so."""
    times = [night.started_ns for night in trend.nights]
    if days := silent_days(times, now_ns):
        return f"no night for {span(days)}"
    if days := days_ahead(times, now_ns):
        return f"a night dated {span(days)} ahead"
    return ""


def silent_hosts(trend: Trend, now_ns: int) -> Mapping[str, str]:
    """Machine id → ``no night for 9 days``, of those hosts of which that is so while others go
    on."""
    nights: dict[str, set[int]] = {}
    for series in trend.series:
        nights.setdefault(series.machine_id, set()).update(series.nights)
    days = {
        machine: silent_days([trend.nights[index].started_ns for index in of_host], now_ns)
        for machine, of_host in nights.items()
    }
    if all(days.values()):
        return {}
    return {machine: f"no night for {span(since)}" for machine, since in days.items() if since}


def span(days: int) -> str:
    """``1 day``, ``9 days``, ``10 months``, ``3 years``."""
    if days >= _YEARS_FROM:
        return f"{days // _YEAR} years"
    if days >= _MONTHS_FROM:
        return f"{days // _MONTH} months"
    return "1 day" if days == 1 else f"{days} days"
