"""A run against a history of an odd shape: metrics that stand still, zeros, nights that return.

usage: PYTHONPATH=benchmarks:runner nice python -m verdict.shapes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from verdict.clean import upper_end
from verdict.history import Floats, outcomes
from verdict.promises import Promises

from iogate.gate.history import FAMILY_LEVEL
from iogate.model.verdict import Outcome
from iogate.stats.distributions import t_quantile
from iogate.stats.still import is_still

Shape = Callable[[np.random.Generator, int, int], Floats]
"""The values of so many limits and runs, of which the last is judged."""
NIGHTS = 2_000
_LONG_NIGHTS = 1_000  # with many limits, or many runs before
_CELLS = ((4, 20), (4, 120), (40, 20))
_REPETITIONS = 5
_LIMIT = 0.02
_METRICS = ("write.clat.mean", "write.clat.p50", "write.clat.p99", "write.lat.mean")
_JUDGED = 3  # nights of a cell, whatever they are
_MOVED = 10  # nights, each of a metric that never moved


def _same(levels: Floats) -> Floats:
    """Runs whose repetitions are all the same."""
    return np.repeat(levels[:, :, None], _REPETITIONS, axis=2)


def _noisy(rng: np.random.Generator, logs: Floats, inside: float = 0.005) -> Floats:
    shape = *logs.shape, _REPETITIONS
    return np.asarray(np.exp(logs[:, :, None] + rng.normal(0, inside, shape)))


def _zeros(share: float) -> Shape:
    def stalls(rng: np.random.Generator, rows: int, runs: int) -> Floats:
        is_zero = rng.random((rows, runs)) < share
        levels: Floats = np.where(is_zero, 0.0, rng.exponential(5.0, (rows, runs)))
        return _same(levels)

    return stalls


def _jumps(share: float) -> Shape:
    def constant(rng: np.random.Generator, rows: int, runs: int) -> Floats:
        return _same(np.where(rng.random((rows, runs)) < share, 11.0, 10.0))

    return constant


def _integers(rng: np.random.Generator, rows: int, runs: int) -> Floats:
    inside = rng.normal(0, 0.3, (rows, runs, _REPETITIONS))
    return np.asarray(np.round(12.3 + rng.normal(0, 0.4, (rows, runs, 1)) + inside))


def _month_end(rng: np.random.Generator, rows: int, runs: int) -> Floats:
    is_end = (np.arange(runs) + rng.integers(30)) % 30 == 0
    return _noisy(rng, np.tile(0.06 * is_end, (rows, 1)))


def _heavy(rng: np.random.Generator, rows: int, runs: int) -> Floats:
    return _noisy(rng, 0.03 * rng.standard_t(3, (rows, runs)), 0.01)


_PROMISED: dict[str, Shape] = {
    "zero in 90 % of runs, else exponential": _zeros(0.9),
    "zero in 45 % of runs, else exponential": _zeros(0.45),
    "zero in 20 % of runs, else exponential": _zeros(0.2),
    "integers, most of them 12": _integers,
}
_SLOW = tuple(name for name in _PROMISED if name.startswith("zero"))  # each zero is resampled
_RARE, _SELDOM, _ALL_AT_ONCE, _METRICS_APART = (
    "constant, one run in 100 is 10 % worse",
    "constant, one run in 30 is 10 % worse",
    "one night in 30 is 6 % worse, all limits",
    "four metrics, heavy tail",
)
_BROKEN: dict[str, tuple[Shape, tuple[str, ...]]] = {
    _RARE: (_jumps(0.01), _METRICS[:1]),
    _SELDOM: (_jumps(1 / 30), _METRICS[:1]),
    _ALL_AT_ONCE: (_month_end, _METRICS[:1]),
    _METRICS_APART: (_heavy, _METRICS),
}


def shape_table(seed: int, promises: Promises) -> Iterator[str]:
    """Clean nights that fail, and when a metric that never moved can."""
    yield "## Histories of an odd shape\n"
    yield (
        f"{NIGHTS:,} clean nights of a cell ({_LONG_NIGHTS:,} in the other columns), five"
        " repetitions: those that fail, with the upper end\nof the 95 % interval. Promised: at most"
        " 1 %, but not of the last four: what comes in one run of 30 or 100 has seldom been\nseen"
        " in 20, and limits on four metrics that go each their own way with heavy tails do not tell"
        " of each other.\n"
    )
    told = (f"{limits} limits, {before} before" for limits, before in _CELLS)
    yield f"| history | {' | '.join(told)} |"
    yield "|---" * (len(_CELLS) + 1) + "|"
    for name, shape in _PROMISED.items():
        yield _row(name, shape, _METRICS[:1], seed, promises)
    for name, (shape, metrics) in _BROKEN.items():
        yield _row(name, shape, metrics, seed, None)
    yield ""
    yield from _moved_table(seed)


def _row(
    name: str, shape: Shape, metrics: tuple[str, ...], seed: int, promises: Promises | None
) -> str:
    rates = []
    for limits, before in _CELLS:
        if (limits, before) != _CELLS[0] and name in _SLOW:
            rates.append("–")
            continue
        nights = NIGHTS if (limits, before) == _CELLS[0] else _LONG_NIGHTS
        rate = _failed(shape, (limits, before + 1), nights, metrics, seed)
        text = f"{rate:.2%} (≤ {upper_end(rate, nights):.2%})"
        rates.append(promises.mark(text, holds=rate <= 0.01) if promises else text)
    return f"| {name} | {' | '.join(rates)} |"


def _failed(
    shape: Shape, size: tuple[int, int], nights: int, metrics: tuple[str, ...], seed: int
) -> float:
    """A night that cannot fail is not judged, but for the first few."""
    rng = np.random.default_rng(seed)
    failed = 0
    for night in range(nights):
        values = shape(rng, *size)
        if night < _JUDGED or any(map(_may_fail, values)):
            failed += Outcome.FAIL in outcomes(values, metrics)
    return failed / nights


def _may_fail(limit: Floats) -> bool:
    """Tonight has to be the worst run. One of a metric that stands still has to be one of so many,
    any other past Student's prediction for a single limit."""
    medians = np.median(limit, axis=1)
    if not medians[-1] > medians[:-1].max():
        return False
    if is_still(limit[:-1].tolist(), _LIMIT):
        return len(limit) * FAMILY_LEVEL >= 1
    scaled = np.log(medians) if medians.min() > 0 else medians
    before, now = scaled[:-1], scaled[-1]
    error = max(before.std(ddof=1) * np.sqrt(1 + 1 / len(before)), 1e-9)
    return bool((now - before.mean()) / error >= 0.999 * t_quantile(FAMILY_LEVEL, len(before) - 1))


def _moved_table(seed: int) -> Iterator[str]:
    yield "One of so many limits never moved and does tonight: nights in which it fails.\n"
    ages = (20, 98, 99, 200)
    yield f"| which | limits | {' | '.join(f'{n} before' for n in ages)} |"
    yield "|---" * (len(ages) + 2) + "|"
    for name, level, moved in (("10, now 15", 10.0, 15.0), ("0, now 3", 0.0, 3.0)):
        for limits in (4, 40):
            found = [_found(level, moved, (limits, age + 1), seed) for age in ages]
            yield f"| {name} | {limits} | {' | '.join(f'{each:.0%}' for each in found)} |"


def _found(level: float, moved: float, size: tuple[int, int], seed: int) -> float:
    """The other limits are ordinary."""
    rng = np.random.default_rng(seed)
    found = 0
    for _ in range(_MOVED):
        values = _noisy(rng, rng.normal(0, 0.02, size))
        values[0], values[0, -1] = level, moved
        found += outcomes(values)[0] is Outcome.FAIL
    return found / _MOVED


if __name__ == "__main__":
    for text in shape_table(1, Promises()):
        print(text, flush=True)
