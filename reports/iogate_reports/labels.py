"""The words of a verdict, each with its mark and its meaning: never colour alone."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from iogate.model.run import Run, RunStatus
from iogate.model.units import Better
from iogate.model.verdict import NOT_JUDGED, PARTLY_JUDGED, Interval, Outcome
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
        "The limit failed: the measurements exclude chance at the stated confidence. "
        "Where there are too few values for that, the row says so. The build fails.",
        "limit failed",
    ),
    Outcome.INCONCLUSIVE: Word(
        "inconclusive",
        "inconclusive",
        1,
        "These measurements do not decide, and the row says why. Where its interval lies on both "
        "sides of the limit, more repetitions, or less noise, would decide it. A change beyond a "
        "limit against the baseline fails only where the baseline has 20 runs, chance is excluded "
        "for all limits of the run together, and no earlier run was nearly as far out: more runs, "
        "or iogate ab, would decide that. Too few I/Os, or repetitions that were disturbed, leave "
        "a limit undecided, too.",
        "cannot be decided from these measurements",
    ),
    Outcome.MISSING_BASELINE: Word(
        "missing",
        "no baseline",
        2,
        "The limit compares with earlier accepted runs of the same case on the same host and "
        "in the same environment, and there are none, or too few: the row says why. Runs that "
        "are accepted from now on become the baseline.",
        "no accepted run to compare with, or too few",
    ),
    Outcome.WARN: Word(
        "warn",
        "warn",
        3,
        "A limit of level “warn” failed, or the spec’s policy asks for attention. "
        "The build goes on.",
        "limit failed, the build goes on",
    ),
    Outcome.PASS: Word(
        "pass",
        "pass",
        4,
        "The limit holds: the measurements are within it.",
        "limit holds",
    ),
}

COMPARED: dict[Outcome, Word] = {
    **OUTCOMES,
    Outcome.FAIL: replace(
        OUTCOMES[Outcome.FAIL],
        meaning="The limit failed: the blocks exclude chance. Of a hundred comparisons "
        "without any change, one fails all the same. The build fails.",
    ),
    Outcome.INCONCLUSIVE: replace(
        OUTCOMES[Outcome.INCONCLUSIVE],
        meaning="Not decided when the last block was done, too few I/Os beyond the percentile, or "
        "too noisy for the limit: the row says which. More blocks, longer runs, or a quieter host "
        "would decide it.",
        brief="cannot be decided from these blocks",
    ),
    Outcome.PASS: replace(
        OUTCOMES[Outcome.PASS],
        meaning="The limit holds. Where the interval reaches past it, no regression was found: "
        "one of the detectable size would have been found in four of five comparisons, a smaller "
        "one may be there.",
        brief="holds, or no regression found",
    ),
}
"""The same words where two arms were compared block by block: there they prove something else."""

UNJUDGED: dict[str, Word] = {
    NOT_JUDGED: Word("missing", NOT_JUDGED, 3, "No limit could be judged, or there is none."),
    PARTLY_JUDGED: Word(
        "missing",
        PARTLY_JUDGED,
        3,
        "What was judged holds; the rest could not be, which this spec lets pass.",
    ),
}
"""Of runs that pass, those that do not vouch for all of their limits: no green for them."""


def outcomes(run: Run) -> Mapping[Outcome, Word]:
    """The words of a run's limits, with what they mean there."""
    return OUTCOMES if run.plan.comparison is None else COMPARED


ERROR = Word(
    "error",
    "not measured",
    0,
    "A repetition failed and measured nothing: the engine failed, was stopped, or did not start.",
    "a repetition failed",
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
        "This run is complete but has no verdict.",
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
    ("better, worse", "whether the change is an improvement or a regression of this metric."),
    ("same", "the change rounds to 0.0 %."),
    (
        "unclear",
        (
            "the confidence interval of the change includes zero, or, where there is none (and of "
            "a percentile of a whole latency curve in any case), the values of this run overlap "
            "those of the baseline, or one side has a single value: the sign is not certain."
        ),
    ),
)


def interval_text(around: Interval) -> str:
    """The interval of a change: ``95 % CI +8.1 … +9.9 %``."""
    low, high = signed(around.low), signed(around.high)
    low = low.removesuffix(" %") if high.endswith(" %") else low
    return f"{share_text(around)} {low} … {high}"


def share_text(around: Interval) -> str:
    """What an interval is: ``95 % CI``, or the range of all values."""
    return f"{around.confidence * 100:.3g} % CI" if around.confidence > 0 else "range"
