"""Comparisons of kernels with several repetitions a boot, where boots differ, too: how often clean
ones fail, what is found, and how many boots it takes. To the verdict a boot is one value, the mean
of its repetitions; beside it, what their median would do, and what the same repetitions would do if
each were taken for a block of its own.

usage: PYTHONPATH=benchmarks:runner nice python -m verdict.boots
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from verdict.clean import upper_end
from verdict.noise import Floats, Source
from verdict.promises import Promises
from verdict.simulate import CASE, FAILED, GIVEN_UP, OPEN, SETTLED, Cell, blocks_of, simulate_blocks

from iogate.stats.boundary import Rules

COMPARISONS = 10_000
FAMILIES = (4, 40)
PER_BOOT = (1, 3, 5)
_AT_ONCE = 1_000  # comparisons, for memory
_STEP = 0.06
_MOST, _MOST_DRAWN_ANEW = 0.010, 0.012
_SHIFT = 0.05
_RARE, _BY = 0.2, 0.2

Boots = Callable[[np.random.Generator, tuple[int, int]], Floats]


def normal(sd: float) -> Boots:
    """How boots differ: normally."""
    return lambda rng, size: rng.normal(0, sd, size)


def two_states(rng: np.random.Generator, size: tuple[int, int]) -> Floats:
    """Each boot is in one of two states, 6 % apart."""
    return np.asarray((rng.random(size) < 0.5) * _STEP)


@dataclass(frozen=True, slots=True)
class Noise:
    """How boots differ, and the repetitions of one: by a standard deviation, and in a share of them
    a stall, by 20 % on average."""

    name: str
    boots: Boots
    within: float
    most: float = _MOST
    stalls: float = 0.0

    def repetitions(self, rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
        """What each adds to its boot."""
        stalls = (rng.random(size) < self.stalls) * rng.exponential(0.2, size)
        return np.asarray(rng.normal(0, self.within, size) + stalls)


STALLING = Noise(
    "boots 1 %, repetitions 2 % and one in twenty stalls", normal(0.01), 0.02, stalls=0.05
)
NOISES = (
    Noise("boots 1 %, repetitions 3 %", normal(0.01), 0.03),
    Noise("boots 2 %, repetitions 2 %", normal(0.02), 0.02),
    Noise("boots 3 %, repetitions 1 %", normal(0.03), 0.01),
    STALLING,
    Noise("boots in two states, repetitions 3 %", two_states, 0.03, _MOST_DRAWN_ANEW),
    Noise("boots in two states, repetitions 1 %", two_states, 0.01, _MOST_DRAWN_ANEW),
)


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of comparisons: those in which any limit fails, or the first one does, or in which one
    is inconclusive; and the boots of both arms that they take on average."""

    failed: float
    found: float
    undecided: float
    boots: float


def means(values: Floats) -> Floats:
    """Of the repetitions of each boot, the last axis: what the gate takes. In logs, as all here."""
    return np.asarray(np.log(np.exp(values).mean(axis=-1)))


def medians(values: Floats) -> Floats:
    """What it might take."""
    return np.asarray(np.median(values, axis=-1))


def booted(noise: Noise, per_boot: int, take: Callable[[Floats], Floats] = means) -> Source:
    """One value of each boot."""

    def runs_of(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        level = noise.boots(rng, (rows, runs))
        return take(level[:, :, None] + noise.repetitions(rng, (rows, runs, per_boot)))

    return runs_of


def apart(noise: Noise, per_boot: int) -> Source:
    """The same repetitions, each in a block with the one of the same number in the other boot."""

    def runs_of(rng: np.random.Generator, rows: int, runs: int, _sd: float) -> Floats:
        blocks = math.ceil(runs / 2 / per_boot)
        level = noise.boots(rng, (rows, 2 * blocks))
        pairs = level.reshape(rows, blocks, 2).repeat(per_boot, axis=1)[:, : runs // 2]
        return np.asarray(pairs.reshape(rows, runs) + noise.repetitions(rng, (rows, runs)))

    return runs_of


def simulate(cell: Cell, seed: int, *, taken_apart: int = 1) -> Rates:
    """Every comparison of a cell; so many of its blocks (``taken_apart``) share two boots."""
    parts = max(math.ceil(cell.runs / _AT_ONCE), 1)
    part = replace(cell, runs=math.ceil(cell.runs / parts))
    each = [_rates(part, seed * 1000 + n, taken_apart) for n in range(parts)]
    return Rates(*np.array(each).mean(axis=0).tolist())


def _rates(cell: Cell, seed: int, taken_apart: int) -> list[float]:
    rng, rules = np.random.default_rng(seed), Rules()
    blocks = rules.most_blocks
    coins = rng.random((cell.runs, math.ceil(blocks / taken_apart / 2))) < 0.5
    turned = np.stack((coins, ~coins), axis=-1).reshape(cell.runs, -1)
    first = turned.repeat(taken_apart, axis=1)[:, None, :blocks]
    state, decided = simulate_blocks(cell, *blocks_of(cell, rng, blocks, first), rules)
    failed = state == FAILED
    undecided = np.isin(state, (OPEN, GIVEN_UP)).any(axis=1)
    boots = 2 * np.ceil(decided.max(axis=1) / taken_apart)
    shares = failed.any(axis=1), failed[:, 0], undecided, boots
    return [float(each.mean()) for each in shares]


def boots_table(seed: int, promises: Promises, runs: int = COMPARISONS) -> Iterator[str]:
    """Every noise and number of repetitions a boot."""
    yield "## Several repetitions a boot\n"
    yield (
        f"Limits of +2 %, {runs:,} clean comparisons each, and {runs // 5:,} in which one limit has"
        " a true change of +5 %.\nA block is a boot of each arm, in which a case is measured k"
        " times; the mean is the boot's value. Promised:\nthe upper end of the 95 % interval of"
        " clean comparisons that fail is at most 1 % (boots in two states: 1.2 %).\n"
    )
    yield (
        "| noise | k | limits | clean ones that fail | at most | inconclusive | boots |"
        " +5 % found | boots |"
    )
    yield "|---|---|---|---|---|---|---|---|---|"
    for noise, family, k in product(NOISES, FAMILIES, PER_BOOT):
        cell = Cell(booted(noise, k), family, runs=runs)
        clean = simulate(cell, seed)
        found = simulate(replace(cell, shift=_SHIFT, runs=runs // 5), seed + 1)
        end = upper_end(clean.failed, runs)
        told = promises.mark(f"{end:.2%}", holds=end <= noise.most)
        yield (
            f"| {noise.name} | {k} | {family} | {clean.failed:.2%} | {told} |"
            f" {clean.undecided:.1%} | {clean.boots:.0f} | {found.found:.1%} | {found.boots:.0f} |"
        )
    yield ""
    yield from _apart_table(seed, runs)
    yield ""
    yield from _median_table(seed, runs // 5)


def _apart_table(seed: int, runs: int) -> Iterator[str]:
    yield (
        "The same, if the k repetitions of a boot were taken as independent, each for a block of"
        " its own. Nothing is\npromised of it, and iogate does not do it.\n"
    )
    yield "| noise | k | limits | clean ones that fail | at most | boots |"
    yield "|---|---|---|---|---|---|"
    for noise, family, k in product(NOISES, FAMILIES, PER_BOOT[1:]):
        clean = simulate(Cell(apart(noise, k), family, runs=runs), seed, taken_apart=k)
        yield (
            f"| {noise.name} | {k} | {family} | {clean.failed:.2%} |"
            f" {upper_end(clean.failed, runs):.2%} | {clean.boots:.0f} |"
        )


def _median_table(seed: int, runs: int) -> Iterator[str]:
    yield (
        f"Mean or median of a boot ({runs:,} comparisons of four limits). In the last columns one"
        " repetition in five of the\ncandidate is 20 % slower, 4 % on average, and the others are"
        " as before (one limit).\n"
    )
    yield (
        "| noise | k | of a boot | clean ones that fail | inconclusive | boots | +5 % found |"
        " boots | one in five slower: fails | passes |"
    )
    yield "|---|---|---|---|---|---|---|---|---|---|"
    for noise, k in product((NOISES[0], STALLING), PER_BOOT):
        for take in (means, medians)[: 1 if k == 1 else 2]:
            cell = Cell(booted(noise, k, take), CASE, runs=runs)
            clean = simulate(cell, seed)
            found = simulate(replace(cell, shift=_SHIFT), seed + 1)
            fails, passes = _rarely_slower(noise, k, take, runs, seed)
            name = "–" if k == 1 else take.__name__.removesuffix("s")
            yield (
                f"| {noise.name} | {k} | {name} | {clean.failed:.2%} | {clean.undecided:.1%} |"
                f" {clean.boots:.0f} | {found.found:.1%} | {found.boots:.0f} | {fails:.1%} |"
                f" {passes:.1%} |"
            )


def _rarely_slower(
    noise: Noise, per_boot: int, take: Callable[[Floats], Floats], runs: int, seed: int
) -> tuple[float, float]:
    """How often a limit fails and passes where a repetition in five of the candidate is slower."""
    rng, rules = np.random.default_rng(seed + 2), Rules()
    size = runs, rules.most_blocks
    arms = []
    for share in (0.0, _RARE):
        each = noise.repetitions(rng, (*size, per_boot))
        each += (rng.random(each.shape) < share) * np.log1p(_BY)
        arms.append(take(noise.boots(rng, size)[:, :, None] + each)[:, None, :])
    base, candidate = arms
    cell = Cell(booted(noise, per_boot), 1, runs=runs)
    state, _ = simulate_blocks(cell, candidate - base, candidate + base, rules)
    return float((state == FAILED).mean()), float((state == SETTLED).mean())


if __name__ == "__main__":
    for text in boots_table(1, Promises()):
        print(text, flush=True)
