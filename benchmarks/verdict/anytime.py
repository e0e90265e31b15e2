"""Evidence at any look: how often it misleads, ever, and what looking at any time costs."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from verdict.clean import upper_end
from verdict.noise import AUDIT, MODELS, Floats, Source
from verdict.promises import Promises
from verdict.simulate import CASE, Cell, blocks_of, simulate

from iogate.stats.anytime import evidence

COMPARISONS = 10_000
BLOCKS = 56
_STRONG = 100.0
_MOST = 0.010


def growing(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
    """The second run of a block gets slower than the first, by up to 5 %."""
    noise = rng.normal(0, 0.01, (rows, runs))
    noise[:, 1::2] += np.linspace(0, 0.05, runs // 2)
    return noise


_CLEAN: dict[str, Source] = MODELS | AUDIT | {"second run slower and slower": growing}


def anytime_table(seed: int, promises: Promises) -> Iterator[str]:
    """Clean comparisons that ever get there, and changed ones that do."""
    yield "## Evidence at any look\n"
    yield (
        f"{COMPARISONS:,} clean comparisons of four limits: those whose evidence was ever 100 to 1"
        f" within {BLOCKS} blocks.\nPromised: the upper end of the 95 % interval is at most 1 %.\n"
    )
    yield "| noise | one limit | at most | the mean of four |"
    yield "|---|---|---|---|"
    for name, source in _CLEAN.items():
        found = _evidence(Cell(source, CASE, runs=COMPARISONS), seed)
        one, four = _ever(found[:, 0]), _ever(found.mean(axis=1))
        end = upper_end(max(one, four), COMPARISONS)
        told = promises.mark(f"{end:.2%}", holds=end <= _MOST)
        yield f"| {name} | {one:.2%} | {told} | {four:.2%} |"
    yield ""
    yield "One limit of +2 %, 28 blocks, independent noise; in the last column by the boundary.\n"
    yield "| noise | true change | ever 100 to 1 | median of the evidence at the end | fails |"
    yield "|---|---|---|---|---|"
    for sd in (0.03, 0.05):
        for shift in (0.02, 0.03, 0.05, 0.10):
            cell = Cell(MODELS["independent"], 1, shift=shift, sd=sd, runs=COMPARISONS // 2)
            found = _evidence(cell, seed + 1)[:, 0, : BLOCKS // 4]
            fails = simulate(cell, seed + 1).found
            yield (
                f"| {sd:.0%} | {shift:+.0%} | {_ever(found):.1%} | {np.median(found[:, -1]):,.0f}"
                f" to 1 | {fails:.1%} |"
            )


def _evidence(cell: Cell, seed: int) -> Floats:
    """(comparisons, limits, pairs)."""
    differences, _ = blocks_of(cell, np.random.default_rng(seed), BLOCKS)
    pairs = (differences[:, :, 0::2] + differences[:, :, 1::2]) / 2
    return evidence(pairs.reshape(-1, BLOCKS // 2)).reshape(pairs.shape)


def _ever(found: Floats) -> float:
    return float((found.max(axis=1) >= _STRONG).mean())
