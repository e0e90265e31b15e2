"""Two states in one arm alone, and one run of a failing comparison that is much worse.

usage: PYTHONPATH=benchmarks:runner nice python -m verdict.one_arm
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import patch

import numpy as np
from verdict.clean import upper_end
from verdict.noise import independent
from verdict.simulate import (
    CASE,
    FAILED,
    SETTLED,
    Cell,
    Floats,
    Outcome,
    blocks_of,
    simulate,
    simulate_blocks,
)

from iogate.stats import boundary
from iogate.stats.boundary import Rules

COMPARISONS = 2_000
_STATE = 0.03  # either way
_FAMILIES = (1, 4, 8, 40)
_CHANGES = (0.05, 0.10, 0.30)
_WORSE = 0.30  # of one run


def one_arm_table(seed: int) -> Iterator[str]:
    """Clean comparisons that fail, and the price of a rule against it; nothing is promised."""
    yield "## Two states in one arm\n"
    yield (
        f"The candidate's runs are {_STATE:.0%} faster or slower, drawn anew for each; the base's"
        f" are not. {COMPARISONS:,} clean\ncomparisons each that fail, with the upper end of the"
        " 95 % interval. *Later*: nothing fails before k·2⁻ⁿ is half\nof the level of k limits."
        " Nothing is promised of it.\n"
    )
    yield "| noise | limit | limits | fails | fails with *later* |"
    yield "|---|---|---|---|---|"
    cells = [Cell(independent, limits, sd=0.003) for limits in _FAMILIES]
    cells += [Cell(independent, CASE, sd=0.003, limit=0.05), Cell(independent, CASE, sd=0.012)]
    for cell in cells:
        rate = _told(_clean(cell, seed))
        with _later():
            later = _told(_clean(cell, seed))
        yield f"| {cell.sd:.1%} | +{cell.limit:.0%} | {cell.thresholds} | {rate} | {later} |"
    yield ""
    yield from _price_table(seed)
    yield ""
    yield from _worse_run_table(seed)


def _clean(cell: Cell, seed: int) -> float:
    rng = np.random.default_rng(seed)
    differences, sums = blocks_of(cell, rng, Rules().most_blocks)
    states = np.where(rng.random(differences.shape) < 0.5, _STATE, -_STATE)
    state, _ = simulate_blocks(cell, differences + states, sums + states, Rules())
    return float((state == FAILED).any(axis=1).mean())


def _told(rate: float) -> str:
    return f"{rate:.1%} (≤ {upper_end(rate, COMPARISONS):.1%})"


@contextmanager
def _later() -> Iterator[None]:
    """The first block that can fail by states of one arm, not of both."""

    def first_fail(level: float, rules: Rules) -> int:
        return max(rules.first_look, math.ceil(math.log2(2 / level)))

    forget = vars(boundary)["_boundary"].cache_clear
    forget()
    with patch.object(boundary, "_first_fail", first_fail):
        yield
    forget()


def _price_table(seed: int) -> Iterator[str]:
    yield "What *later* costs: blocks until a changed limit is decided, and how often it fails.\n"
    yield f"| noise | limits | {' | '.join(f'{each:+.0%} | later' for each in _CHANGES)} |"
    yield "|---" * (2 * len(_CHANGES) + 2) + "|"
    for sd in (0.01, 0.03):
        for limits in (CASE, 40):
            cells = [Cell(independent, limits, each, sd, runs=1000) for each in _CHANGES]
            now = [_decided(simulate(cell, seed)) for cell in cells]
            with _later():
                later = [_decided(simulate(cell, seed)) for cell in cells]
            pairs = zip(now, later, strict=True)
            told = " | ".join(f"{one} | {other}" for one, other in pairs)
            yield f"| {sd:.0%} | {limits} | {told} |"


def _decided(outcome: Outcome) -> str:
    return f"{outcome.first_blocks:.1f} ({outcome.found:.1%})"


def _worse_run_table(seed: int) -> Iterator[str]:
    yield (
        f"Comparisons that fail, and what they are with one run of the candidate {_WORSE:.0%}"
        " worse: one limit of +2 %, a true change of 2 to 8 %.\n"
    )
    yield "| noise | fail | then no fail | then pass |"
    yield "|---|---|---|---|"
    for sd in (0.01, 0.03):
        failed, lost, passed = _made_worse(sd, seed)
        yield f"| {sd:.0%} | {failed:,} | {lost / failed:.2%} | {passed / failed:.2%} |"


def _made_worse(sd: float, seed: int) -> tuple[int, int, int]:
    rng, cell = np.random.default_rng(seed), Cell(independent, 1, sd=sd, runs=2 * COMPARISONS)
    differences, sums = blocks_of(cell, rng, Rules().most_blocks)
    shift = np.log1p(rng.choice([0.02, 0.03, 0.05, 0.08], (cell.runs, 1, 1)))
    worse: Floats = np.zeros_like(differences)
    worse[np.arange(cell.runs), 0, rng.integers(0, 8, cell.runs)] = _WORSE
    before, _ = simulate_blocks(cell, differences + shift, sums + shift, Rules())
    moved = shift + worse
    after, _ = simulate_blocks(cell, differences + moved, sums + moved, Rules())
    failed = before == FAILED
    lost = int((failed & (after != FAILED)).sum())
    return int(failed.sum()), lost, int((failed & (after == SETTLED)).sum())


if __name__ == "__main__":
    for text in one_arm_table(1):
        print(text, flush=True)
