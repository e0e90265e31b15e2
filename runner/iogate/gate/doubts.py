"""Why a change beyond its limit is no fail: the words of each test that does not exclude chance."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from iogate.model.spec import Level

BETWEEN_RUNS, BY_RANKS = "by how runs differ", "by the ranks of the repetitions"
BY_ORDER = "by the order of the runs"
YET_WITHIN = "where a value is zero the whole interval has to be past the limit"
"""Of a change without a logarithm."""
_STILL = (
    "at least half of its earlier values are one and the same, so only the order of runs counts"
)
_LEVELS = {Level.FAIL: "gated limits", Level.WARN: "limits of level warn"}


@dataclass(frozen=True, slots=True)
class Chance:
    """The probability of so bad a run without a change, and the test that gives it."""

    value: float
    test: str


@dataclass(frozen=True, slots=True)
class Family:
    """The limits that chance is excluded for together, and the ``level`` that each may err with."""

    kind: Level
    size: int
    level: float


def young_words(runs: int, needed: int) -> str:
    """The baseline has too few runs for any fail."""
    have = "1 run" if runs == 1 else f"{runs} runs"
    return (
        f"this is a young baseline: it has {have}, and {needed} are needed before a limit can fail"
    )


def chance_words(chance: Chance, own: float, family: Family) -> str:
    """Chance explains it: where a limit alone would need less (``own``), or all together do."""
    if chance.value >= 0.5:
        return "the change is none for the worse, and only such a change fails"
    alone = chance.value > own and own <= family.level
    seen, needed = _apart(_percent, chance.value, own if alone else family.level, 2)
    so = f"chance alone makes a run so bad in {seen} of runs ({chance.test})"
    if alone:
        return f"{so}, and a fail needs {needed} or less at this confidence"
    share = f", as {family.size} {_LEVELS[family.kind]} share the risk" if family.size > 1 else ""
    return f"{so}, and a fail needs {needed} or less{share}"


def still_words(runs: int, nights: int, level: float) -> str:
    """One run is the worst of all by chance, in so many ``nights`` of them for all limits."""
    seen, needed = _apart(_percent, nights / (runs + 1), level, 2)
    one = f"one of {runs + 1} runs is"
    some = f"{nights}, with all limits that are like it, of {runs + 1} runs are"
    return (
        f"{_STILL}: {one if nights == 1 else some} the worst by chance alone ({seen}), and a fail"
        f" needs {needed} or less, which takes {runs_to_rank(nights, level)} earlier runs"
        " (baseline.window); an absolute limit needs none"
    )


def not_worst_words() -> str:
    """An earlier run was no better."""
    return f"{_STILL}, and an earlier run was as bad; an absolute limit needs no earlier runs"


def runs_to_rank(nights: int, level: float) -> int:
    """How many earlier runs make so many nights of all no more than their level."""
    return math.ceil(nights / level - 1e-9) - 1


def reach_words(times: float, needed: float) -> str:
    """Runs without a change were nearly as far out."""
    seen, least = _apart(_plain, times, needed, 3)
    return (
        f"it is {seen} times as far out as the furthest of earlier runs (also of other cases"
        f" with this metric), and a fail needs {least} times"
    )


def _apart(
    text: Callable[[float, int], str], one: float, other: float, digits: int
) -> tuple[str, str]:
    """Two numbers with so many digits, or as many more as tell them apart."""
    texts = [(text(one, n), text(other, n)) for n in range(digits, 12)]
    return next((each for each in texts if each[0] != each[1]), texts[0])


def _plain(value: float, digits: int) -> str:
    return f"{value:.{digits}g}"


def _percent(chance: float, digits: int) -> str:
    return f"{chance * 100:.{digits}g} %" if chance >= 1e-6 else "under 0.0001 %"
