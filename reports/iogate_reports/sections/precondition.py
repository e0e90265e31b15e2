"""The state that the devices of a run were brought to before it, and when."""

from __future__ import annotations

from iogate.model.units import Unit, format_value
from iogate_reports.charts import RUN_CHARTS
from iogate_reports.data import Page
from iogate_reports.sections.base import View
from iogate_reports.text import moment, short

SHOWN = 100


def view(page: Page) -> View | None:
    """A row a device, and the rounds until it was steady; None for a run without any."""
    found = page.run.preconditions
    if not found:
        return None
    rows = [
        {
            "device": short(one.device, 80),
            "target": short(one.target, 80),
            "text": short(one.text, 300),
            "when": moment(one.at_ns),
            "run": short(one.run_id, 12),
            "written": format_value(float(one.written_bytes), Unit.BYTES_PER_SECOND)
            .removesuffix("/s"),
            "steady": short(one.steady.found, 200) if one.steady else "not asked for",
        }
        for one in found[:SHOWN]
    ]  # fmt: skip
    figures = [figure for chart in RUN_CHARTS.values() for figure in chart(page.run)][:SHOWN]
    return {"rows": rows, "figures": figures, "left_out": max(len(found) - SHOWN, 0)}
