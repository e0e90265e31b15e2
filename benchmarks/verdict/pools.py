"""A change of many limits at once: what each of them says of it, and what their pool does.

Forty limits of ten cases, of which all are worse by the same, and a pool of them in the same
family. All cases are measured until the pool is decided, as in ``iogate ab``.

usage: PYTHONPATH=benchmarks nice python -m verdict.pools
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray
from verdict.clean import upper_end
from verdict.noise import AUDIT, MODELS, Source, independent
from verdict.promises import Promises
from verdict.simulate import CASE, FAILED, GIVEN_UP, OPEN, SETTLED, Bools, Cell, Floats, blocks_of

from iogate.stats.boundary import Boundary, Rules, boundary_for
from iogate.stats.family import effective_thresholds
from iogate.stats.paired import look

LIMITS = 40
_CHUNK = 500
_FLIPS = 1000
_FEW = 300  # where the flips of each comparison take long
_DRAWN_ANEW = "two states drawn anew each run"
_MOST, _MOST_DRAWN_ANEW = 0.010, 0.012


@dataclass(frozen=True, slots=True)
class PoolCell:
    """``shift`` moves all limits; ``shared`` is the part of the variance that all of them have in
    common. ``pool_limit`` 0: no pool."""

    source: Source
    shift: float = 0.0
    shared: float = 0.0
    limit: float = 0.02
    pool_limit: float = 0.01
    runs: int = 10_000


@dataclass(frozen=True, slots=True)
class PoolOutcome:
    """Shares of the comparisons: in which anything failed, a limit of its own did, the pool did or
    passed; and the blocks until the pool was decided, where it failed."""

    failed: float
    own_failed: float
    pool_failed: float
    pool_passed: float
    pool_blocks: float


def simulate_pool(cell: PoolCell, seed: int) -> PoolOutcome:
    """Every comparison of a cell, some hundred at a time."""
    rng, rules = np.random.default_rng(seed), Rules()
    states, decided = [], []
    for start in range(0, cell.runs, _CHUNK):
        size = min(_CHUNK, cell.runs - start)
        of_limits = Cell(cell.source, LIMITS, runs=size, shared=cell.shared)
        differences, sums = blocks_of(of_limits, rng, rules.most_blocks)
        differences += np.log1p(cell.shift)
        if cell.pool_limit:
            differences, sums = (_with_pool(each) for each in (differences, sums))
        state, at = _replay(cell, differences, sums, rules)
        states.append(state)
        decided.append(at)
    return _outcome(np.concatenate(states), np.concatenate(decided), bool(cell.pool_limit))


def _with_pool(values: Floats) -> Floats:
    """The mean of the limits as one more, in each block."""
    return np.concatenate((values, values.mean(axis=1, keepdims=True)), axis=1)


def _replay(
    cell: PoolCell, differences: Floats, sums: Floats, rules: Rules
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The state of each limit of each run at the end, and the block that decided it."""
    state = np.zeros(differences.shape[:2], dtype=int)
    decided_at = np.full(state.shape, rules.most_blocks)
    limits = np.full(state.shape, np.log1p(cell.limit))
    limits[:, LIMITS:] = np.log1p(cell.pool_limit)
    for blocks in range(rules.first_look, rules.most_blocks + 1):
        goes_on = _goes_on(state)
        if not goes_on.any():
            break
        for rows, boundary in _families(cell, differences[:, :, :blocks], goes_on, rules):
            chosen = goes_on & rows[:, None] & (state != FAILED)
            looks = look(
                differences[chosen][:, :blocks], sums[chosen][:, :blocks], limits[chosen], boundary
            )
            state[chosen] = np.select(
                [looks.fails, looks.settled, looks.gives_up], [FAILED, SETTLED, GIVEN_UP], OPEN
            )
            decided_at[chosen & (state != OPEN)] = blocks
    return state, decided_at


def _goes_on(state: NDArray[np.int_]) -> Bools:
    """Limits whose case is measured on: one of the case's is open, or the pool is."""
    own, pool = state[:, :LIMITS] == OPEN, state[:, LIMITS:] == OPEN
    cases = own.reshape(len(state), -1, CASE).any(axis=2) | pool.any(axis=1)[:, None]
    going = np.repeat(cases, CASE, axis=1)
    together = np.repeat(cases.all(axis=1)[:, None], state.shape[1] - LIMITS, axis=1)
    return np.concatenate((going, together), axis=1)


def _families(
    cell: PoolCell, differences: Floats, going: Bools, rules: Rules
) -> Iterator[tuple[Bools, Boundary]]:
    """The runs that share a boundary: all, unless sign flips find another for each."""
    everyone = np.asarray(going.any(axis=1))
    if not cell.shared:
        yield everyone, boundary_for(differences.shape[1], rules)
        return
    numbers = np.zeros(len(everyone))
    for run in np.flatnonzero(everyone):
        number = effective_thresholds(differences[run], seed=int(run), flips=_FLIPS)
        numbers[run] = boundary_for(number, rules).limits
    for number in np.unique(numbers[everyone]):
        yield everyone & (numbers == number), boundary_for(float(number), rules)


def _outcome(state: NDArray[np.int_], decided_at: NDArray[np.int_], has_pool: bool) -> PoolOutcome:
    own = (state[:, :LIMITS] == FAILED).any(axis=1)
    if not has_pool:
        return PoolOutcome(float(own.mean()), float(own.mean()), *(float("nan"),) * 3)
    pool = state[:, LIMITS]
    fails = pool == FAILED
    blocks = float(decided_at[fails, LIMITS].mean()) if fails.any() else float("nan")
    passed = float((pool == SETTLED).mean())
    either = float((own | fails).mean())
    return PoolOutcome(either, float(own.mean()), float(fails.mean()), passed, blocks)


def pool_table(seed: int, promises: Promises, runs: int = 10_000) -> Iterator[str]:
    """Comparisons in which everything is worse by the same, and clean ones of every noise."""
    yield "## Pools\n"
    yield (
        f"{LIMITS} limits of +2 % in ten cases, and a pool of all of them. {runs:,} comparisons"
        f" where nothing\nchanged, {runs // 10:,} elsewhere, {_FEW} with noise in common.\n"
    )
    yield (
        "| common part | pool's limit | true change of all | anything fails | a limit of its own"
        " fails | the pool fails | it passes | blocks where it fails |"
    )
    yield "|---|---|---|---|---|---|---|---|"
    for shared, pool_limit in product((0.0, 0.25), (0.0, 0.005, 0.01)):
        for shift in (0.0, 0.01, 0.02) if pool_limit or not shared else ():
            some = _FEW if shared else runs // (10 if shift else 1)
            cell = PoolCell(independent, shift, shared, pool_limit=pool_limit, runs=some)
            yield _row(cell, simulate_pool(cell, seed))
    yield ""
    yield from _clean_table(seed, promises, runs)


def _clean_table(seed: int, promises: Promises, runs: int) -> Iterator[str]:
    yield (
        "Clean ones with a pool of +0.5 %. Promised: the upper end of the 95 % interval of all that"
        " fail is at most 1 %\n(two states drawn anew each run: 1.2 %).\n"
    )
    yield "| noise | anything fails | at most | the pool fails | it passes |"
    yield "|---|---|---|---|---|"
    for name, source in (MODELS | AUDIT).items():
        found = simulate_pool(PoolCell(source, pool_limit=0.005, runs=runs), seed + 1)
        end, most = (
            upper_end(found.failed, runs),
            _MOST_DRAWN_ANEW if name == _DRAWN_ANEW else _MOST,
        )
        told = promises.mark(f"{end:.2%}", holds=end <= most)
        yield (
            f"| {name} | {found.failed:.2%} | {told} | {found.pool_failed:.2%} |"
            f" {found.pool_passed:.1%} |"
        )
    yield ""


def _row(cell: PoolCell, found: PoolOutcome) -> str:
    limit = f"{cell.pool_limit:+.1%}" if cell.pool_limit else "none"
    head = f"| {cell.shared:.0%} | {limit} | {cell.shift:+.0%} | {found.failed:.2%} |"
    own = f" {found.own_failed:.1%} |"
    if not cell.pool_limit:
        return f"{head}{own} – | – | – |"
    return (
        f"{head}{own} {found.pool_failed:.1%} | {found.pool_passed:.1%} | {found.pool_blocks:.1f} |"
    )


if __name__ == "__main__":
    for text in pool_table(1, Promises()):
        print(text, flush=True)
