"""Repetitions that were disturbed and break a limit which those that count keep. They are not
judged; but what disturbs itself would pass by that, so people are told."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.model.plan import Case, Plan
from iogate.model.units import Unit
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate.stats.robust import median

_TIMINGS = (Unit.PER_SECOND, Unit.BYTES_PER_SECOND, Unit.NANOSECONDS)


def caution(
    plan: Plan, case: Case, verdict: ThresholdVerdict, disturbed: Sequence[float]
) -> str | None:
    """The sentence on a limit that was judged, and the values of its metric in the disturbed
    repetitions, in a comparison those of the candidate; None where there is nothing to tell."""
    if verdict.outcome in (Outcome.FAIL, Outcome.WARN) or not (verdict.samples and disturbed):
        return None
    counts, odd = median(verdict.samples), median(disturbed)
    limit = verdict.threshold.limit
    is_worse = odd > counts if limit.comparison.wants_low else odd < counts
    if counts <= 0 or not is_worse:
        return None
    change = odd / counts - 1
    if limit.comparison.holds(change if limit.relative else odd, limit.value):
        return None
    arm = f" of {plan.comparison.candidate.name}" if plan.comparison else ""
    n = len(disturbed)
    were = f"1 disturbed repetition{arm} was" if n == 1 else f"{n} disturbed repetitions{arm} were"
    they = "it is" if n == 1 else "they are"
    return (
        f"{verdict.threshold.metric} of {case.name}: {were} {_words(change, verdict.unit)} than"
        f" those that count, which breaks its limit {limit.text.strip()}; {they} not judged: see"
        " whether what is tested caused it"
    )


def _words(change: float, unit: Unit) -> str:
    percent = f"{abs(change) * 100:.0f} %"
    if unit in _TIMINGS:
        return f"{percent} slower"
    return f"{percent} {'higher' if change > 0 else 'lower'}"
