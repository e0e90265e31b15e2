"""A workload's cases over two parameters: the change of a metric, or its value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from iogate.model.units import format_value
from iogate.model.verdict import Observation, ThresholdVerdict
from iogate_reports.charts import svg
from iogate_reports.charts.base import Figure, Key, Table
from iogate_reports.data import CaseData, WorkloadData
from iogate_reports.labels import Change, describe_change
from iogate_reports.text import median, overlap, relative_change, short

MAX_SIDE = 16
STEPS = (0.01, 0.03, 0.1)
"""Changes from which a cell is tinted lightly, more, and fully."""


@dataclass(frozen=True, slots=True)
class Cell:
    """``text`` stands in the cell; ``style`` tints it."""

    text: str
    style: str = "h0"


@dataclass(frozen=True, slots=True)
class Grid:
    """``cells`` are keyed by (row value, column value)."""

    row_name: str
    column_name: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]


def figures(data: WorkloadData) -> list[Figure]:
    """A grid for a workload that varies exactly two parameters and asks for no chart."""
    varying = data.varying()
    sides = sorted(varying.items(), key=lambda item: len(item[1]))
    if data.chart.get("x") or len(sides) != 2 or len(sides[1][1]) > MAX_SIDE:
        return []
    metric = _headline(data)
    if metric is None:
        return []
    (row_name, rows), (column_name, columns) = sides
    cells, changed = _cells(data, metric, row_name, column_name)
    grid = Grid(row_name, column_name, tuple(rows), tuple(columns), cells)
    what = f"change against {data.cases[0].sides.before}" if changed else "median"
    title = f"{short(data.name, 60)}: {metric}, {what}"
    told = f"{row_name} down, {column_name} across"
    keys = (Key("cell h-2", "worse by 3 %"), Key("cell h2", "better by 3 %")) if changed else ()
    tinted = "; tinted where the change is clear" if changed else ""
    note = f"{_counted(data, metric)}{tinted}."
    return [Figure(title, draw(title, told, grid), _table(grid), keys, note, wide=True)]


def _counted(data: WorkloadData, metric: str) -> str:
    """``n = 3 vs 9 a cell``; a range where cells differ."""
    seen = [
        seen_of_case
        for seen_of_case in (_seen(case, metric) for case in data.cases)
        if seen_of_case is not None
    ]
    now, before = ({len(v) for v in side} for side in zip(*map(_sides, seen), strict=True))
    against = f" vs {_range(before)}" if max(before) else ""
    return f"n = {_range(now)}{against} in each cell"


def _sides(seen: ThresholdVerdict | Observation) -> tuple[tuple[float, ...], tuple[float, ...]]:
    return seen.samples, seen.baseline_samples


def _range(counts: AbstractSet[int]) -> str:
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low} … {high}"


def _headline(data: WorkloadData) -> str | None:
    """The first judged metric, else the first one observed."""
    for case_data in data.cases:
        for verdict in case_data.thresholds:
            return verdict.threshold.metric
    return next((seen.metric for case_data in data.cases for seen in case_data.observations), None)


def _cells(
    data: WorkloadData, metric: str, row: str, column: str
) -> tuple[dict[tuple[str, str], Cell], bool]:
    cells = {}
    changed = False
    for case_data in data.cases:
        place = case_data.case.parameters.get(row, ""), case_data.case.parameters.get(column, "")
        seen = _seen(case_data, metric)
        if seen is None or not seen.samples:
            continue
        change, told = _change(seen)
        changed = changed or change is not None
        cells[place] = _cell(format_value(median(seen.samples), seen.unit), change, told)
    return cells, changed


def _change(seen: ThresholdVerdict | Observation) -> tuple[float | None, Change | None]:
    """As the table of limits says it; of a metric that was not judged, that of its medians."""
    unsure = overlap(seen.samples, seen.baseline_samples)
    if isinstance(seen, ThresholdVerdict) and seen.change is not None:
        told = describe_change(seen.change, seen.better, seen.change_interval, overlap=unsure)
        return seen.change, told
    change = relative_change(median(seen.samples), median(seen.baseline_samples))
    return change, describe_change(change, seen.better, overlap=unsure)


def _seen(data: CaseData, metric: str) -> ThresholdVerdict | Observation | None:
    """What knows most of the baseline: a limit that is not relative was judged without it."""
    candidates: list[ThresholdVerdict | Observation] = []
    candidates += [v for v in data.thresholds if v.threshold.metric == metric]
    candidates += [o for o in data.observations if o.metric == metric]
    return max(candidates, key=lambda seen: len(seen.baseline_samples), default=None)


def _cell(value: str, change: float | None, told: Change | None) -> Cell:
    """The change where there is one, tinted where it is clear; else the value."""
    if told is None or change is None:
        return Cell(value)
    strength = 0 if told.key == "same" else sum(abs(change) >= step for step in STEPS)
    sign = "-" if told.key == "bad" and strength else ""
    return Cell(f"{told.arrow} {told.text}", f"h{sign}{strength}")


def draw(title: str, description: str, grid: Grid) -> str:
    """Tinted cells with their text; the tint only repeats what the text says."""
    left, top, wide, high = 70.0, 40.0, 68.0, 28.0
    size = (left + wide * len(grid.columns) + 4, top + high * len(grid.rows) + 4)
    body = [
        svg.text(left, 12, short(grid.column_name, 24), "ax"),
        svg.text(4, top - 8, short(grid.row_name, 10), "ax"),
    ]
    for j, column in enumerate(grid.columns):
        body.append(svg.text(left + wide * (j + 0.5), top - 8, short(column, 10), "m"))
    for i, row in enumerate(grid.rows):
        y = top + high * i
        body.append(svg.text(left - 6, y + high / 2 + 4, short(row, 10), "e"))
        for j, column in enumerate(grid.columns):
            cell = grid.cells.get((row, column), Cell("–"))
            body.append(_draw_cell(cell, left + wide * j, y, wide, high))
    return svg.document(size, title, description, body, "own")


def _draw_cell(cell: Cell, x: float, y: float, wide: float, high: float) -> str:
    # The style sheet knows how large a cell is: there may be hundreds.
    box = svg.element("rect", x=x + 1, y=y + 1, class_=f"cell {cell.style}")
    return box + svg.text(x + wide / 2, y + high / 2 + 4, cell.text, "m")


def _table(grid: Grid) -> Table:
    def row_of(row: str) -> Sequence[str]:
        return [grid.cells.get((row, column), Cell("–")).text for column in grid.columns]

    return Table(
        (f"{grid.row_name} ╲ {grid.column_name}", *grid.columns),
        tuple((row, *row_of(row)) for row in grid.rows),
    )
