"""What a chart gives a page: a picture, what its colours mean, and the same as a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from iogate.model.run import Run
from iogate_reports.data import CaseData, WorkloadData
from iogate_reports.series.zoom import Zoom

SERIES_COLOURS = 8
"""Classes ``s0`` … ``s7`` of the style sheet; more series reuse them with a dash."""


@dataclass(frozen=True, slots=True)
class Table:
    """Plain text cells; the first of each row is its header."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Key:
    """One entry of a legend: the classes of a line, and what it stands for."""

    style: str
    label: str


@dataclass(frozen=True, slots=True)
class Figure:
    """``note`` is a sentence on how to read it or what it leaves out; ``zoom`` the same
    series for the chart that a page's script puts in the picture's place."""

    title: str
    svg: str
    table: Table
    legend: tuple[Key, ...] = ()
    note: str = ""
    wide: bool = False
    full: bool = False
    zoom: Zoom | None = None
    id: str = ""


CaseChart = Callable[[CaseData], Sequence[Figure]]
WorkloadChart = Callable[[WorkloadData], Sequence[Figure]]
RunChart = Callable[[Run], Sequence[Figure]]


def colour(index: int) -> str:
    """The style of series number ``index``."""
    return f"s{index % SERIES_COLOURS}" + (" dash" if index >= SERIES_COLOURS else "")
