"""Why a change beyond its limit is no fail: the words of each test that does not exclude chance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from iogate.model.spec import Level

BETWEEN_RUNS, BY_RANKS = "by how runs differ", "by the ranks of the repetitions"
YET_WITHIN = "where a value is zero the whole interval has to be past the limit"
"""Of a change without a logarithm."""
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
