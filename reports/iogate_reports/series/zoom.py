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
    its values, one a time of the chart, None where it has none."""

    label: str
    style: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True)
class Zoom:
    """``times_ms`` are those at which any line has a value; ``middle`` names the line at ``level``.
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
    kept = tuple(Trace(t.label, t.style, _one_of(t.values, step)) for t in drawn(zoom.traces))
    return replace(zoom, times_ms=zoom.times_ms[::step], traces=kept)


def _one_of(values: Sequence[float | None], step: int) -> Sequence[float | None]:
    """The first value that there is of each ``step`` times."""
    parts = (values[start : start + step] for start in range(0, len(values), step))
    return [next((v for v in part if v is not None), None) for part in parts]


def drawn(traces: Sequence[Trace]) -> list[Trace]:
    """Of each side as many as can be told apart."""
    base = [trace for trace in traces if trace.style == "base"]
    own = [trace for trace in traces if trace.style != "base"]
    return [*_ends(own), *_ends(base)]


def _ends(traces: Sequence[Trace]) -> Sequence[Trace]:
    half = MOST_LINES // 2
    return traces if len(traces) <= MOST_LINES else (*traces[:half], *traces[-half:])


def _columns(zoom: Zoom) -> Iterator[Sequence[int]]:
    """The times; then of each line, where it does not have a value for each of them, the places
    of those that it has, and its values."""
    unit = _scale(zoom)
    yield zoom.times_ms
    for trace in zoom.traces:
        values = _known(trace)
        if len(values) < len(zoom.times_ms):
            yield [place for place, value in enumerate(trace.values) if value is not None]
        yield whole(values, unit)


def _known(trace: Trace) -> list[float]:
    return [value for value in trace.values if value is not None]


def _scale(zoom: Zoom) -> float:
    return unit_of(v for trace in zoom.traces for v in _known(trace))


def _series(zoom: Zoom) -> dict[str, object]:
    return {
        "id": zoom.id,
        "group": zoom.group,
        "name": zoom.name,
        "unit": zoom.unit.value,
        "scale": _scale(zoom),
        "n": len(zoom.times_ms),
        "lines": [[t.label, t.style, len(_known(t))] for t in zoom.traces],
        "level": zoom.level,
        "middle": zoom.middle,
        "ramp": zoom.ramp_s,
        "each": zoom.bytes_each or 0,
    }
