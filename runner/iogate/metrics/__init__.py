"""Metrics: one table, and the grammar of their paths.

``metric("write.clat.p99")`` is a metric, ``TABLE`` every family of them, and
``default_metrics(measurements)`` the paths worth showing for some repetitions.
"""

from __future__ import annotations

from iogate.metrics.base import Metric, Row
from iogate.metrics.defaults import default_metrics, is_always_kept, kept_metrics, kept_values
from iogate.metrics.expression import ExpressionError
from iogate.metrics.faults import KERNEL_ERRORS, counts_faults, failed_value
from iogate.metrics.path import (
    canonical_paths,
    is_kept_definition,
    make_defined,
    metric,
    table_paths,
)
from iogate.metrics.plan import plan_metrics
from iogate.metrics.table import TABLE

__all__ = [
    "KERNEL_ERRORS",
    "TABLE",
    "ExpressionError",
    "Metric",
    "Row",
    "canonical_paths",
    "counts_faults",
    "default_metrics",
    "failed_value",
    "is_always_kept",
    "is_kept_definition",
    "kept_metrics",
    "kept_values",
    "make_defined",
    "metric",
    "plan_metrics",
    "table_paths",
]
