"""Charts of whole workloads: the sweep that a spec asks for, or a matrix at a glance."""

from __future__ import annotations

from iogate_reports.charts import WORKLOAD_CHARTS
from iogate_reports.data import Page
from iogate_reports.sections.base import View


def view(page: Page) -> View | None:
    """All figures of all workloads; None where nothing asks for one."""
    figures = [
        figure
        for workload in page.workloads
        for chart in WORKLOAD_CHARTS.values()
        for figure in chart(workload)
    ]
    return {"figures": figures} if figures else None
