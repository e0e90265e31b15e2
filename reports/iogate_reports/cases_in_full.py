"""Which cases show all of their charts: in a report of hundreds not all can."""

from __future__ import annotations

from iogate_reports.data import CaseData, Page
from iogate_reports.labels import ERROR, OUTCOMES, Word

ALL = 24
"""Up to so many cases all are shown in full."""
MOST = 4
"""With more, the worst so many are; the others are shown at a glance."""


def in_full(page: Page) -> frozenset[str]:
    """Anchors of the cases shown with all their charts, chosen by the worst word of each,
    within it in plan order."""
    if len(page.cases) <= ALL:
        return frozenset(case.anchor for case in page.cases)
    ranked = sorted(page.cases, key=_rank)
    return frozenset(data.anchor for data in ranked[:MOST])


def worst(data: CaseData) -> Word | None:
    """The case's word: not measured, else its worst threshold's; None without any."""
    if data.failures and not data.measurements:
        return ERROR
    words = [OUTCOMES[verdict.outcome] for verdict in data.thresholds]
    return min(words, key=lambda word: word.rank, default=None)


def _rank(data: CaseData) -> int:
    word = worst(data)
    return word.rank if word else len(OUTCOMES)
