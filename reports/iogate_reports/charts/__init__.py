"""The charts, in the order they stand on a page.

A new one is a file with ``figures``, and a line here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

from iogate_reports.charts import svg
from iogate_reports.charts.base import CaseChart, Figure, RunChart, Table, WorkloadChart

_SIZE = (420, 40)
_BEYOND = "these numbers are beyond what can be drawn"


def _charts(*names: str) -> dict[str, Any]:
    return {name: _whatever_comes(import_module(f"{__name__}.{name}").figures) for name in names}


def _whatever_comes(chart: Callable[[Any], Sequence[Figure]]) -> Callable[[Any], Sequence[Figure]]:
    """The same, of numbers that are no measurement's too: a document may say 1e308 or infinity, and
    what lies between two of them is none."""

    def figures(data: Any) -> Sequence[Figure]:
        try:
            return tuple(chart(data))
        except (ArithmeticError, ValueError):
            return (_not_drawn(),)

    return figures


def _not_drawn() -> Figure:
    picture = svg.document(_SIZE, "Not drawn", _BEYOND, [svg.text(4, 24, _BEYOND)])
    return Figure("Not drawn", picture, Table((), ()))


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
