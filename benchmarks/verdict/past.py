"""Alerts that are over: how many of those that people saw does the history still tell of?

Nothing is stored of an alert. Here the trend is asked every night, as somebody would who looks
each morning; what it calls confirmed then is what was seen. The same question after the last
night is what the list shows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from iogate.metrics import metric
from iogate.model.run import Host
from iogate.model.trend import Change
from iogate.trend.changes import find_history
from iogate.trend.series import Line, Series

NIGHTS, FIRST, MANY = 160, 20, 200
SD = 0.03
NEAR = 7
"""Nights nearer than this are one change, as for the trend itself."""
Values = NDArray[np.float64]
Draw = Callable[[np.random.Generator], Values]


def past_table(seed: int) -> Iterator[str]:
    """A row for each way in which something may be over."""
    yield "## Alerts that are over\n"
    yield (
        f"{MANY} series of {NIGHTS} nights each, {SD:.0%} noise, asked every night from the"
        f" {FIRST}th on. *Seen*: changes that\nsome night called confirmed (those nearer than"
        f" {NEAR} nights are one). *Told*: that are in the list after the\nlast night, open or"
        " recovered. *Other*: that are in that list, and no night had called confirmed.\n"
    )
    yield "| nights | seen | told | other |"
    yield "|---|---|---|---|"
    for name, draw in KINDS.items():
        seen, told, other = _counted(draw, np.random.default_rng(seed))
        yield f"| {name} | {seen} | {told} | {other} |"


def _counted(draw: Draw, rng: np.random.Generator) -> tuple[int, int, int]:
    many = [series_of(draw(rng) * (1 + SD * _noise(draw, rng))) for _ in range(MANY)]
    listed = [_listed(told.changes) for told in find_history(many)]
    seen: list[list[int]] = [[] for _ in many]
    for night in range(FIRST, NIGHTS + 1):
        until = [series_of(each.values[:night]) for each in many]
        for known, told in zip(seen, find_history(until), strict=True):
            known += [at for at in _confirmed(told.changes) if not _near(at, known)]
    pairs = list(zip(seen, listed, strict=True))
    return (
        sum(len(known) for known in seen),
        sum(_near(at, now) for known, now in pairs for at in known),
        sum(not _near(at, known) for known, now in pairs for at in now),
    )


def _confirmed(changes: tuple[Change, ...]) -> list[int]:
    return [change.estimate for change in changes if change.confirmed and not is_end(change)]


def _listed(changes: tuple[Change, ...]) -> list[int]:
    return [
        change.estimate
        for change in changes
        if (change.confirmed or change.closed) and not is_end(change)
    ]


def is_end(change: Change) -> bool:
    """Whether it is the end of another one, and so part of that."""
    return change.closed and change.returned is None


def _near(at: int, places: list[int]) -> bool:
    return any(abs(at - place) < NEAR for place in places)


def series_of(values: Values | tuple[float, ...]) -> Series:
    """A series of one case on one host."""
    line = Line(("0",), "case", metric("write.iops"))
    numbers = tuple(map(float, values))
    return Series(line, Host("h", "m"), "", tuple(range(len(numbers))), numbers)


def _noise(draw: Draw, rng: np.random.Generator) -> Values:
    noise = rng.normal(size=NIGHTS)
    if draw is _wandering:
        for night in range(1, NIGHTS):
            noise[night] = 0.4 * noise[night - 1] + np.sqrt(1 - 0.4**2) * noise[night]
    return noise


def _excursion(rng: np.random.Generator) -> Values:
    level = np.full(NIGHTS, 1000.0)
    start = rng.integers(50, 110)
    level[start : start + rng.integers(3, 9)] *= 1 - rng.uniform(0.15, 0.6)
    return level


def _larger_later(rng: np.random.Generator) -> Values:
    level = np.full(NIGHTS, 1000.0)
    level[rng.integers(40, 60) :] *= 0.92
    level[rng.integers(90, 120) :] *= 1 - rng.uniform(0.3, 0.6)
    return level


def _wandering(_rng: np.random.Generator) -> Values:
    return np.full(NIGHTS, 1000.0)


KINDS: dict[str, Draw] = {
    "three to eight on another level, 15 to 60 % lower": _excursion,
    "−8 %, and weeks later −30 to −60 %": _larger_later,
    "neighbours correlate by .4, nothing happens": _wandering,
}
