"""The words of a trend, each with its mark and its meaning."""

from __future__ import annotations

from iogate.model.trend import AlertState, SeriesState
from iogate_reports.labels import Word

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
    SeriesState.STEADY: Word(
        "steady", "steady", 4, "No change of level since the last one settled."
    ),
    SeriesState.SHORT: Word("short", "too short", 5, "Too few nights to tell a change from noise."),
}

ALERTS: dict[AlertState, Word] = {
    AlertState.OPEN: Word("fail", "open", 0, ""),
    AlertState.SUSPECT: Word("inconclusive", "suspect", 1, ""),
    AlertState.ACKNOWLEDGED: Word("missing", "acknowledged", 2, ""),
    AlertState.CLOSED: Word("short", "closed", 3, ""),
}
