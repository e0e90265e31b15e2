"""Metrics of a case that no threshold judges."""

from __future__ import annotations

import math
from collections.abc import Sequence

from iogate.model.units import format_value
from iogate.model.verdict import Observation
from iogate_reports.data import CaseData
from iogate_reports.sections.base import View
from iogate_reports.text import median, overlap, relative_change, short
from iogate_reports.words import Change, describe_change


def metrics(data: CaseData) -> View | None:
    """The table of what a case measured and nothing judges; None without any."""
    found = unjudged(data)
    if not found:
        return None
    compared = any(seen.baseline_samples for seen in found)
    return {"rows": [_row(seen) for seen in found], "compared": compared}


def as_text(data: CaseData) -> str:
    """The same in lines of text, without what was zero all along: a tenth of the markup."""
    shown = [one for one in unjudged(data) if any((*one.samples, *one.baseline_samples))]
    if not shown:
        return ""
    rows = [("metric", "median", "baseline", "change"), *map(_line, shown)]
    rows = rows if any(one.baseline_samples for one in shown) else [row[:2] for row in rows]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )


def _line(seen: Observation) -> tuple[str, ...]:
    found = _row(seen)
    change = found["change"]
    told = f"{change.text} {change.arrow} {change.word}" if isinstance(change, Change) else "–"
    return str(found["metric"]), str(found["value"]), str(found["baseline"]), told


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
