"""Noise that repeats every few runs: what breaks the promise of a comparison, and what does not.

usage: PYTHONPATH=benchmarks:runner nice python -m verdict.periods
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from verdict.clean import upper_end
from verdict.noise import Floats, Source, two_states
from verdict.simulate import CASE, Cell, simulate

from iogate.stats.boundary import Rules

COMPARISONS = 2_000
_STEP = 0.06
_NOISES = (0.003, 0.01, 0.03)
_SHAPES: dict[str, tuple[float, ...]] = {
    "one run of two": (0, 1),
    "one of three": (0, 0, 1),
    "slower over three": (0, 1 / 2, 1),
    "one of four": (0, 0, 0, 1),
    "two of four": (0, 0, 1, 1),
    "slower over four": (0, 1 / 3, 2 / 3, 1),
    "one of five": (0, 0, 0, 0, 1),
    "three of six": (0, 0, 0, 1, 1, 1),
    "one of seven": (0, 0, 0, 0, 0, 0, 1),
}


def periodic(shape: tuple[float, ...], inside: float) -> Source:
    """Runs that are slower by so many parts of 6 %, again and again, from anywhere in it on."""

    def runs_in_turns(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        first = rng.integers(0, len(shape), (rows, 1))
        steps = np.array(shape)[(np.arange(runs) + first) % len(shape)]
        return np.asarray(rng.normal(0, inside, (rows, runs)) + _STEP * steps)

    return runs_in_turns


def period_table(seed: int) -> Iterator[str]:
    """Clean comparisons that fail, by the shape of the period; nothing is promised of them."""
    yield "## Noise with a period\n"
    yield (
        f"Runs that are up to {_STEP:.0%} slower in turns, four limits, {COMPARISONS:,} clean"
        " comparisons each: those that\nfail, with the upper end of the 95 % interval. Nothing is"
        " promised of periods of three and four.\n"
    )
    yield f"| which are slower | {' | '.join(f'sd {sd:.1%}' for sd in _NOISES)} |"
    yield "|---" * (len(_NOISES) + 1) + "|"
    for name, shape in _SHAPES.items():
        cells = [Cell(periodic(shape, sd), CASE, runs=COMPARISONS) for sd in _NOISES]
        yield f"| {name} | {' | '.join(_rate(cell, seed) for cell in cells)} |"
    yield ""
    yield from _few_blocks_table(seed)


def _few_blocks_table(seed: int) -> Iterator[str]:
    yield (
        "Few blocks for many limits: states drawn anew each run, as many blocks as the column"
        " says in all.\n"
    )
    blocks = (5, 6, 7, 8)
    yield f"| limits | {' | '.join(f'{n} blocks' for n in blocks)} |"
    yield "|---" * (len(blocks) + 1) + "|"
    for limits in (4, 8, 40):
        cell = Cell(two_states(None), limits, runs=COMPARISONS)
        told = [_rate(cell, seed, Rules(most_blocks=n)) for n in blocks]
        yield f"| {limits} | {' | '.join(told)} |"


def _rate(cell: Cell, seed: int, rules: Rules | None = None) -> str:
    failed = simulate(cell, seed, rules).failed
    return f"{failed:.2%} (≤ {upper_end(failed, cell.runs):.2%})"


if __name__ == "__main__":
    for text in period_table(1):
        print(text, flush=True)
