"""What the members of an alert say together."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from iogate.model.trend import Change, Evidence
from iogate.trend.series import Series

MOST = 100  # members that are looked at, the largest: more say the same again
_NIGHTS = 60  # before the change, from which it is known how they move together


def add_up(members: Sequence[tuple[Series, Change]], before: int) -> Evidence | None:
    """The evidence of changes that one alert is about, the largest first; None without any.
    ``before`` is the last night (index) that was certainly before all of them."""
    if not members:
        return None
    from iogate.stats.pooled import pooled

    shown = members[:MOST]
    ways = [1 if change.after > change.before else -1 for _, change in shown]
    rows = _common([series for series, _ in shown], before)
    together = pooled([change.sigma for _, change in shown], rows, ways)
    return Evidence(len(members), together.independent, together.sigma)


def _common(many: Sequence[Series], before: int) -> list[list[float]]:
    """The values of the last nights up to one that all of these series have."""
    own = [dict(zip(series.nights, series.values, strict=True)) for series in many]
    shared = set(own[0]).intersection(*own[1:])
    ordered = sorted(shared)
    kept = ordered[: bisect_right(ordered, before)][-_NIGHTS:]
    return [[values[night] for night in kept] for values in own]
