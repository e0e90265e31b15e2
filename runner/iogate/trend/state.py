"""What one line of the table says."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from iogate.model.trend import Alert, AlertState, Change, Hopping, SeriesState, SeriesTrend, Turn
from iogate.stats.robust import median
from iogate.trend.series import LEAST_NIGHTS, Series


def describe_series(
    series: Series,
    changes: Sequence[tuple[Change, Alert]],
    recoveries: Sequence[Change] = (),
    hopping: Hopping | None = None,
) -> SeriesTrend:
    """The line of a series with its changes, each with its alert, oldest first; and those that
    are the end of one of them. ``hopping`` is told where no change goes on."""
    moved = (m.first_after for m in (*(change for change, _ in changes), *recoveries))
    since = max((series.nights[series.start], *moved))
    state, about = _state(series, changes)
    now = hopping if about is None and hopping and hopping.until is None else None
    line = series.line
    level = median(series.values[bisect_left(series.nights, since) :])
    if now:
        state = SeriesState.HOPPING
        level = min(now.levels, key=lambda each: abs(each - series.values[-1]))
    return SeriesTrend(
        case_id=line.case_ids[0],
        case=line.case,
        metric=line.metric.path,
        unit=line.metric.unit,
        better=line.metric.better,
        host=series.host.name,
        machine_id=series.host.machine_id,
        environment=series.environment,
        nights=series.nights,
        values=series.values,
        start=series.start,
        last=series.values[-1],
        level=level,
        state=state,
        change=_relative(level, about[0].before) if about else None,
        alert=about[1].id if about else "",
        recoveries=tuple(recoveries),
        hopping=hopping,
        lows=tuple(spread.low for spread in series.spreads),
        highs=tuple(spread.high for spread in series.spreads),
        counts=tuple(spread.count for spread in series.spreads),
        confidence=min((s.confidence for s in series.spreads if s.count > 1), default=0.0),
    )


def _state(
    series: Series, changes: Sequence[tuple[Change, Alert]]
) -> tuple[SeriesState, tuple[Change, Alert] | None]:
    """The state, and the change that it is about: the first regression that goes on, else
    the last improvement."""
    going_on = [(c, alert) for c, alert in changes if not c.is_over]
    for alert_state, state in (
        (AlertState.OPEN, SeriesState.REGRESSED),
        (AlertState.SUSPECT, SeriesState.SUSPECT),
        (AlertState.ACKNOWLEDGED, SeriesState.ACKNOWLEDGED),
    ):
        for change, alert in going_on:
            if change.turn is Turn.REGRESSION and alert.state is alert_state:
                return state, (change, alert)
    for change, alert in reversed(going_on):
        suspect = alert.state is AlertState.SUSPECT
        known = alert.state is AlertState.ACKNOWLEDGED
        state = SeriesState.SUSPECT if suspect else SeriesState.IMPROVED
        return (SeriesState.ACKNOWLEDGED if known else state), (change, alert)
    short = len(series.values) - series.start < LEAST_NIGHTS
    return (SeriesState.SHORT if short else SeriesState.STEADY), None


def _relative(level: float, before: float) -> float | None:
    return level / before - 1 if before > 0 and level > 0 else None
