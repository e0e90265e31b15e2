"""A series small enough to stand in a row: its line, and where its level moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from iogate_reports.charts import svg
from iogate_reports.charts.over_time import thinned
from iogate_reports.lines import Line

WIDTH, HEIGHT = 240, 30
MOST = 96
GAP = 1.7
"""Nights further apart than so many usual nights are not joined."""


def draw(line: Line) -> str:
    """The picture; its row says the same in words."""
    values, times = line.series.values, line.times
    low, high = min(values), max(values)
    air = (high - low) or abs(high) or 1.0
    span = max(times[-1] - times[0], 1)

    def x(time: int) -> float:
        return 2 + (WIDTH - 4) * (time - times[0]) / span

    def y(value: float) -> float:
        return HEIGHT - 3 - (HEIGHT - 6) * (value - low) / air if high > low else HEIGHT / 2

    points = [(x(t), y(v)) for t, v in zip(times, values, strict=True)]
    paths = "".join(svg.rough(thinned(part, MOST)) for part in unbroken(times, points))
    marks = "".join(_marks(line, x))
    end = f'<path class="dot" d="M{points[-1][0]:.0f} {points[-1][1]:.0f}h0"/>'
    return (
        f'<svg class="spark" viewBox="0 0 {WIDTH} {HEIGHT}" aria-hidden="true">'
        f'{marks}<path d="{paths}"/>{end}</svg>'
    )


def _marks(line: Line, x: svg.Place) -> Iterator[str]:
    for move in line.moves:
        at = x(line.times[line.place(move.change.estimate)])
        kind = "worse" if move.is_worse else "better"
        yield f'<path class="{kind}" d="M{at:.0f} 0v{HEIGHT}"/>'


def unbroken(times: Sequence[int], points: Sequence[svg.Point]) -> Iterator[Sequence[svg.Point]]:
    """The points cut where nights are missing: no line leads over what was not measured."""
    steps = sorted(b - a for a, b in pairwise(times))
    usual = steps[len(steps) // 2] if steps else 0
    start = 0
    for index in range(1, len(points)):
        if times[index] - times[index - 1] > usual * GAP + 60:
            yield points[start:index]
            start = index
    yield points[start:]
