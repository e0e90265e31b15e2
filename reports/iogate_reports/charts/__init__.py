"""The charts, in the order they stand on a page.

A new one is a file with ``figures``, and a line here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from iogate_reports.charts.base import CaseChart, RunChart, WorkloadChart


def _charts(*names: str) -> dict[str, Any]:
    return {name: import_module(f"{__name__}.{name}").figures for name in names}


CASE_CHARTS: dict[str, CaseChart] = _charts(
    "percentiles",
    "intended",
    "over_time",
    "heatmap",
    "cdf",
    "blocks",
    "repetitions",
    "past",
)

WORKLOAD_CHARTS: dict[str, WorkloadChart] = _charts(
    "sweep",
    "matrix",
    "knee",
)

RUN_CHARTS: dict[str, RunChart] = _charts(
    "steady",
)
