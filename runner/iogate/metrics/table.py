"""The one table of metrics. To add one: a file with its ``ROWS``, and a line here."""

from __future__ import annotations

from importlib import import_module

from iogate.metrics.base import Row

_FAMILIES = (
    "rates",
    "latency",
    "derived",
    "system",
)

TABLE: tuple[Row, ...] = tuple(
    row for name in _FAMILIES for row in import_module(f"iogate.metrics.{name}").ROWS
)
