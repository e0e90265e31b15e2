"""The nights before a run, where the history knows them: the level, its changes, the run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from iogate.model.verdict import Outcome
from iogate_reports.charts import nights
from iogate_reports.charts.base import Figure
from iogate_reports.data import CaseData
from iogate_reports.history import DAYS

MOST = 2
"""Metrics of a case; the others have their small picture."""


def figures(data: CaseData) -> list[Figure]:
    """A figure for each judged metric whose limit did not pass, or whose level moved; of the
    others the small picture beside their limit says it all."""
    return list(islice(_figures(data), MOST))


def _figures(data: CaseData) -> Iterator[Figure]:
    telling: dict[str, bool] = {}
    for verdict in data.thresholds:
        metric = verdict.threshold.metric
        telling[metric] = telling.get(metric, False) or verdict.outcome is not Outcome.PASS
    for metric, fails in telling.items():
        line = data.history.get(metric)
        if line is not None and (fails or line.moves):
            figure = nights.figure(line, data.nights)
            yield replace(figure, title=f"{figure.title}, the last {DAYS} days", full=True)
