"""The words of a trend, each with its mark and its meaning."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from iogate.model.silence import silence_of
from iogate.model.trend import Alert, AlertState, SeriesState, Trend, Turn
from iogate.model.verdict import NOT_JUDGED, PARTLY_JUDGED
from iogate_reports.labels import Word
from iogate_reports.text import plural, short

STATES: dict[SeriesState, Word] = {
    SeriesState.REGRESSED: Word(
        "fail",
        "regressed",
        0,
        "The level moved for the worse, is confirmed, and nobody has taken note of it.",
    ),
    SeriesState.SUSPECT: Word(
        "inconclusive", "suspect", 1, "The last nights differ; more nights will confirm it or not."
    ),
    SeriesState.ACKNOWLEDGED: Word(
        "missing", "acknowledged", 2, "It moved, and somebody said that this is known."
    ),
    SeriesState.IMPROVED: Word("pass", "improved", 3, "The level moved for the better."),
    SeriesState.HOPPING: Word(
        "missing",
        "hopping",
        4,
        "It goes to and fro between a few levels that it has had before. A hop is no change; a"
        " level that it never had is.",
    ),
    SeriesState.STEADY: Word(
        "steady", "steady", 5, "No change of level since the last one settled."
    ),
    SeriesState.SHORT: Word("short", "too short", 6, "Too few nights to tell a change from noise."),
}

ALERTS: dict[AlertState, Word] = {
    AlertState.OPEN: Word("fail", "open", 0, ""),
    AlertState.SUSPECT: Word("inconclusive", "suspect", 1, ""),
    AlertState.ACKNOWLEDGED: Word("missing", "acknowledged", 2, ""),
    AlertState.ACCEPTED: Word("short", "accepted", 3, ""),
    AlertState.RECOVERED: Word("short", "recovered", 4, ""),
    AlertState.CLOSED: Word("short", "closed", 4, ""),
}
_ENDED = Word("short", "ended", 4, "")
_IMPROVED = STATES[SeriesState.IMPROVED]
_NAMED = 4
CALM = 4
"""The rank of the first word of a spec that wants no look."""


def alert_word(alert: Alert) -> Word:
    """Its state; an improvement is nothing to mend, and one that is over did not recover."""
    better = {AlertState.OPEN: _IMPROVED, AlertState.RECOVERED: _ENDED}
    told = better if alert.turn is Turn.IMPROVEMENT else ALERTS
    return told.get(alert.state, ALERTS[alert.state])


def is_over(alert: Alert) -> bool:
    """Whether nothing of it is left to do."""
    return ALERTS[alert.state].key == "short"


_LAST: dict[str, Word] = {
    "fail": Word("fail", "last run failed", 0, ""),
    "failed": Word("error", "last run not measured", 0, ""),
    "inconclusive": Word("inconclusive", "last run inconclusive", 1, ""),
    "missing-baseline": Word("missing", "last run without a baseline", 2, ""),
    NOT_JUDGED: Word("missing", "last run judged nothing", 2, ""),
    PARTLY_JUDGED: Word("missing", "last run judged in part", 3, ""),
    "warn": Word("warn", "last run with a warning", 3, ""),
}
"""How a run ended, where that was not well."""


def last_run(trend: Trend) -> Word | None:
    """How the newest run of a host ended, of all hosts the worst; None where all passed, or
    that is not known."""
    newest: dict[str, int] = {}
    for series in trend.series:
        night = max(series.nights, default=-1)
        newest[series.machine_id] = max(night, newest.get(series.machine_id, -1))
    ended = [trend.nights[night].ended for night in newest.values() if night >= 0]
    ended += [night.ended for night in trend.nights[-1:]]
    words = [_LAST[each] for each in ended if each in _LAST]
    return min(words, key=lambda word: word.rank, default=None)


def newest_night(trends: Iterable[Trend]) -> int:
    """When the newest night of all began (Unix nanoseconds); 0 where there is none."""
    return max((night.started_ns for trend in trends for night in trend.nights[-1:]), default=0)


def silent(trend: Trend, now_ns: int) -> Word | None:
    """Said of a spec that has had no night for several times as long as it usually takes, seen
    from ``now_ns``, or that has one dated ahead of that."""
    told = silence_of(trend, now_ns) if now_ns else ""
    return Word("missing", told, 3, "") if told else None


def standing(trend: Trend, now_ns: int = 0) -> Word:
    """Where a spec stands, for its tile on the index. Green only where its last run passed and is
    not long ago, seen from ``now_ns``, every series has nights enough to tell a change from noise,
    and none has moved for the worse."""
    opened = [alert.turn for alert in trend.alerts if alert.state is AlertState.OPEN]
    moved = opened.count(Turn.REGRESSION)
    suspects = sum(alert.state is AlertState.SUSPECT for alert in trend.alerts)
    if moved:
        return Word("fail", f"{moved} open", 0, "")
    if suspects:
        return Word("inconclusive", plural(suspects, "suspect"), 1, "")
    if word := last_run(trend) or silent(trend, now_ns):
        return word
    few = sum(series.state is SeriesState.SHORT for series in trend.series)
    if few or not trend.series:
        return Word(
            "short", f"{few} of {plural(len(trend.series), 'series', 'series')} too short", CALM, ""
        )
    hops = sum(series.state is SeriesState.HOPPING for series in trend.series)
    told = ["0 open"]
    told += [f"{len(opened)} improved"] if opened else []
    told += [f"{hops} hopping"] if hops else []
    return Word("pass", ", ".join(told), CALM + 1, "")


def calm(trends: Sequence[Trend], now_ns: int) -> str:
    """What is said where no alert is left: no more than the series can tell, which runs did not
    end well, and which are long ago, seen from ``now_ns``."""
    unwell = ((trend.spec, last_run(trend) or silent(trend, now_ns)) for trend in trends)
    ended = [(spec, word) for spec, word in unwell if word]
    told = [f"{short(spec, 60)} ({word.word})" for spec, word in ended[:_NAMED]]
    told += [f"and {len(ended) - _NAMED} more"] if len(ended) > _NAMED else []
    return _levels(trends) + (f" But look at {', '.join(told)}." if told else "")


def _levels(trends: Sequence[Trend]) -> str:
    series = [each for trend in trends for each in trend.series]
    few = sum(each.state is SeriesState.SHORT for each in series)
    nights = all(trend.counted_in == "night" for trend in trends)
    short_of = "too few nights" if nights else "too few runs"
    if series and few == len(series):
        return f"Nothing can be told yet: every series has {short_of} to tell a change from noise."
    if few:
        return (
            f"Nothing that could be told: {few} of {len(series)} series have {short_of} to"
            " tell a change from noise."
        )
    hops = sum(each.state is SeriesState.HOPPING for each in series)
    if hops:
        return (
            f"Nothing but {plural(hops, 'series', 'series')} that {'hops' if hops == 1 else 'hop'}"
            " as before: every other level is where it was, or what moved is settled."
        )
    return "Nothing: every level is where it was, or what moved is settled."
