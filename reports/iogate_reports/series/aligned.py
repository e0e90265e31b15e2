"""Lines that were sampled at times of their own, over one row of times."""

from __future__ import annotations

from collections.abc import Sequence

Point = tuple[float, float]
Values = list[float | None]


def aligned(lines: Sequence[Sequence[Point]], near: float) -> tuple[list[float], list[Values]]:
    """The times of all points, and of each line a value for each time, None where it has none.
    Points of several lines that are at most ``near`` apart have the time of the first."""
    every = sorted((at, n, value) for n, points in enumerate(lines) for at, value in points)
    times: list[float] = []
    rows: list[dict[int, float]] = []
    for at, n, value in every:
        if not rows or at - times[-1] > near or n in rows[-1]:
            times.append(at)
            rows.append({})
        rows[-1][n] = value
    return times, [[row.get(n) for row in rows] for n in range(len(lines))]
