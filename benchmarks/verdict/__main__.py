"""Error rates of the verdict by simulation, and how long it takes to make one.

usage: scripts/bench-verdict [--runs N] [--seed N]

Writes Markdown tables to benchmarks/results/verdict.md and prints them. Exits 1 when a
promised rate or time did not hold. The same seed gives the same rates everywhere.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from verdict.again import again_table
from verdict.ages import age_table
from verdict.anytime import anytime_table
from verdict.beside import beside_table
from verdict.boots import boots_table
from verdict.clean import clean_table, curve_table, order_table
from verdict.history import Cell as HistoryCell
from verdict.history import simulate as against_history
from verdict.nights import lines as night_lines
from verdict.noise import MODELS
from verdict.one_arm import one_arm_table
from verdict.past import past_table
from verdict.periods import period_table
from verdict.pools import pool_table
from verdict.promises import Promises
from verdict.shapes import shape_table
from verdict.simulate import Cell, Outcome, advisory, simulate
from verdict.speed import lines as speed_lines
from verdict.watched import watched_tables

RESULT = Path(__file__).parents[1] / "results" / "verdict.md"
FAMILIES = (4, 40)
MANY = 25  # times as many simulations where they are cheap, and the promise is near
CHEAP = 20_000  # simulations of a table where they are cheap, and the promise is near, too
FOUND_BLOCKS = 14.0
DRIFTING = ("drift 6 %", "mixture")
POWER = {(4, 0.05): 0.95, (40, 0.05): 0.90, (4, 0.10): 0.99, (40, 0.10): 0.99}
HEAD = """\
# verdict

Made by `make bench-verdict` on {day}, seed {seed}: simulated comparisons, 2,000 or more a cell
unless a table says how many ({many:,} where one of 4 limits is shifted under independent noise,
1,000 where limits move together). Every limit is `vs baseline < +2%`; unless stated otherwise runs
differ by 3 % and limits are independent, which is the worst case for a family. A case has four
limits and is measured until each of them is decided, at most 28 blocks. The recorded sessions are
400 runs each of iogate-engine on a loop device of a small and busy machine, cut at random.
"""


def power_table(runs: int, seed: int, promises: Promises) -> Iterator[str]:
    """One threshold of the family is shifted: how often is it found, and how soon."""
    yield "## A against a slower B\n"
    yield (
        "One threshold is shifted. Promised at 3 % independent noise: +5 % in 95 % of runs (40"
        " thresholds: 90 %)\nand within 14 blocks on average (4 thresholds), +10 % in 99 %.\n"
    )
    yield (
        "| noise | thresholds | shift | found | blocks until decided | blocks where found |"
        " still undecided |"
    )
    yield "|---|---|---|---|---|---|---|"
    for name, source in MODELS.items():
        for family in FAMILIES:
            for shift in (0.03, 0.05, 0.10):
                exact = name == "independent" and family == FAMILIES[0]
                many = MANY * runs if exact else max(runs // 2, 2000)
                simulated = simulate(Cell(source, family, shift, runs=many), seed + 1)
                yield _power_row(name, family, shift, simulated, promises)


def _power_row(name: str, family: int, shift: float, simulated: Outcome, promises: Promises) -> str:
    promised = POWER.get((family, shift), 0.0) if name == "independent" else 0.0
    rate = promises.mark(f"{simulated.found:.1%}", holds=simulated.found >= promised)
    slow = name == "independent" and (family, shift) == (4, 0.05)
    blocks = promises.mark(
        f"{simulated.first_blocks:.1f}", holds=not slow or simulated.first_blocks <= FOUND_BLOCKS
    )
    where = "–" if math.isnan(simulated.found_blocks) else f"{simulated.found_blocks:.1f}"
    return (
        f"| {name} | {family} | {shift:+.0%} | {rate} | {blocks} | {where} |"
        f" {simulated.undecided:.1%} |"
    )


def correlated_table(runs: int, seed: int, promises: Promises) -> Iterator[str]:
    """Thresholds that move together, as the metrics of one run do."""
    yield "## Thresholds that move together\n"
    yield (
        "40 thresholds, independent runs; the effective number comes from 1,000 sign flips at"
        " each look.\n"
    )
    yield "| shared variance | A/A runs that fail | +5 % found | blocks until decided |"
    yield "|---|---|---|---|"
    for shared in (0.3, 0.6, 0.9, 0.99):
        cell = Cell(MODELS["independent"], 40, runs=min(runs, 2000) // 2, shared=shared)
        clean = simulate(cell, seed)
        shifted = simulate(replace(cell, shift=0.05), seed + 1)
        rate = promises.mark(f"{clean.failed:.2%}", holds=clean.failed <= 0.01)
        yield f"| {shared:.0%} | {rate} | {shifted.found:.1%} | {shifted.first_blocks:.1f} |"


def noise_table(runs: int, seed: int) -> Iterator[str]:
    """What other levels of noise cost."""
    yield "## Quieter and noisier hosts\n"
    yield "4 thresholds, independent runs.\n"
    yield "| noise | A/A blocks | +5 % found | blocks until decided | +10 % found |"
    yield "|---|---|---|---|---|"
    for sd in (0.005, 0.01, 0.02, 0.03, 0.05):
        cell = Cell(MODELS["independent"], 4, sd=sd, runs=runs)
        clean = simulate(cell, seed)
        five = simulate(replace(cell, shift=0.05), seed + 1)
        ten = simulate(replace(cell, shift=0.10), seed + 2)
        yield (
            f"| {sd:.1%} | {clean.case_blocks:.1f} | {five.found:.1%} | {five.first_blocks:.1f} |"
            f" {ten.found:.1%} |"
        )


def advisory_table(runs: int, seed: int, promises: Promises) -> Iterator[str]:
    """Limits of level warn, judged once when the gated ones are done."""
    yield "## Advisory limits\n"
    yield (
        "4 gated thresholds and 36 advisory ones, of which some are slower by 5 %. Promised: at"
        f" most 5 % of the findings are false, on average.\n{CHEAP:,} comparisons each where"
        " nothing is shared.\n"
    )
    yield "| noise | shared variance | slower | findings that are false | slower ones found |"
    yield "|---|---|---|---|---|"
    for name in ("independent", "heavy tail", "bimodal"):
        for shared in (0.0, 0.6):
            for shifted in (0, 6):
                many = runs // 2 if shared else CHEAP
                cell = Cell(MODELS[name], 40, 0.05, runs=many, shared=shared)
                seen = advisory(cell, shifted, seed)
                rate = promises.mark(f"{seen.false:.1%}", holds=seen.false <= 0.05)
                share = "–" if math.isnan(seen.found) else f"{seen.found:.1%}"
                yield f"| {name} | {shared:.0%} | {shifted} of 36 | {rate} | {share} |"


def history_table(runs: int, seed: int, promises: Promises) -> Iterator[str]:
    """One run against those before it."""
    yield "## A run against its history\n"
    yield (
        "20 runs of five repetitions before it; repetitions differ by 3 %. In the fourth column"
        " whole runs differ\nby 2 % more. Promised: at most 1 % of clean runs fail where only"
        " repetitions differ and the level is the\nsame; with a drift, or a mixture that has one,"
        " the last run does differ from those before.\n"
    )
    yield (
        "| noise | thresholds | clean runs that fail | and runs differ by 2 % | +5 % found |"
        " +10 % found |"
    )
    yield "|---|---|---|---|---|---|"
    many = max(runs // 2, 2000)
    for name, source in MODELS.items():
        for family in FAMILIES:
            cell = HistoryCell(source, family, rounds=many)
            clean = against_history(cell, seed)
            promised = name not in DRIFTING
            rate = promises.mark(f"{clean.failed:.2%}", holds=clean.failed <= 0.01 or not promised)
            between = against_history(replace(cell, between=0.02), seed + 1).failed
            shown = [f"| {name} | {family} | {rate} | {between:.2%}"]
            for shift in (0.05, 0.10):
                shifted = replace(cell, shift=shift)
                wanted = family == FAMILIES[0] or name == "independent"
                share = against_history(shifted, seed + 2).found if wanted else math.nan
                shown.append("–" if math.isnan(share) else f"{share:.1%}")
            yield f"{' | '.join(shown)} |"
    yield ""
    yield (
        "How many runs there are before it (4 thresholds, independent). With fewer than four how"
        " runs differ\nis not known; the verdict is marked as a point.\n"
    )
    yield "| runs before | clean that fail | and runs differ by 2 % | +10 % found | +20 % found |"
    yield "|---|---|---|---|---|"
    for before in (1, 2, 3, 4, 6, 10, 20, 40):
        cell = HistoryCell(MODELS["independent"], 4, runs=before, rounds=many)
        clean = against_history(cell, seed)
        rate = promises.mark(f"{clean.failed:.2%}", holds=clean.failed <= 0.01)
        between = against_history(replace(cell, between=0.02), seed + 1).failed
        ten = against_history(replace(cell, shift=0.10), seed + 2).found
        twenty = against_history(replace(cell, shift=0.20), seed + 3).found
        yield f"| {before} | {rate} | {between:.2%} | {ten:.1%} | {twenty:.1%} |"


def speed_table(promises: Promises) -> Iterator[str]:
    """How long a verdict takes here."""
    yield "## Time\n"
    yield "| what | took | promised | |"
    yield "|---|---|---|---|"
    for line in (*speed_lines(), *night_lines()):
        promises.mark("", holds="does not hold" not in line)
        yield line


def _tables(asked: argparse.Namespace, promises: Promises) -> tuple[Iterator[str], ...]:
    """Every table but the times, of which nothing is computed yet; the longest come first."""
    runs, seed = asked.runs, asked.seed
    return (
        clean_table(seed, promises),
        curve_table(seed, promises),
        order_table(promises),
        period_table(seed),
        one_arm_table(seed),
        again_table(seed, promises),
        pool_table(seed, promises),
        beside_table(seed, promises),
        boots_table(seed, promises),
        anytime_table(seed, promises),
        power_table(runs, seed, promises),
        correlated_table(runs, seed, promises),
        noise_table(runs, seed),
        advisory_table(runs, seed, promises),
        history_table(runs, seed, promises),
        age_table(seed, promises),
        shape_table(seed, promises),
        watched_tables(seed),
        past_table(seed),
    )


def _made(asked: argparse.Namespace, number: int) -> tuple[str, int]:
    """A table, in a process of its own, and how many promises it breaks."""
    promises = Promises()
    return _text(_tables(asked, promises)[number], f"[{number + 1}] "), promises.broken


def _text(table: Iterator[str], before: str) -> str:
    """The lines of a table, each told on stderr as it is made: a run takes an hour or more."""
    lines = []
    for line in table:
        print(f"{before}{line.strip()}", file=sys.stderr, flush=True)
        lines.append(line)
    return "\n" + "\n".join(lines) + "\n"


def main() -> int:
    """Every table, as many at once as there are processors, then the times by themselves; 1 when
    a promise is broken."""
    parser = argparse.ArgumentParser(prog="scripts/bench-verdict")
    parser.add_argument("--runs", type=int, default=4_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    many = len(_tables(asked, Promises()))
    with ProcessPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        made = list(pool.map(partial(_made, asked), range(many)))
    times, day = Promises(), datetime.now(UTC).date()
    text = HEAD.format(many=MANY * asked.runs, seed=asked.seed, day=day)
    text += "".join(table for table, _ in made) + _text(speed_table(times), "[times] ")
    RESULT.parent.mkdir(exist_ok=True)
    RESULT.write_text(text, encoding="utf-8")
    print(text)
    broken = sum(number for _, number in made) + times.broken
    print(f"{broken} promises broken" if broken else "every promise holds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
