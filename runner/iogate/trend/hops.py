"""Series that hop, in the nights of a trend, and the levels that were new to one."""

from __future__ import annotations

from itertools import groupby

from iogate.model.trend import Hopping
from iogate.trend.series import Series

_BRIEF = 2  # nights; a stay no longer than that is an excursion


def hopping_of(series: Series) -> Hopping | None:
    """How a series hops since its last accepted change, in nights of the trend."""
    from iogate.stats.hopping import hopping

    hops = hopping(series.values[series.start :])
    if hops is None:
        return None
    night = series.nights[series.start :]
    until = night[hops.until] if hops.until < len(night) else None
    return Hopping(hops.levels, hops.shares, hops.typical_stay, night[hops.since], until)


def new_levels(series: Series, hopping: Hopping) -> list[int]:
    """Where a level begins that the series stayed on once and never before or after: places in its
    values since the last accepted change. That it hops elsewhere does not make it one of its
    hops."""
    stays: dict[float, list[int]] = {}
    place = 0
    nearest = (
        min(hopping.levels, key=lambda level: abs(level - value))
        for value in series.values[series.start :]
    )
    for level, nights in groupby(nearest):
        count = len(list(nights))
        if count > _BRIEF:
            stays.setdefault(level, []).append(place)
        place += count
    return sorted(own[0] for own in stays.values() if len(own) == 1 and own[0])
