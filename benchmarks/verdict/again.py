"""Comparisons that were inconclusive and are asked again: as many blocks are added to the same one,
once and twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from verdict.clean import upper_end
from verdict.noise import AUDIT, MODELS
from verdict.promises import Promises
from verdict.simulate import FAILED, GIVEN_UP, OPEN, Bools, Cell, Floats, blocks_of, simulate_blocks

from iogate.stats.boundary import Rules

COMPARISONS = 10_000
TIMES = 2
FAMILIES = (4, 40)
_AT_ONCE = 1_000  # comparisons, for memory
_NOISES = (0.03, 0.05)
_DRAWN_ANEW = "two states drawn anew each run"
_MOST, _MOST_DRAWN_ANEW = 0.010, 0.012


def again_table(seed: int, promises: Promises) -> Iterator[str]:
    """How often clean ones fail, and how much more is found."""
    yield "## Asked again\n"
    yield (
        f"{COMPARISONS:,} clean comparisons each. Those that end with an inconclusive limit, and"
        " without a failed\none, get as many blocks again, and those that are inconclusive still"
        " get them once more. Promised: the upper\nend of the 95 % interval of all that fail is at"
        " most 1 % (two states drawn anew each run: 1.2 %).\n"
    )
    yield "| noise | limits | fail when asked once | twice | three times | at most | blocks |"
    yield "|---|---|---|---|---|---|---|"
    for name, source in (MODELS | AUDIT).items():
        for family in FAMILIES:
            cell = Cell(source, family, runs=COMPARISONS)
            rates = asked(cell, seed)[0]
            end = upper_end(rates[-1][0], COMPARISONS)
            most = _MOST_DRAWN_ANEW if name == _DRAWN_ANEW else _MOST
            told = promises.mark(f"{end:.2%}", holds=end <= most)
            shares = " | ".join(f"{failed:.2%}" for failed, _ in rates)
            yield f"| {name} | {family} | {shares} | {told} | {rates[-1][1]:.1f} |"
    yield ""
    yield (
        "One of four limits of +2 % has a true change, and the noise is independent: how often it"
        " is found, and\n(in brackets) how often a comparison is inconclusive at its end.\n"
    )
    yield "| noise | true change | asked once | twice | three times |"
    yield "|---|---|---|---|---|"
    for sd in _NOISES:
        for shift in (0.01, 0.02, 0.03, 0.04, 0.05):
            cell = Cell(MODELS["independent"], 4, shift=shift, sd=sd, runs=COMPARISONS // 5)
            found = " | ".join(f"{f:.1%} ({o:.1%})" for f, o in asked(cell, seed + 1)[1])
            yield f"| {sd:.0%} | {shift:+.0%} | {found} |"


Pairs = list[tuple[float, float]]


def asked(cell: Cell, seed: int) -> tuple[Pairs, Pairs]:
    """For each time that is asked: the share of comparisons that have failed by then and their
    blocks on average (of the longest case); and the share in which the first limit has failed and
    that of comparisons that are inconclusive."""
    parts = max(math.ceil(cell.runs / _AT_ONCE), 1)
    part = replace(cell, runs=math.ceil(cell.runs / parts))
    each = np.array([_asked(part, seed * 1000 + n) for n in range(parts)]).mean(axis=0)
    return [(row[0], row[1]) for row in each.tolist()], [(row[2], row[3]) for row in each.tolist()]


def _asked(cell: Cell, seed: int) -> Floats:
    stage = Rules().most_blocks
    rng = np.random.default_rng(seed)
    differences, sums = blocks_of(cell, rng, stage * (TIMES + 1))
    state = np.zeros(differences.shape[:2], dtype=int)
    blocks = np.zeros(state.shape, dtype=int)
    goes_on: Bools = np.ones(len(state), np.bool_)
    told = []
    for stages in range(1, TIMES + 2):
        rules = Rules(most_blocks=stages * stage, stages=stages)
        if goes_on.any():
            rows = differences[goes_on], sums[goes_on]
            state[goes_on], blocks[goes_on] = simulate_blocks(cell, *rows, rules)
        failed, goes_on = _ends(state)
        first = state[:, 0] == FAILED
        told.append([failed.mean(), blocks.max(axis=1).mean(), first.mean(), goes_on.mean()])
    return np.array(told)


def _ends(state: NDArray[np.int_]) -> tuple[Bools, Bools]:
    """Which comparisons have failed, and which are inconclusive."""
    failed = np.asarray((state == FAILED).any(axis=1))
    undecided = np.isin(state, (OPEN, GIVEN_UP)).any(axis=1)
    return failed, np.asarray(undecided & ~failed)
