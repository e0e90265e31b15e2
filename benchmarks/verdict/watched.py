"""A trend that is looked at every night: how soon it tells of a step, and how often of none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray
from verdict.past import NEAR, SD, is_end, series_of

from iogate.trend.changes import find_history

MANY, NIGHTS, FIRST = 300, 200, 60
AT = 120
"""The first night after the step."""
STEPS = (0.08, 0.10, 0.15)
Values = NDArray[np.float64]


def watched_tables(seed: int) -> Iterator[str]:
    """Steps of several sizes, then noise of several kinds."""
    yield "## A trend that is looked at every night\n"
    yield (
        f"{MANY} series of {NIGHTS} nights each, {SD:.0%} noise, asked every night from the"
        f" {FIRST}th on; the step comes with\nnight {AT + 1}. Nights until it is in the list, and"
        " until it is confirmed: the median, and what 90 % need at most.\n"
    )
    yield "| step | in the list | confirmed | never confirmed |"
    yield "|---|---|---|---|"
    for step in STEPS:
        yield _step_row(step, np.random.default_rng(seed))
    yield ""
    yield (
        "Without any step, in 1,000 nights: changes that were never confirmed, and those that"
        " were. Drifts go\nover all 200 nights; what is told of them is no noise.\n"
    )
    yield "| noise | only suspected | confirmed |"
    yield "|---|---|---|"
    for name, draw in NOISE.items():
        noise = draw(np.random.default_rng(seed))
        yield _quiet_row(name, 1000 * (1 + SD * noise))


def _step_row(step: float, rng: np.random.Generator) -> str:
    values = 1000 * (1 + SD * rng.normal(size=(MANY, NIGHTS)))
    values[:, AT:] *= 1 - step
    seen, sure = np.full(MANY, np.inf), np.full(MANY, np.inf)
    for night, number, place, confirmed in _told(values, AT + 1):
        if abs(place - AT) < NEAR:
            seen[number] = min(seen[number], night - AT)
            if confirmed:
                sure[number] = min(sure[number], night - AT)
    cells = (f"{np.median(each):.0f}, {np.quantile(each, 0.9):.0f}" for each in (seen, sure))
    return f"| {step:.0%} | {' | '.join(cells)} | {np.isinf(sure).sum()} |"


def _quiet_row(name: str, values: Values) -> str:
    known: list[dict[int, bool]] = [{} for _ in values]
    for _, number, place, confirmed in _told(values, FIRST):
        of_it = known[number]
        near = next((at for at in of_it if abs(at - place) < NEAR), place)
        of_it[near] = of_it.get(near, False) or confirmed
    all_of_them = [confirmed for of_it in known for confirmed in of_it.values()]
    nights = MANY * (NIGHTS - FIRST) / 1000
    sure = sum(all_of_them)
    return f"| {name} | {(len(all_of_them) - sure) / nights:.2f} | {sure / nights:.2f} |"


def _told(values: Values, first: int) -> Iterator[tuple[int, int, int, bool]]:
    """Every night: nights so far, series, place, and whether it is confirmed."""
    for night in range(first, values.shape[1] + 1):
        for number, told in enumerate(find_history([series_of(row[:night]) for row in values])):
            for change in told.changes:
                if is_end(change):
                    continue
                yield night, number, change.estimate, change.confirmed


def _normal(rng: np.random.Generator) -> Values:
    return rng.normal(size=(MANY, NIGHTS))


def _heavy(rng: np.random.Generator) -> Values:
    heavy: Values = rng.standard_t(3, size=(MANY, NIGHTS)) / np.sqrt(3)
    return heavy


def _spikes(rng: np.random.Generator) -> Values:
    return _normal(rng) + 10 * (rng.random((MANY, NIGHTS)) < 0.03)


def _correlated(rho: float, rng: np.random.Generator) -> Values:
    noise = _normal(rng)
    for night in range(1, NIGHTS):
        noise[:, night] = rho * noise[:, night - 1] + np.sqrt(1 - rho**2) * noise[:, night]
    return noise


def _drifting(sd: float, rng: np.random.Generator) -> Values:
    """Worse by so many sd from the first night to the last."""
    return _normal(rng) - np.linspace(0, sd, NIGHTS)


NOISE: dict[str, Callable[[np.random.Generator], Values]] = {
    "normal": _normal,
    "Student t, 3 degrees": _heavy,
    "3 % outliers of 10 sd": _spikes,
    "AR(1), ρ .3": partial(_correlated, 0.3),
    "AR(1), ρ .5": partial(_correlated, 0.5),
    "drift of 5 sd": partial(_drifting, 5.0),
    "drift of 10 sd": partial(_drifting, 10.0),
}
