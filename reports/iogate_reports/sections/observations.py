"""Metrics of a case that no threshold judges."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.model.units import format_value
from iogate.model.verdict import Observation
from iogate_reports.data import CaseData
from iogate_reports.labels import Change, describe_change
from iogate_reports.sections.base import View
from iogate_reports.text import median, overlap, relative_change, short


def metrics(data: CaseData) -> View | None:
    """The table of what a case measured and nothing judges; None without any."""
    observations = unjudged(data)
    if not observations:
        return None
    compared = any(seen.baseline_samples for seen in observations)
    return {"rows": [_row(seen) for seen in observations], "compared": compared}


def as_text(data: CaseData) -> str:
    """The same in lines of text, without what was zero all along: a tenth of the markup.
    ``write.bw 467 MiB/s, n 3, 0.0 % = same``."""
    shown = [
        observation
        for observation in unjudged(data)
        if any((*observation.samples, *observation.baseline_samples))
    ]
    return "\n".join(map(_line, shown))


def _line(seen: Observation) -> str:
    row = _row(seen)
    change = row["change"]
    told = f", {change.text} {change.arrow} {change.word}" if isinstance(change, Change) else ""
    return f"{row['metric']} {row['value']}, n {row['count']}{told}"


def unjudged(data: CaseData) -> Sequence[Observation]:
    """A case's observations of metrics without a threshold, as far as anything counts."""
    judged = {verdict.threshold.metric for verdict in data.thresholds}
    return [seen for seen in data.observations if seen.samples and seen.metric not in judged]


def _count(seen: Observation) -> str:
    before = f" vs {len(seen.baseline_samples)}" if seen.baseline_samples else ""
    return f"{len(seen.samples)}{before}"


def _row(seen: Observation) -> dict[str, object]:
    value, before = median(seen.samples), median(seen.baseline_samples)
    finite = [v for v in seen.samples if not math.isnan(v)]
    return {
        "metric": short(seen.metric, 80),
        "value": format_value(value, seen.unit),
        "low": format_value(min(finite, default=None), seen.unit),
        "high": format_value(max(finite, default=None), seen.unit),
        "count": _count(seen),
        "baseline": format_value(before, seen.unit),
        "change": describe_change(
            relative_change(value, before),
            seen.better,
            overlap=overlap(seen.samples, seen.baseline_samples),
        ),
    }
