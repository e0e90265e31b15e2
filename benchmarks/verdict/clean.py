"""How often a comparison fails where it should not: A against A under every model of noise, a true
change within the limit, and one order of the arms after the other."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, replace

import numpy as np
from verdict.noise import AUDIT, MODELS, RECORDED, order, recorded
from verdict.promises import Promises
from verdict.simulate import CASE, Cell, Outcome, share_that_fails, simulate

from iogate.model.comparison import Arm, Comparison
from iogate.run.blocks import order_in_block
from iogate.stats.boundary import Rules

FAMILIES = (4, 8, 40)
COMPARISONS = 10_000
_RATES = tuple(each.name for each in fields(Outcome))
_AT_ONCE = 2_500  # comparisons, for memory
_DRAWN_ANEW = "states drawn anew each run"
_MOST, _MOST_DRAWN_ANEW = 0.010, 0.012
_SAME_ORDER = 400  # comparisons of each of the 300 orders
_LIMITS = (0.02, 0.05, 0.10, 0.20, 0.30)
_SPREADS = (3, 5, 10)
_WIDE = 0.10  # the standard deviation of the arm that varies more


def many(cell: Cell, seed: int) -> Outcome:
    """``cell.runs`` comparisons, some thousand at a time."""
    parts = max(math.ceil(cell.runs / _AT_ONCE), 1)
    part = replace(cell, runs=math.ceil(cell.runs / parts))
    outcomes = [simulate(part, seed * 1000 + n) for n in range(parts)]
    return Outcome(*(_mean([getattr(each, name) for each in outcomes]) for name in _RATES))


def _mean(values: list[float]) -> float:
    """Of those that are known."""
    known = [value for value in values if not math.isnan(value)]
    return sum(known) / len(known) if known else math.nan


def upper_end(rate: float, runs: int) -> float:
    """Of the 95 % interval of a rate that was seen in so many runs (Wilson 1927)."""
    z2 = 1.96**2
    middle = rate + z2 / (2 * runs)
    reach = 1.96 * math.sqrt(rate * (1 - rate) / runs + z2 / (4 * runs**2))
    return (middle + reach) / (1 + z2 / runs)


def clean_table(seed: int, promises: Promises) -> Iterator[str]:
    """A against A: how many comparisons fail, and how many blocks it takes to pass."""
    yield "## A against A\n"
    yield (
        f"{COMPARISONS:,} comparisons each. Promised: the upper end of the 95 % interval of the"
        " rate is at most 1 %\n(states drawn anew each run: 1.2 %).\n"
    )
    yield (
        "| noise | limits | comparisons that fail | at most | blocks a case | of the longest case |"
        " some limit inconclusive |"
    )
    yield "|---|---|---|---|---|---|---|"
    for name, cell in _clean_cells():
        for family in FAMILIES:
            outcome = many(replace(cell, thresholds=family), seed)
            end = upper_end(outcome.failed, COMPARISONS)
            most = _MOST_DRAWN_ANEW if name.endswith(_DRAWN_ANEW) else _MOST
            told = promises.mark(f"{end:.2%}", holds=end <= most)
            yield (
                f"| {name} | {family} | {outcome.failed:.2%} | {told} | {outcome.case_blocks:.1f} |"
                f" {outcome.run_blocks:.1f} | {outcome.undecided:.1%} |"
            )


def _clean_cells() -> Iterator[tuple[str, Cell]]:
    """What is simulated of each row of the table, for any number of limits."""
    real = {f"recorded: {name}": recorded(name) for name in RECORDED}
    for name, source in (MODELS | real | AUDIT).items():
        yield name, Cell(source, CASE, runs=COMPARISONS)
    for times in _SPREADS:
        cell = Cell(MODELS["independent"], CASE, sd=_WIDE / times, runs=COMPARISONS)
        yield f"one arm varies {times} times as much", replace(cell, spread=times)


def curve_table(seed: int, promises: Promises) -> Iterator[str]:
    """How often one of four limits fails, over its true change."""
    yield "## What a fail means\n"
    yield (
        "One of four limits has a true change, runs differ by 3 % (independent); "
        f"{COMPARISONS // 2:,} comparisons each.\nPromised: at half of the limit at most 5 % fail,"
        " at three points past it at least 95 % and within 14 blocks on\naverage (limits up to"
        " 20 %; of wider ones three points are a smaller part of what is compared).\n"
    )
    parts = "0", "half", "the limit", "+1 point", "+2 points", "+3 points", "+5 points"
    yield "| limit | " + " | ".join(parts) + " | blocks at +3 points |"
    yield "|---|" + "---|" * (len(parts) + 1)
    for limit in _LIMITS:
        shifts = (0, limit / 2, limit, *(limit + points / 100 for points in (1, 2, 3, 5)))
        cell = Cell(MODELS["independent"], 4, limit=limit, runs=COMPARISONS // 2)
        outcomes = [many(replace(cell, shift=shift), seed + 1) for shift in shifts]
        found = [f"{each.found:.1%}" for each in outcomes]
        found[1] = promises.mark(found[1], holds=outcomes[1].found <= 0.05)
        past, narrow = outcomes[5], limit <= 0.20
        found[5] = promises.mark(found[5], holds=past.found >= 0.95 or not narrow)
        blocks = promises.mark(
            f"{past.first_blocks:.1f}", holds=past.first_blocks <= 14 or not narrow
        )
        yield f"| +{limit:.0%} | " + " | ".join(found) + f" | {blocks} |"


def order_table(promises: Promises) -> Iterator[str]:
    """One draw of the order of the arms after the other: none may be unlucky."""
    yield "## One order of the arms at a time\n"
    yield (
        f"The orders that the seeds 0 to 299 draw, {_SAME_ORDER} clean comparisons of four limits"
        " with each. Promised: none fails in more than 5 %.\n"
    )
    yield "| noise | fails on average | fails with the unluckiest order |"
    yield "|---|---|---|"
    blocks = Rules().most_blocks
    case = _Case("0123456789abcdef")
    for share, inside in ((0.03, 0.005), (0.05, 0.02)):
        rates = []
        for seed in range(300):
            rule = Comparison(Arm("a"), Arm("b"), seed=seed)
            places = [order_in_block(rule, case, n)[0] == 0 for n in range(1, blocks + 1)]  # type: ignore[arg-type]
            cell = Cell(order(share, inside), CASE, runs=_SAME_ORDER)
            rates.append(share_that_fails(cell, seed, np.array(places)))
        worst = promises.mark(f"{max(rates):.2%}", holds=max(rates) <= 0.05)
        name = f"second run {share:.0%} slower, sd {inside:.1%}"
        yield f"| {name} | {np.mean(rates):.3%} | {worst} |"


class _Case:
    """A case, as far as the order of its blocks asks."""

    def __init__(self, name: str) -> None:
        self.id = name
