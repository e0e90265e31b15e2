"""A series small enough to stand in a row: its line, and where its level moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from iogate_reports.charts import svg
from iogate_reports.charts.over_time import thinned
from iogate_reports.trend_lines import Line

WIDTH, HEIGHT = 240, 30
MOST = 96
SMALL_WIDTH, SMALL_MOST = 104, 22
"""Beside the numbers of a report, where there may be hundreds."""
GAP = 1.7
"""Nights further apart than so many usual nights are not joined."""


def draw(line: Line, width: int = WIDTH, most: int = MOST) -> str:
    """The picture, of at most about so many points; its row says the same in words."""
    values, times = line.series.values, line.times
    low, high = min(values), max(values)
    air = (high - low) or abs(high) or 1.0
    span = max(times[-1] - times[0], 1)

    wide, tall = (width - 4) / span, (HEIGHT - 6) / air
    start, base = times[0], HEIGHT - 3 if high > low else HEIGHT / 2

    def x(time: int) -> float:
        return 2 + wide * (time - start)

    points = [
        (2 + wide * (t - start), base - tall * (v - low))
        for t, v in zip(times, values, strict=True)
    ]
    paths = traced(times, points, most)
    marks = "".join(_marks(line, x))
    end = f'<path class="dot" d="M{points[-1][0]:.0f} {points[-1][1]:.0f}h0"/>'
    return (
        f'<svg class="spark" viewBox="0 0 {width} {HEIGHT}" aria-hidden="true">'
        f'{marks}<path d="{paths}"/>{end}</svg>'
    )


def small(line: Line, name: str) -> str:
    """The picture in a report's row; ``name`` is the id by which other rows show it again."""
    picture = draw(line, SMALL_WIDTH, SMALL_MOST)
    return picture.replace(" viewBox", f' id="{name}" viewBox', 1)


def again(name: str) -> str:
    """A picture that another row already holds."""
    box = f'viewBox="0 0 {SMALL_WIDTH} {HEIGHT}"'
    return f'<svg class="spark" {box} aria-hidden="true"><use href="#{name}"/></svg>'


def _marks(line: Line, x: svg.Place) -> Iterator[str]:
    for move in line.moves:
        at = x(line.times[line.place(move.change.estimate)])
        kind = "worse" if move.is_worse else "better"
        yield f'<path class="{kind}" d="M{at:.0f} 0v{HEIGHT}"/>'


def traced(times: tuple[int, ...], points: Sequence[svg.Point], most: int) -> str:
    """Path data of a line with gaps, of ``most`` points: each stretch has its share."""
    parts = unbroken(times, points)
    shares = ((part, max(2, most * len(part) // len(points))) for part in parts)
    return "".join(svg.rough(thinned(part, share)) for part, share in shares)


def unbroken(times: tuple[int, ...], points: Sequence[svg.Point]) -> Iterator[Sequence[svg.Point]]:
    """The points cut where nights are missing: no line leads over what was not measured."""
    for start, end in stretches(times):
        yield points[start:end]


@lru_cache(maxsize=256)
def stretches(times: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """First and last + 1 of each stretch without a gap. The series of a host share them."""
    steps = [b - a for a, b in pairwise(times)]
    usual = sorted(steps)[len(steps) // 2] if steps else 0
    cuts = [i for i, step in enumerate(steps, 1) if step > usual * GAP + 60]
    return tuple(pairwise((0, *cuts, len(times))))
