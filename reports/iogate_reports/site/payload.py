"""What a case's page gives its script: the series packed, and what to draw around them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from iogate_reports.charts.nights import band_text, near
from iogate_reports.series.packing import packed, unit_of, whole
from iogate_reports.text import short
from iogate_reports.trend_lines import Line


def payload(lines: Sequence[Line], minutes: Sequence[int]) -> str:
    """JSON that may stand inside a script element."""
    units = [unit_of(line.series.values) for line in lines]
    document = {
        "data": packed(_columns(lines, units)),
        "series": [
            _series(line, unit, minutes)
            | {"own": index == 0 or line.times != lines[index - 1].times}
            for index, (line, unit) in enumerate(zip(lines, units, strict=True))
        ],
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _columns(lines: Sequence[Line], units: Sequence[float]) -> Iterator[Sequence[int]]:
    before: Sequence[int] = ()
    for line, unit in zip(lines, units, strict=True):
        if line.times != before:
            yield line.times
        before = line.times
        for values in (line.series.values, line.series.lows, line.series.highs):
            if values:
                yield whole(values, unit)


def _series(line: Line, unit: float, minutes: Sequence[int]) -> dict[str, object]:
    """Times are Unix minutes, values in the metric's base unit. ``own``, added where the
    neighbours are known: its times are packed with it, else they are those of the one before.
    With a ``band`` the ends of it are packed after the values. ``ends`` are the axis's."""
    return {
        "id": line.anchor,
        "n": len(line.times),
        "scale": unit,
        "band": band_text(line.series) if line.series.lows else "",
        "ends": line.ends,
        "unit": line.series.unit.value,
        "name": short(line.series.metric, 60),
        "levels": [
            [line.times[s.first], line.times[s.last], s.level, s.low, s.high] for s in line.levels
        ],
        "moves": [
            [
                minutes[m.change.last_before],
                minutes[m.change.first_after],
                "worse" if m.is_worse else "better",
            ]
            for m in line.moves
        ],
        "markers": [minutes[m.night] for m in line.markers],
        "limits": near(line),
    }
