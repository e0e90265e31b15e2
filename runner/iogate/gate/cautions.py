"""Repetitions that were disturbed and break a limit which those that count keep. They are not
judged; but what disturbs itself would pass by that, so people are told."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.model.plan import Case, Plan
from iogate.model.units import Unit
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate.stats.robust import median

_TIMINGS = (Unit.PER_SECOND, Unit.BYTES_PER_SECOND, Unit.NANOSECONDS)
_LEAST, _LEAST_SHARE = 2, 0.1
"""Of the repetitions, so many have to be disturbed. On a quiet host one in a hundred is, and slow
by that: a single one is no ground, nor are two of fifty. Of up to twenty, two are by chance in
less than 2 % of the runs there."""


def caution(
    plan: Plan, case: Case, verdict: ThresholdVerdict, disturbed: Sequence[float]
) -> str | None:
    """The sentence on a limit that was judged, and the values of its metric in the disturbed
    repetitions, in a comparison those of the candidate; None where there is nothing to tell, or
    too few of them."""
    n = len(disturbed)
    if verdict.outcome in (Outcome.FAIL, Outcome.WARN) or not verdict.samples:
        return None
    if n < max(_LEAST, _LEAST_SHARE * (n + len(verdict.samples))):
        return None
    counts, odd = median(verdict.samples), median(disturbed)
    limit = verdict.threshold.limit
    is_worse = (odd - counts) * limit.worse > 0
    if counts <= 0 or not is_worse:
        return None
    change = odd / counts - 1
    if limit.comparison.holds(change if limit.relative else odd, limit.value):
        return None
    arm = f" of {plan.comparison.candidate.name}" if plan.comparison else ""
    return (
        f"{verdict.threshold.metric} of {case.name}: {n} disturbed repetitions{arm} were"
        f" {_words(change, verdict.unit)} than those that count, which fails its limit"
        f" {limit.text.strip()}; they are not judged: see"
        " whether what is tested caused it"
    )


def _words(change: float, unit: Unit) -> str:
    percent = f"{abs(change) * 100:.0f} %"
    if unit in _TIMINGS:
        return f"{percent} slower"
    return f"{percent} {'higher' if change > 0 else 'lower'}"
