"""The charts, in the order they stand on a page. A new one is a file and a line here."""

from __future__ import annotations

from iogate_reports.charts import cdf, heatmap, matrix, over_time, percentiles, repetitions, sweep
from iogate_reports.charts.base import CaseChart, WorkloadChart

CASE_CHARTS: dict[str, CaseChart] = {
    "percentiles": percentiles.figures,
    "over-time": over_time.figures,
    "heatmap": heatmap.figures,
    "cdf": cdf.figures,
    "repetitions": repetitions.figures,
}

WORKLOAD_CHARTS: dict[str, WorkloadChart] = {
    "sweep": sweep.figures,
    "matrix": matrix.figures,
}
