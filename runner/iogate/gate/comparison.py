"""Where the limits of a comparison stand → verdicts and their sentences."""

from __future__ import annotations

import math
from dataclasses import replace

from iogate.gate.anytime import evidence_of
from iogate.gate.arm_runs import sds_of
from iogate.gate.blocks import Glance, Standing, State
from iogate.gate.pairs import Pairs
from iogate.gate.pools import member_changes, names_of
from iogate.gate.sentences import (
    TOO_FEW_MEMBERS,
    members_words,
    percentile_words,
    subject_of,
    thin_reason,
)
from iogate.model.comparison import Comparison
from iogate.model.reason import Reason
from iogate.model.units import format_change, format_change_from, format_value
from iogate.model.verdict import Decision, Ground, Interval, Look, Outcome, ThresholdVerdict
from iogate.stats.paired import Change
from iogate.stats.robust import median

_Words = tuple[str, ...]
"""Why, and what else there is to tell."""
_LARGEST = 709.0
"""The logarithm of about the largest float."""
_OUTCOMES = {State.FAILED: Outcome.FAIL, State.SETTLED: Outcome.PASS}


def compared_verdict(standing: Standing, comparison: Comparison) -> ThresholdVerdict:
    """The verdict on one relative threshold. FAIL is not softened by its level here."""
    pairs = standing.pairs
    verdict = ThresholdVerdict(
        case_id=pairs.case.id,
        threshold=pairs.threshold,
        outcome=_OUTCOMES.get(standing.state, Outcome.INCONCLUSIVE),
        reason="",
        unit=pairs.metric.unit,
        better=pairs.metric.better,
        samples=pairs.candidate,
        baseline_samples=pairs.base,
        blocks=len(pairs.blocks),
        looks=tuple(_look(standing, glance) for glance in standing.glances),
        decided_at=standing.decided_at,
        evidence=evidence_of(pairs),
        repetitions=pairs.repetitions[1],
        baseline_repetitions=pairs.repetitions[0],
    )
    boots, repetitions = sds_of(pairs.repetitions) or (None, None)
    verdict = replace(verdict, boot_sd=boots, repetition_sd=repetitions)
    if pairs.pool:
        verdict = replace(verdict, members=member_changes(pairs, _judged_blocks(standing)))
    if pairs.blocks:
        verdict = _with_change(verdict, standing)
    return verdict.because(_reason(verdict, standing, comparison))


def thin_words(pairs: Pairs, thin: float) -> str:
    """In short why a threshold cannot be decided by runs such as those so far; ``compared_verdict``
    says it in full."""
    subject = subject_of(pairs.case, pairs.threshold)
    why = percentile_words(pairs.threshold, thin)
    return f"{subject} cannot be decided by such runs: too few I/Os, {why}"


def _with_change(verdict: ThresholdVerdict, standing: Standing) -> ThresholdVerdict:
    """The values of the arms, their change and its interval: of the decision where there is one,
    else of all blocks; and what these blocks see."""
    change = standing.change
    blocks = _judged_blocks(standing)
    baseline, value = _typical(standing.pairs, blocks, float(change.estimate[0]))
    verdict = replace(
        verdict,
        baseline=baseline,
        value=value,
        change=_change(standing, float(change.estimate[0])),
        change_interval=_interval(standing, change) if blocks > 1 else None,
    )
    if standing.sd is None:
        return verdict
    seen = _seen(standing, blocks)
    verdict = replace(verdict, visible_change=seen, decision=_decision(verdict, standing, seen))
    if verdict.outcome is not Outcome.INCONCLUSIVE:
        return verdict
    return replace(verdict, blocks_needed=_needed(standing, float(change.estimate[0])))


def _judged_blocks(standing: Standing) -> int:
    return standing.decision.blocks if standing.decision else len(standing.pairs.blocks)


def _typical(pairs: Pairs, blocks: int, worse: float) -> tuple[float, float]:
    """One value for each arm that are apart by the change: both are about the middle of what the
    blocks measured. Zeros have no logarithm; there they are the medians."""
    if pairs.pool:
        return 1.0, math.exp(worse)
    base, candidate = pairs.base[:blocks], pairs.candidate[:blocks]
    if min(base) <= 0 or min(candidate) <= 0:
        return median(base), median(candidate)
    middle = median(pairs.sums[:blocks])
    change = pairs.worse * worse
    ends = ((middle + sign * change) / 2 for sign in (-1, 1))
    low, high = (math.exp(min(end, _LARGEST)) for end in ends)
    return low, high


def _interval(standing: Standing, change: Change) -> Interval:
    ends = sorted(_change(standing, float(end[0])) for end in (change.low, change.high))
    pairs, decision = standing.pairs, standing.decision
    blocks = decision.blocks if decision else len(pairs.blocks)
    confidence = standing.boundary.confidence(blocks, pairs.confidence)
    return Interval(ends[0], ends[1], confidence)


def _seen(standing: Standing, blocks: int) -> float | None:
    """The regression (a fraction) that so many blocks find in four of five comparisons."""
    assert standing.sd is not None
    seen = standing.boundary.visible_after(blocks, standing.sd, standing.pairs.limit)
    return math.expm1(min(seen, 50.0)) if math.isfinite(seen) else None


def _decision(verdict: ThresholdVerdict, standing: Standing, seen: float | None) -> Decision | None:
    made, interval, change = standing.decision, verdict.change_interval, verdict.change
    if made is None or interval is None or change is None:
        return None
    sees = None if seen is None else _change_size(standing, seen)
    return Decision(made.ground, made.block, made.blocks, change, interval, made.level, sees)


def _change(standing: Standing, log: float) -> float:
    """Back from a signed log to a relative change of the metric."""
    return math.expm1(min(standing.pairs.worse * log, 700.0))


def _look(standing: Standing, glance: Glance) -> Look:
    return Look(
        blocks=glance.blocks,
        change=_change(standing, glance.mean),
        bound=_change(standing, glance.upper),
        fails_at=_change(standing, glance.fails_at) if math.isfinite(glance.fails_at) else None,
        settles_at=_change(standing, glance.settles_at),
        held_by=glance.held_by,
    )


def _needed(standing: Standing, worse: float) -> int:
    """Blocks after which a change as large as the estimate fails, or none would pass. At least one
    more than there are."""
    assert standing.sd is not None
    limit, boundary = standing.pairs.limit, standing.boundary
    if worse > limit:
        needed = boundary.blocks_to_fail(worse, standing.sd, limit)
    else:
        needed = boundary.blocks_to_pass(limit, standing.sd)
    return max(len(standing.pairs.blocks) + 1, needed)


def _reason(verdict: ThresholdVerdict, standing: Standing, comparison: Comparison) -> Reason:
    pairs = standing.pairs
    if pairs.thin is not None and standing.state is not State.FAILED:
        return thin_reason(pairs.case, pairs.threshold, pairs.thin)
    subject = subject_of(pairs.case, pairs.threshold)
    members = members_words(verdict, names_of(pairs)) if pairs.pool else ()
    if pairs.is_small:
        return Reason(subject, "not judged", TOO_FEW_MEMBERS, members)
    if not pairs.blocks:
        why, *remarks = _nothing(standing)
        return Reason(subject, why=why, remarks=(*remarks, *members))
    limit = pairs.threshold.limit.text.strip()
    why, *remarks = _WORDS[standing.state](verdict, standing)
    is_factor = not format_change_from(verdict.change).endswith("from")
    apart = "that of" if is_factor and not verdict.members else "from"
    detail = f"{_effect(verdict)} {apart} {comparison.base.name}, limit {limit}"
    return Reason(subject, detail, why, (*remarks, *members))


def _nothing(standing: Standing) -> _Words:
    return _unusable(standing) or ("no block in which both arms were measured",)


def _effect(verdict: ThresholdVerdict) -> str:
    text = format_change(verdict.change)
    if not verdict.members:
        text = f"{format_value(verdict.value, verdict.unit)}, {text}"
    interval = verdict.change_interval
    if interval:
        low, high = format_change(interval.low), format_change(interval.high)
        text += f" ({interval.confidence * 100:.3g} % interval {low} … {high})"
    return text


def _failed(verdict: ThresholdVerdict, standing: Standing) -> _Words:
    found = f"a regression past the limit, found after {_of_blocks(verdict, standing)}"
    return (found, *_unusable(standing))


def _settled(verdict: ThresholdVerdict, standing: Standing) -> _Words:
    decision = verdict.decision
    assert decision is not None
    blocks = _of_blocks(verdict, standing)
    if decision.ground is Ground.WITHIN:
        return (f"within the limit after {blocks}", *_unusable(standing))
    settled = f"no regression found in {blocks}, which would detect one of"
    detects = f"{settled} {format_change(decision.sees)} in four of five comparisons"
    return (detects, *_unusable(standing))


def _of_blocks(verdict: ThresholdVerdict, standing: Standing) -> str:
    """``6 of at most 28 blocks``."""
    assert verdict.decision is not None
    return f"{verdict.decision.blocks} of at most {_most(standing)} blocks"


def _open(verdict: ThresholdVerdict, standing: Standing) -> _Words:
    n = len(standing.pairs.blocks)
    if standing.sd is None:
        least = standing.boundary.rules.first_look
        few = "1 block is" if n == 1 else f"{n} blocks are"
        return (f"{few} too few to decide, at least {least} are needed", *_unusable(standing))
    seen = format_change(_change_size(standing, verdict.visible_change))
    detect = f"{n} blocks would detect {seen} in four of five comparisons"
    sees = (detect,) if verdict.visible_change else ()
    needed = f"about {verdict.blocks_needed} blocks would decide"
    return (f"not decided after {n} blocks", *sees, needed, *_unusable(standing))


def _undecidable(verdict: ThresholdVerdict, standing: Standing) -> _Words:
    if len(standing.pairs.unusable) > 1:
        return _unusable(standing)
    return _too_noisy(standing) if standing.blunt else _open(verdict, standing)


def _too_noisy(standing: Standing) -> _Words:
    assert standing.sd is not None
    all_see = format_change(_change_size(standing, _seen(standing, _most(standing))))
    why = (
        f"runs vary too much here for this limit: {_most(standing)} blocks would detect no less"
        f" than {all_see} in four of five comparisons"
    )
    if standing.pairs.pool:  # nothing is planned for what is of several cases
        return (why,)
    return why, "iogate plan says what this host can detect"


def _unusable(standing: Standing) -> _Words:
    """What is told of blocks that cannot be compared; nothing where all can."""
    n = len(standing.pairs.unusable)
    if not n:
        return ()
    why = (
        f"{n} {'block has' if n == 1 else 'blocks have'} no ratio (a value is missing, zero,"
        " negative or infinite in one arm)"
    )
    return why, "an absolute limit can judge it"


def _change_size(standing: Standing, change: float | None) -> float | None:
    """A worsening by so much, as a change of the metric itself."""
    if change is None:
        return None
    return standing.pairs.threshold.limit.comparison.better.worsening(change)


def _most(standing: Standing) -> int:
    return standing.boundary.rules.most_blocks


_WORDS = {
    State.FAILED: _failed,
    State.SETTLED: _settled,
    State.OPEN: _open,
    State.UNDECIDABLE: _undecidable,
}
