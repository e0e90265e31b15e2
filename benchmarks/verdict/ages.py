"""How old a baseline has to be: clean runs against histories of all ages.

`python -m verdict.ages NAME LIMITS` prints one row, as the whole table takes hours."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace

from verdict.clean import upper_end
from verdict.history import Cell, failed
from verdict.noise import MODELS, STAYS, heavy, independent, two_states
from verdict.promises import Promises

from iogate.gate.history import RUNS_NEEDED

FAMILIES = (4, 40)
AGES = (2, 3, 4, 5, 8, 12, 20, 40)
ROUNDS = 10_000
DRIFTING = ("drift 6 %", "mixture")


def age_table(seed: int, promises: Promises) -> Iterator[str]:
    """Runs that differ as a whole in every way that is known to mislead, by the age of a
    baseline."""
    yield "## How old a baseline has to be\n"
    yield (
        f"{ROUNDS:,} clean runs of a cell: those that fail, with the upper end of the 95 %"
        " interval. Promised: at most 1 %\n(drift and the mixture that has one excepted). Below"
        f" {RUNS_NEEDED} runs before it the baseline is young, and nothing fails.\n"
    )
    yield f"| noise | limits | {' | '.join(f'{n} before' for n in AGES)} |"
    yield "|---" * (len(AGES) + 2) + "|"
    for name, cell in _ageing().items():
        for family in FAMILIES:
            yield _age_row(name, cell, family, seed, promises)


def _age_row(name: str, cell: Cell, family: int, seed: int, promises: Promises) -> str:
    shown = []
    for before in AGES:
        aged = replace(cell, thresholds=family, runs=before, rounds=ROUNDS)
        shown.append(_age_rate(name, aged, failed(aged, seed), promises))
    return f"| {name} | {family} | {' | '.join(shown)} |"


def _ageing() -> dict[str, Cell]:
    """The last two move what repetitions share: the level of a run."""
    cells = {name: Cell(source, 4) for name, source in MODELS.items()}
    for stay in STAYS:
        name = f"two states 6 % apart, stays of {stay:g} runs"
        cells[name] = Cell(independent, 4, sd=0.003, levels=two_states(stay, inside=0.0))
    tailed = Cell(independent, 4, sd=0.01, between=0.03, levels=heavy)
    return cells | {"heavy tail of runs": tailed}


def _age_rate(name: str, cell: Cell, failures: int, promises: Promises) -> str:
    if cell.runs < RUNS_NEEDED and not failures:
        return "young"
    upper = upper_end(failures / cell.rounds, cell.rounds)
    is_promised = name not in DRIFTING
    text = f"{failures / cell.rounds:.2%} (≤ {upper:.2%})"
    return promises.mark(text, holds=upper <= 0.01 or not is_promised)


if __name__ == "__main__":
    asked, limits = sys.argv[1:]
    print(_age_row(asked, _ageing()[asked], int(limits), 1, Promises()))
