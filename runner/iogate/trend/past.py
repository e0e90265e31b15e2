"""All changes that a history tells of: those of today, those that earlier nights showed, and
those that ended with an acceptance, as the nights showed them when it was taken."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import replace

from iogate.model.decision import Decision
from iogate.model.night import Night
from iogate.trend.changes import Told, find_history
from iogate.trend.decisions import acceptances
from iogate.trend.series import Series


def find_all_changes(
    many: Sequence[Series], nights: Sequence[Night], holding: Sequence[Decision]
) -> list[Told]:
    """What is told of each series."""
    eras = [
        (n, era, end) for n, each in enumerate(many) for era, end in _eras(each, nights, holding)
    ]
    told = find_history([*many, *(era for _, era, _ in eras)])
    all_told = told[: len(many)]
    for (n, _, end), past in zip(eras, told[len(many) :], strict=True):
        before = (
            replace(change, accepted=not change.closed)
            for change in past.changes
            if change.last_before < end
        )
        changes = sorted((*before, *all_told[n].changes), key=lambda change: change.estimate)
        all_told[n] = replace(all_told[n], changes=tuple(changes))
    return all_told


def _eras(
    series: Series, nights: Sequence[Night], holding: Sequence[Decision]
) -> Iterator[tuple[Series, int]]:
    """What the series had between two acceptances, with the nights that were there when the
    later one was taken; and the first night (index) of the level that it accepted."""
    if not series.start:
        return
    times = [nights[index].facts.started_ns for index in series.nights]
    begin = 0
    for decision in acceptances(series, holding):
        start = min(bisect_left(times, decision.to_ns), len(times) - 1)
        known = bisect_right(times, decision.at_ns)
        if begin < start < known:
            own = slice(begin, known)
            era = replace(
                series, nights=series.nights[own], values=series.values[own], start=0, spreads=()
            )
            yield era, series.nights[start]
        begin = max(begin, start)
