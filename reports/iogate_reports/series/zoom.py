"""Series of a report that can be zoomed, as its script takes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from iogate.model.units import Unit
from iogate_reports.series.packing import packed, unit_of, whole

MOST_LINES = 12
"""Of each side; more repetitions are a thicket, and their first and last ones are drawn."""
MOST_POINTS = 2000
"""Of each line; more than a screen has pixels."""


@dataclass(frozen=True, slots=True)
class Trace:
    """One line: what it is called, its style (``base`` for the side that is compared with), and
    its values, one an interval."""

    label: str
    style: str
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Zoom:
    """``times_ms`` are of the longest line's intervals; ``middle`` names the line at ``level``.
    ``ramp_s`` before 0 was not measured; ``bytes_each`` is the size of an I/O where all have one.
    ``id`` is the figure's, and ``group`` what zooms together."""

    name: str
    unit: Unit
    times_ms: Sequence[int]
    traces: Sequence[Trace]
    level: float | None = None
    middle: str = ""
    ramp_s: float = 0.0
    bytes_each: float | None = None
    id: str = ""
    group: str = ""


def payload(zooms: Sequence[Zoom]) -> str:
    """JSON that may stand inside a script element."""
    series = [_cut(zoom) for zoom in zooms]
    document = {
        "data": packed(column for zoom in series for column in _columns(zoom)),
        "series": [_series(zoom) for zoom in series],
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _cut(zoom: Zoom) -> Zoom:
    """The series with as much of it as can be seen."""
    step = -(-len(zoom.times_ms) // MOST_POINTS)
    kept = tuple(Trace(t.label, t.style, t.values[::step]) for t in drawn(zoom.traces))
    return replace(zoom, times_ms=zoom.times_ms[::step], traces=kept)


def drawn(traces: Sequence[Trace]) -> list[Trace]:
    """Of each side as many as can be told apart."""
    base = [trace for trace in traces if trace.style == "base"]
    own = [trace for trace in traces if trace.style != "base"]
    return [*_ends(own), *_ends(base)]


def _ends(traces: Sequence[Trace]) -> Sequence[Trace]:
    half = MOST_LINES // 2
    return traces if len(traces) <= MOST_LINES else (*traces[:half], *traces[-half:])


def _columns(zoom: Zoom) -> Iterator[Sequence[int]]:
    unit = _scale(zoom)
    yield zoom.times_ms
    for trace in zoom.traces:
        yield whole(trace.values, unit)


def _scale(zoom: Zoom) -> float:
    return unit_of(v for trace in zoom.traces for v in trace.values)


def _series(zoom: Zoom) -> dict[str, object]:
    return {
        "id": zoom.id,
        "group": zoom.group,
        "name": zoom.name,
        "unit": zoom.unit.value,
        "scale": _scale(zoom),
        "n": len(zoom.times_ms),
        "lines": [[t.label, t.style, len(t.values)] for t in zoom.traces],
        "level": zoom.level,
        "middle": zoom.middle,
        "ramp": zoom.ramp_s,
        "each": zoom.bytes_each or 0,
    }
