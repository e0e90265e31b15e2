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
    preconditions = page.run.preconditions
    if not preconditions:
        return None
    rows = [
        {
            "device": short(precondition.device, 80),
            "target": short(precondition.target, 80),
            "text": short(precondition.text, 300),
            "when": moment(precondition.at_ns),
            "run": short(precondition.run_id, 12),
            "written": format_value(float(precondition.written_bytes), Unit.BYTES_PER_SECOND)
            .removesuffix("/s"),
            "steady": (
                short(precondition.steady.found, 200) if precondition.steady else "not asked for"
            ),
        }
        for precondition in preconditions[:SHOWN]
    ]  # fmt: skip
    figures = [figure for chart in RUN_CHARTS.values() for figure in chart(page.run)][:SHOWN]
    return {"rows": rows, "figures": figures, "left_out": max(len(preconditions) - SHOWN, 0)}
