"""Where the thresholds of a comparison stand → verdicts and their sentences."""

from __future__ import annotations

import math
from dataclasses import replace

from iogate.gate.blocks import Glance, Pairs, Standing, State
from iogate.gate.sentences import subject_of, thin_reason
from iogate.metrics.thin import LEAST_IOS_BEYOND
from iogate.model.comparison import Comparison
from iogate.model.reason import Reason
from iogate.model.units import format_change, format_value
from iogate.model.verdict import Interval, Look, Outcome, ThresholdVerdict
from iogate.stats.boundary import blocks_to_bound
from iogate.stats.robust import median

_Words = tuple[str, ...]
"""Why, and what else there is to tell."""
_OUTCOMES = {State.FAILED: Outcome.FAIL, State.SETTLED: Outcome.PASS}


def compared_verdict(one: Standing, comparison: Comparison) -> ThresholdVerdict:
    """The verdict on one relative threshold. FAIL is not softened by its level here."""
    pairs = one.pairs
    verdict = ThresholdVerdict(
        case_id=pairs.case.id,
        threshold=pairs.threshold,
        outcome=_OUTCOMES.get(one.state, Outcome.INCONCLUSIVE),
        reason="",
        unit=pairs.metric.unit,
        better=pairs.metric.better,
        samples=pairs.candidate,
        baseline_samples=pairs.base,
        blocks=len(pairs.blocks),
        looks=tuple(_look(one, glance) for glance in one.glances),
        decided_at=one.decided_at,
    )
    if pairs.blocks:
        verdict = replace(verdict, value=median(pairs.candidate), baseline=median(pairs.base))
        verdict = _with_change(verdict, one)
    return verdict.because(_reason(verdict, one, comparison))


def thin_words(pairs: Pairs, thin: float) -> str:
    """In short why a threshold will not be decided, whatever is measured; ``compared_verdict``
    says it in full."""
    subject = subject_of(pairs.case, pairs.threshold)
    why = f"too thin, {thin:.0f} of {LEAST_IOS_BEYOND} I/Os beyond the quantile"
    return f"{subject} will not be decided: {why}"


def _with_change(verdict: ThresholdVerdict, one: Standing) -> ThresholdVerdict:
    """The estimate, its interval, and what so many blocks can see."""
    import numpy as np

    from iogate.stats.hodges_lehmann import estimate_with_interval

    pairs = one.pairs
    confidence = pairs.confidence
    logs = np.array([pairs.differences])
    centre, low, high, achieved = estimate_with_interval(logs, confidence)
    ends = sorted((_change(one, float(low[0])), _change(one, float(high[0]))))
    verdict = replace(verdict, change=_change(one, float(centre[0])))
    if len(pairs.blocks) > 1:
        verdict = replace(verdict, change_interval=Interval(ends[0], ends[1], achieved))
    if one.sd is None:
        return verdict
    seen = one.boundary.visible_after(len(pairs.blocks), one.sd)
    needed = None
    if verdict.outcome is Outcome.INCONCLUSIVE and one.state is not State.FAILED:
        needed = _needed(one, float(centre[0]))
    return replace(
        verdict,
        visible_change=math.expm1(min(seen, 50.0)) if math.isfinite(seen) else None,
        blocks_needed=needed,
    )


def _change(one: Standing, log: float) -> float:
    """Back from a signed log to a relative change of the metric."""
    return math.expm1(min(one.pairs.worse * log, 700.0))


def _look(one: Standing, glance: Glance) -> Look:
    return Look(
        blocks=glance.blocks,
        change=_change(one, glance.mean),
        bound=_change(one, glance.upper),
        fails_at=_change(one, glance.fails_at) if math.isfinite(glance.fails_at) else None,
        settles_at=_change(one, glance.settles_at),
    )


def _needed(one: Standing, centre: float) -> int:
    """Blocks after which an effect as large as the estimate is told from its limit: past it,
    by the boundary's last and highest demand; within it, by a 95 % bound. At least one more."""
    assert one.sd is not None
    limit, blocks = one.pairs.limit, len(one.pairs.blocks)
    if centre > limit:
        needed = one.boundary.blocks_to_fail(centre, one.sd)
    else:
        needed = blocks_to_bound(limit - centre, one.sd)
    return max(blocks + 1, needed)


def _reason(verdict: ThresholdVerdict, one: Standing, comparison: Comparison) -> Reason:
    pairs = one.pairs
    if pairs.thin is not None:
        return thin_reason(pairs.case, pairs.threshold, pairs.thin)
    subject = subject_of(pairs.case, pairs.threshold)
    if not pairs.blocks:
        why, *remarks = _nothing(one)
        return Reason(subject, why=why, remarks=tuple(remarks))
    limit = pairs.threshold.limit.text.strip()
    why, *remarks = _WORDS[one.state](verdict, one)
    detail = f"{_effect(verdict)} from {comparison.base.name}, limit {limit}"
    return Reason(subject, detail, why, tuple(remarks))


def _nothing(one: Standing) -> _Words:
    return _unusable(one) or ("no block in which both arms were measured",)


def _effect(verdict: ThresholdVerdict) -> str:
    value = format_value(verdict.value, verdict.unit)
    text = f"{value}, {format_change(verdict.change)}"
    interval = verdict.change_interval
    if interval:
        low, high = format_change(interval.low), format_change(interval.high)
        text += f" ({interval.confidence * 100:.3g} % interval {low} … {high})"
    return text


def _failed(_verdict: ThresholdVerdict, one: Standing) -> _Words:
    return (f"a regression, seen at block {one.decided_at} of at most {_most(one)}",)


def _settled(verdict: ThresholdVerdict, one: Standing) -> _Words:
    interval = verdict.change_interval
    limit = one.pairs.threshold.limit
    n = len(one.pairs.blocks)
    if interval and all(
        limit.comparison.holds(end, limit.value) for end in (interval.low, interval.high)
    ):
        return (f"within the limit, {n} blocks",)
    seen = format_change(_change_size(one, verdict.visible_change))
    return (f"no regression in {n} blocks, which see one of {seen} in four of five runs",)


def _open(verdict: ThresholdVerdict, one: Standing) -> _Words:
    n = len(one.pairs.blocks)
    if one.sd is None:
        least = one.boundary.rules.first_look
        few = "1 block decides" if n == 1 else f"{n} blocks decide"
        return (f"{few} nothing, {least} are the least", *_unusable(one))
    seen = format_change(_change_size(one, verdict.visible_change))
    sees = (f"they see {seen} in four of five runs",) if verdict.visible_change else ()
    needed = f"about {verdict.blocks_needed} would"
    return (f"{n} blocks do not decide it", *sees, needed, *_unusable(one))


def _undecidable(verdict: ThresholdVerdict, one: Standing) -> _Words:
    if len(one.pairs.unusable) > 1:
        return _unusable(one)
    return _too_noisy(one) if one.blunt else _open(verdict, one)


def _too_noisy(one: Standing) -> _Words:
    assert one.sd is not None
    all_see = math.expm1(min(one.boundary.visible_after(_most(one), one.sd), 50.0))
    why = (
        f"runs differ too much here for this limit: {_most(one)} blocks would see no less than"
        f" {format_change(_change_size(one, all_see))} in four of five runs"
    )
    return why, "iogate plan says what this host can see"


def _unusable(one: Standing) -> _Words:
    """What is told of blocks that cannot be compared; nothing where all can."""
    n = len(one.pairs.unusable)
    if not n:
        return ()
    why = (
        f"{n} {'block has' if n == 1 else 'blocks have'} no ratio (a value is missing, zero,"
        " negative or infinite in one arm)"
    )
    return why, "an absolute limit can judge it"


def _change_size(one: Standing, change: float | None) -> float | None:
    """A worsening by so much, as a change of the metric itself."""
    if change is None:
        return None
    return one.pairs.threshold.limit.comparison.better.worsening(change)


def _most(one: Standing) -> int:
    return one.boundary.rules.most_blocks


_WORDS = {
    State.FAILED: _failed,
    State.SETTLED: _settled,
    State.OPEN: _open,
    State.UNDECIDABLE: _undecidable,
}
