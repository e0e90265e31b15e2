"""Whole comparisons, thousands at a time, through the functions that judge real ones."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from verdict.noise import Source

from iogate.stats.boundary import Boundary, Rules, boundary_for
from iogate.stats.confidence import limit_confidence
from iogate.stats.family import effective_thresholds
from iogate.stats.fdr import FALSE_SHARE, benjamini_hochberg
from iogate.stats.hodges_lehmann import estimate_with_interval
from iogate.stats.paired import chance_of_worse, look

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
OPEN, FAILED, SETTLED, GIVEN_UP = 0, 1, 2, 3
CASE = 4  # thresholds of one case: a case is measured until all of its own are decided


@dataclass(frozen=True, slots=True)
class Cell:
    """What is simulated: ``shift`` moves the first threshold; ``shared`` is the part of the
    variance that all thresholds have in common (then sign flips tell how many they are). The
    candidate's runs vary ``spread`` times as much as the base's."""

    source: Source
    thresholds: int
    shift: float = 0.0
    sd: float = 0.03
    limit: float = 0.02
    runs: int = 2000
    shared: float = 0.0
    spread: float = 1.0


@dataclass(frozen=True, slots=True)
class Outcome:
    """Rates over runs; blocks are averages. ``found_blocks`` is over the runs that found the
    shift, ``first_blocks`` those until the shifted threshold was decided either way,
    ``case_blocks`` over cases, ``run_blocks`` of the case that took longest."""

    failed: float
    found: float
    found_blocks: float
    first_blocks: float
    case_blocks: float
    run_blocks: float
    undecided: float


def simulate(cell: Cell, seed: int, rules: Rules | None = None) -> Outcome:
    """Every run of a cell, block after block, until each threshold is decided."""
    rules = rules or Rules()
    rng = np.random.default_rng(seed)
    differences, sums = blocks_of(cell, rng, rules.most_blocks)
    return _outcome(*simulate_blocks(cell, differences, sums, rules))


def share_that_fails(cell: Cell, seed: int, base_first: Bools) -> float:
    """Of the comparisons of a cell whose blocks all have the same order of the arms."""
    rules = Rules()
    differences, sums = blocks_of(cell, np.random.default_rng(seed), rules.most_blocks, base_first)
    state, _ = simulate_blocks(cell, differences, sums, rules)
    return float((state == FAILED).any(axis=1).mean())


def simulate_blocks(
    cell: Cell, differences: Floats, sums: Floats, rules: Rules
) -> tuple[NDArray[np.int_], NDArray[np.int_]]:
    """The state of each threshold of each run at the end, and the block that decided it."""
    state = np.zeros(differences.shape[:2], dtype=int)
    decided_at = np.full(state.shape, rules.most_blocks)
    for blocks in range(rules.first_look, rules.most_blocks + 1):
        goes_on = _in_open_cases(state)
        if not goes_on.any():
            break
        for rows, boundary in _families(cell, differences[:, :, :blocks], goes_on, rules):
            chosen = goes_on & rows[:, None] & (state != FAILED)
            limits = np.full(int(chosen.sum()), np.log1p(cell.limit))
            looks = look(
                differences[chosen][:, :blocks],
                sums[chosen][:, :blocks],
                limits,
                boundary,
                confidences=np.full_like(limits, limit_confidence(cell.limit)),
            )
            state[chosen] = np.select(
                [looks.fails, looks.settled, looks.gives_up], [FAILED, SETTLED, GIVEN_UP], OPEN
            )
            decided_at[chosen & (state != OPEN)] = blocks
    return state, decided_at


def _in_open_cases(state: NDArray[np.int_]) -> Bools:
    """Limits of cases that are measured on: those of which one is open. A pass is held against
    the blocks that the others ask for."""
    size = min(CASE, state.shape[1])
    open_ = (state == OPEN).reshape(len(state), -1, size).any(axis=2)
    return np.asarray(np.repeat(open_, size, axis=1))


@dataclass(frozen=True, slots=True)
class Findings:
    """Of advisory thresholds: the average share of findings that are false, and the share of
    shifted ones that are found."""

    false: float
    found: float


def advisory(cell: Cell, shifted: int, seed: int) -> Findings:
    """All but one case of a cell are advisory, and judged when the gated case is decided;
    ``shifted`` of them are worse by the cell's shift. The rest is as in ``simulate``."""
    rng = np.random.default_rng(seed)
    rules = Rules()
    differences, sums = blocks_of(replace(cell, shift=0.0), rng, rules.most_blocks)
    differences[:, CASE : CASE + shifted] += np.log1p(cell.shift)
    gated = simulate_blocks(cell, differences[:, :CASE], sums[:, :CASE], rules)[1].max(axis=1)
    false, shares_found = [], []
    for run, blocks in enumerate(gated.tolist()):
        own, added = differences[run, CASE:, :blocks], sums[run, CASE:, :blocks]
        centre, *_ = estimate_with_interval(own, 0.95)
        findings = np.array(benjamini_hochberg(chance_of_worse(own, added).tolist(), FALSE_SHARE))
        findings &= centre > np.log1p(cell.limit)
        false.append(findings[shifted:].sum() / max(findings.sum(), 1))
        shares_found.append(findings[:shifted].mean() if shifted else np.nan)
    return Findings(float(np.mean(false)), float(np.mean(shares_found)))


def blocks_of(
    cell: Cell, rng: np.random.Generator, blocks: int, first: Bools | None = None
) -> tuple[Floats, Floats]:
    """d and s of (runs, limits, blocks), in pairs of blocks: the order of the first by chance, and
    the other one in the second; or ``first``: whether the base is in each."""
    rows = cell.runs * cell.thresholds
    noise = cell.source(rng, rows, 2 * blocks, cell.sd).reshape(cell.runs, cell.thresholds, -1)
    if cell.shared:
        common = cell.source(rng, cell.runs, 2 * blocks, cell.sd)[:, None, :]
        noise = np.sqrt(cell.shared) * common + np.sqrt(1 - cell.shared) * noise
    if first is None:
        coins = rng.random((cell.runs, 1, (blocks + 1) // 2)) < 0.5
        first = np.stack((coins, ~coins), axis=-1).reshape(cell.runs, 1, -1)[:, :, :blocks]
    base = np.where(first, noise[:, :, 0::2], noise[:, :, 1::2])
    candidate = np.where(first, noise[:, :, 1::2], noise[:, :, 0::2]) * cell.spread
    candidate[:, 0] += np.log1p(cell.shift)
    return candidate - base, candidate + base


def _families(
    cell: Cell, differences: Floats, open_: Bools, rules: Rules
) -> list[tuple[Bools, Boundary]]:
    """The runs that share a boundary: all, unless sign flips find a different one for each."""
    everyone: Bools = np.asarray(open_.any(axis=1))
    if not everyone.any():
        return []
    if not cell.shared:
        return [(everyone, boundary_for(differences.shape[1], rules))]
    by_change: dict[float, tuple[Bools, Boundary]] = {}
    for run in np.flatnonzero(everyone):
        number = effective_thresholds(differences[run], seed=int(run), flips=1000)
        boundary = boundary_for(number, rules)
        rows, _ = by_change.setdefault(
            boundary.limits, (np.zeros(len(everyone), np.bool_), boundary)
        )
        rows[run] = True
    return list(by_change.values())


def _outcome(state: NDArray[np.int_], decided_at: NDArray[np.int_]) -> Outcome:
    first = state[:, 0] == FAILED
    cases = decided_at.reshape(len(state), -1, min(CASE, state.shape[1])).max(axis=2)
    return Outcome(
        failed=float((state == FAILED).any(axis=1).mean()),
        found=float(first.mean()),
        found_blocks=float(decided_at[first, 0].mean()) if first.any() else float("nan"),
        first_blocks=float(decided_at[:, 0].mean()),
        case_blocks=float(cases.mean()),
        run_blocks=float(decided_at.max(axis=1).mean()),
        undecided=float(np.isin(state, (OPEN, GIVEN_UP)).any(axis=1).mean()),
    )
