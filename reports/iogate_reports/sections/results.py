"""The table of limits: one row a case and limit, failures first."""

from __future__ import annotations

from markupsafe import Markup

from iogate_reports.charts import interval_bar
from iogate_reports.data import Page
from iogate_reports.rows import rows
from iogate_reports.sections.base import View
from iogate_reports.text import plural

MOST_SHOWN = 2000
"""Limits beyond so many, the best ones, are counted, not shown."""

MOST_SHOWN = 2000
"""Limits beyond so many, the best ones, are counted, not shown."""


def view(page: Page) -> View | None:
    """One row a threshold; None for a run that was not judged."""
    verdict = page.run.verdict
    if verdict is None:
        return None
    every = rows(page)
    found = every[:MOST_SHOWN]
    bars = [interval_bar.bar(row.verdict) for row in found]
    axis = interval_bar.axis([bar for bar in bars if bar is not None])
    drawn = [
        Markup(interval_bar.draw(bar, axis)) if bar else ""  # noqa: S704 - own SVG
        for row, bar in zip(found, bars, strict=True)
    ]
    return {
        "rows": list(zip(found, drawn, strict=True)),
        "count": plural(len(every), "limit"),
        "left_out": len(every) - len(found),
        "axis": Markup(interval_bar.draw_head(axis)),  # noqa: S704 - our own SVG
        "against_limit": any(bar is not None and bar.zero == "limit" for bar in bars),
        "against_baseline": any(bar is not None and bar.zero == "baseline" for bar in bars),
    }
