"""The words of a verdict, each with its mark and its meaning: never colour alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from iogate.model.run import Run, RunStatus
from iogate.model.units import Better
from iogate.model.verdict import Interval, Outcome
from iogate_reports.text import signed

SAME = 0.0005
"""A change that rounds to 0.0 %."""


@dataclass(frozen=True, slots=True)
class Word:
    """``rank`` orders rows, worst first; ``key`` names the style and the icon; ``brief`` is the
    meaning in a few words."""

    key: str
    word: str
    rank: int
    meaning: str
    brief: str = ""


OUTCOMES: dict[Outcome, Word] = {
    Outcome.FAIL: Word(
        "fail",
        "fail",
        0,
        "The limit is broken, and the measurements leave no doubt of it at the confidence "
        "given; where there are too few values for that, the row says so. The build fails.",
        "limit broken",
    ),
    Outcome.INCONCLUSIVE: Word(
        "inconclusive",
        "inconclusive",
        1,
        "The confidence interval reaches past both sides of the limit: these measurements "
        "cannot tell. More repetitions, or less noise, would settle it.",
        "these measurements cannot tell",
    ),
    Outcome.MISSING_BASELINE: Word(
        "missing",
        "no baseline",
        2,
        "The limit compares with earlier accepted runs of the same case on the same host and "
        "in the same environment, and there are none, or too few: the row says why. Runs that "
        "are accepted from now on become the baseline.",
        "no accepted run to compare with",
    ),
    Outcome.WARN: Word(
        "warn",
        "warn",
        3,
        "A limit of level “warn” is broken, or the spec’s policy asks for attention. "
        "The build goes on.",
        "limit broken, the build goes on",
    ),
    Outcome.PASS: Word(
        "pass",
        "pass",
        4,
        "The measurements keep the limit.",
        "limit kept",
    ),
}

COMPARED: dict[Outcome, Word] = {
    **OUTCOMES,
    Outcome.FAIL: replace(
        OUTCOMES[Outcome.FAIL],
        meaning="The limit is broken, and the blocks leave no doubt of it: of a hundred "
        "comparisons without any change, one says so by chance. The build fails.",
    ),
    Outcome.INCONCLUSIVE: replace(
        OUTCOMES[Outcome.INCONCLUSIVE],
        meaning="Not decided within the most blocks, too thin, or too noisy for the limit: the row "
        "says which. More blocks, longer runs, or a quieter host would settle it.",
        brief="these blocks cannot tell",
    ),
    Outcome.PASS: replace(
        OUTCOMES[Outcome.PASS],
        meaning="The measurements keep the limit. Where the interval reaches past it, no "
        "regression was found: one as large as the blocks see would have shown itself in four of "
        "five comparisons, a smaller one may be there.",
        brief="kept, or no regression found",
    ),
}
"""The same words where two arms were compared block by block: there they prove something else."""


def outcomes(run: Run) -> Mapping[Outcome, Word]:
    """The words of a run's limits, with what they mean there."""
    return OUTCOMES if run.plan.comparison is None else COMPARED


ERROR = Word(
    "error",
    "not measured",
    0,
    "A repetition gave no measurement: the engine failed, was stopped, or could not start.",
    "a repetition gave nothing",
)

STATUSES: dict[RunStatus, tuple[Word, str]] = {
    RunStatus.RUNNING: (
        Word("missing", "running", 3, ""),
        "This run has not finished: nothing is judged yet.",
    ),
    RunStatus.INTERRUPTED: (
        Word("error", "interrupted", 0, ""),
        "This run was interrupted before it could be judged.",
    ),
    RunStatus.FAILED: (
        Word("error", "run failed", 0, ""),
        "This run failed before it could be judged.",
    ),
    RunStatus.COMPLETE: (
        Word("error", "not measured", 0, ""),
        "This run is complete but carries no verdict.",
    ),
}


@dataclass(frozen=True, slots=True)
class Change:
    """A relative change as it is shown: ``text`` +4.2 %, ``arrow``, ``word`` and style."""

    text: str
    arrow: str
    word: str
    key: str


def describe_change(
    change: float | None,
    better: Better,
    interval: Interval | None = None,
    *,
    overlap: bool = False,
) -> Change | None:
    """Sign, arrow and word of a change; None where there is none.

    ``unclear`` when the interval holds zero: the sign itself is then not certain. Where
    there is no interval, when the values of both sides ``overlap``.
    """
    if change is None or math.isnan(change):
        return None
    text = signed(change)
    if abs(change) < SAME:
        return Change("0.0 %", "=", "same", "same")
    arrow = "▲" if change > 0 else "▼"
    if overlap if interval is None else interval.low <= 0 <= interval.high:
        return Change(text, arrow, "unclear", "same")
    good = change * better.worse < 0
    return Change(text, arrow, "better" if good else "worse", "good" if good else "bad")


CHANGE_WORDS: tuple[tuple[str, str], ...] = (
    ("better, worse", "whether the change is for the good of this metric."),
    ("same", "the change rounds to 0.0 %."),
    (
        "unclear",
        (
            "the confidence interval of the change holds zero, or where none is given, "
            "values of this run lie among those of the baseline: the sign is not certain."
        ),
    ),
)


def interval_text(around: Interval) -> str:
    """The interval of a change: ``95 % CI +8.1 … +9.9 %``."""
    return f"{share_text(around)} {signed(around.low)[:-2]} … {signed(around.high)}"


def share_text(around: Interval) -> str:
    """What an interval is: ``95 % CI``, or the range of all values."""
    return f"{around.confidence * 100:.3g} % CI" if around.confidence > 0 else "range"
