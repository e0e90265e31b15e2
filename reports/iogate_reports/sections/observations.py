"""Metrics that no threshold judges, folded case by case."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.model.units import format_value
from iogate.model.verdict import Observation
from iogate_reports.data import CaseData, Page
from iogate_reports.sections.base import View
from iogate_reports.text import median, overlap, plural, relative_change, short
from iogate_reports.words import describe_change


def view(page: Page) -> View | None:
    """Cases with metrics that nothing judges; None without any."""
    cases = [(one, unjudged(one)) for one in page.cases]
    shown = [(one, found) for one, found in cases if found]
    if not shown:
        return None
    return {
        "cases": [
            (short(one.case.name), plural(len(found), "metric"), [_row(seen) for seen in found])
            for one, found in shown
        ],
        "compared": any(seen.baseline_samples for _, found in shown for seen in found),
    }


def unjudged(data: CaseData) -> Sequence[Observation]:
    """A case's observations of metrics without a threshold."""
    judged = {one.threshold.metric for one in data.thresholds}
    return [one for one in data.observations if one.metric not in judged]


def _row(seen: Observation) -> dict[str, object]:
    value, before = median(seen.samples), median(seen.baseline_samples)
    finite = [v for v in seen.samples if not math.isnan(v)]
    return {
        "metric": short(seen.metric, 80),
        "value": format_value(value, seen.unit),
        "low": format_value(min(finite, default=None), seen.unit),
        "high": format_value(max(finite, default=None), seen.unit),
        "count": str(len(seen.samples)),
        "baseline": format_value(before, seen.unit),
        "change": describe_change(
            relative_change(value, before),
            seen.better,
            overlap=overlap(seen.samples, seen.baseline_samples),
        ),
    }
