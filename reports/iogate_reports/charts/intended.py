"""Latency percentiles of a job with a rate: from the issue of its I/Os, and from when they
were due."""

from __future__ import annotations

from iogate.model.units import Unit, format_value
from iogate_reports.charts import percentiles
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.charts.lanes import quantiles_ns
from iogate_reports.charts.waits import Waits, waits
from iogate_reports.data import CaseData

NOTE = (
    "The job has a rate: each I/O has a time when it is due. Where the upper curve leaves the "
    "lower one, I/Os waited before they could be issued."
)


def figures(data: CaseData) -> list[Figure]:
    """A figure a direction; none for jobs without a rate."""
    drawn = (_figure(waiting) for waiting in waits(data.measurements))
    return [figure for figure in drawn if figure is not None]


def _figure(waiting: Waits) -> Figure | None:
    due = percentiles.curve(waiting.due, "from when it was due", "s1")
    issued = percentiles.curve(waiting.issued, "from its issue (clat)", "s0")
    if due is None or issued is None:
        return None
    title = f"{waiting.direction.capitalize()} latency, as due and as issued"
    told = waiting.told() or "The two starts give about the same latency."
    return Figure(
        title=title,
        svg=percentiles.draw(title, told, [issued, due], [], name="latency"),
        table=_table(waiting),
        legend=(Key(due.style, due.label), Key(issued.style, issued.label)),
        note=NOTE,
    )


def _table(waiting: Waits) -> Table:
    """As far as an I/O lies beyond."""
    labels = {n: s for n, s in percentiles.LABELS.items() if waiting.due.count * (1 - s) > 0.999}
    shares = list(labels.values())
    columns = quantiles_ns(waiting.issued, shares), quantiles_ns(waiting.due, shares)
    rows = (
        (name, *(format_value(value, Unit.NANOSECONDS) for value in pair), _ratio(*pair))
        for name, *pair in zip(labels, *columns, strict=True)
    )
    return Table(("percentile", "from its issue", "from when it was due", "ratio"), tuple(rows))


def _ratio(issued: float, due: float) -> str:
    return f"{due / issued:,.1f}×" if issued > 0 else "–"
