"""The table of limits: one row a case and limit, failures first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import Markup

from iogate_reports import history
from iogate_reports.charts import interval_bar, spark
from iogate_reports.data import Page
from iogate_reports.limit_rows import Row, rows
from iogate_reports.sections.base import View
from iogate_reports.text import plural

MANY = 400
"""With more limits than so many, not each has its history beside it."""
MOST_SHOWN = 2000
"""Limits beyond so many, the best ones, are counted, not shown."""


def _sparks(page: Page, shown: Sequence[Row]) -> Iterator[str]:
    """The history of each row's metric, drawn once and shown again by the rows after it. Of
    very many rows, only those that did not pass have one."""
    names: dict[tuple[str, str], str] = {}
    for row in shown:
        key = row.verdict.case_id, row.verdict.threshold.metric
        line = page.history.get(key)
        spared = len(shown) > MANY and row.word.key == "pass"
        if line is None or spared:
            yield ""
        elif key in names:
            yield Markup(spark.again(names[key]))  # noqa: S704 - our own SVG
        else:
            names[key] = f"k{len(names)}"
            yield Markup(spark.small(line, names[key]))  # noqa: S704 - our own SVG


def view(page: Page) -> View | None:
    """One row a threshold; None for a run that was not judged."""
    verdict = page.run.verdict
    if verdict is None:
        return None
    every = rows(page)
    shown = every[:MOST_SHOWN]
    bars = [interval_bar.bar(row.verdict) for row in shown]
    axis = interval_bar.axis([bar for bar in bars if bar is not None])
    drawn = [
        Markup(interval_bar.draw(bar, axis)) if bar else ""  # noqa: S704 - own SVG
        for row, bar in zip(shown, bars, strict=True)
    ]
    return {
        "rows": list(zip(shown, drawn, _sparks(page, shown), strict=True)),
        "days": history.DAYS if page.history else 0,
        "spared": len(shown) > MANY,
        "sides": page.sides,
        "count": plural(len(every), "limit"),
        "left_out": len(every) - len(shown),
        "axis": Markup(interval_bar.draw_head(axis)),  # noqa: S704 - our own SVG
        "beyond": any(bar and interval_bar.is_beyond(bar, axis) for bar in bars),
        "against_limit": any(bar is not None and bar.zero == "limit" for bar in bars),
        "against_baseline": any(bar is not None and bar.zero == "baseline" for bar in bars),
    }
