"""The charts, in the order they stand on a page. A new one is a file and a line here."""

from __future__ import annotations

from iogate_reports.charts import (
    blocks,
    cdf,
    heatmap,
    intended,
    knee,
    matrix,
    over_time,
    past,
    percentiles,
    repetitions,
    steady,
    sweep,
)
from iogate_reports.charts.base import CaseChart, RunChart, WorkloadChart

CASE_CHARTS: dict[str, CaseChart] = {
    "percentiles": percentiles.figures,
    "intended": intended.figures,
    "over-time": over_time.figures,
    "heatmap": heatmap.figures,
    "cdf": cdf.figures,
    "blocks": blocks.figures,
    "repetitions": repetitions.figures,
    "past": past.figures,
}

WORKLOAD_CHARTS: dict[str, WorkloadChart] = {
    "sweep": sweep.figures,
    "matrix": matrix.figures,
    "knee": knee.figures,
}

RUN_CHARTS: dict[str, RunChart] = {
    "steady": steady.figures,
}
