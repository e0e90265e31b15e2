"""What the gate says of repetitions that were disturbed, and so are not judged."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from iogate.gate.blocks import Standing
from iogate.gate.sentences import subject_of
from iogate.metrics import counts_faults
from iogate.model.comparison import LEAST_BLOCKS
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.reason import Reason
from iogate.model.run import CaseFailure
from iogate.model.spec import Threshold
from iogate.model.verdict import Outcome, RunReason, ThresholdVerdict

_REMEDY = "stop what else runs there, or raise the limits under validity:, and measure again"


def disturbed_remark(
    plan: Plan, measurements: Sequence[Measurement], verdicts: Sequence[ThresholdVerdict], told: str
) -> str:
    """``2 repetitions were disturbed (…) and do not count``, of a run; empty where none were. Why
    is not said again where that stands in what is ``told`` already."""
    spoiled = [m for m in measurements if m.disturbed]
    if not spoiled:
        return ""
    reason = worst(spoiled)
    why = "" if reason in told else f" ({reason})"
    if not undisturbed(measurements):
        faults = any(_is_judged_fault(verdict, plan) for verdict in verdicts)
        so = "so only faults are judged" if faults else "so none counts"
        return f"every {_unit(plan)} was disturbed{why}, {so}"
    were = "repetition was" if len(spoiled) == 1 else "repetitions were"
    does = "does" if len(spoiled) == 1 else "do"
    return f"{len(spoiled)} {were} disturbed{why} and {does} not count"


def _is_judged_fault(verdict: ThresholdVerdict, plan: Plan) -> bool:
    is_judged = verdict.outcome is not Outcome.INCONCLUSIVE
    return is_judged and counts_faults(verdict.threshold.metric, plan.metrics)


def _unit(plan: Plan) -> str:
    return "block" if plan.comparison else "repetition"


def unknown_reason(
    plan: Plan, unknown: Sequence[Case], measurements: Sequence[Measurement]
) -> RunReason:
    """The reason of a run of which nothing counts, or too little of a canary, in some cases
    that have no limits, which would say so."""
    ids = {case.id for case in unknown}
    spoiled = [m for m in measurements if m.case_id in ids and m.disturbed]
    more = f" and {len(ids) - 1} more" if len(ids) > 1 else ""
    of = f"known of {unknown[0].name}{more}"
    own = [m for m in measurements if m.case_id == unknown[0].id]
    counting, every = _blocks_of(undisturbed(own)), _blocks_of(own)
    so = f"nothing is {of}: every {_unit(plan)} was disturbed"
    if counting:
        so = (
            f"too little is {of}: {counting} of {every} blocks"
            f" {'counts' if counting == 1 else 'count'}, of which a canary needs"
            f" {LEAST_BLOCKS}; the others were disturbed"
        )
    return RunReason(Outcome.INCONCLUSIVE, f"{so} ({worst(spoiled)})", remarks=(_REMEDY,))


def _blocks_of(measurements: Sequence[Measurement]) -> int:
    return len({m.block for m in measurements})


def again_remark(plan: Plan, failures: Sequence[CaseFailure]) -> str:
    """``the disk failed in 1 repetition, of which only the errors count``, of a run; empty where
    it did not. In a comparison it says how many of which arm: a fault need not hit both."""
    broken = [f for f in failures if f.again]
    if not broken:
        return ""
    n, rule = len(broken), plan.comparison
    arms = ""
    if rule:
        of_base = sum(rule.place_of(f.repetition).is_base for f in broken)
        arms = f" ({of_base} of {rule.base.name}, {n - of_base} of {rule.candidate.name})"
    what = "repetition" if n == 1 else "repetitions"
    return f"the disk failed in {n} {what}{arms}, of which only the errors count"


def too_few_reason(
    plan: Plan, case: Case, threshold: Threshold, measured: Sequence[Measurement]
) -> Reason:
    """Why a limit of a case is not judged: too little of it was left undisturbed. ``measured``
    is all of it. In a comparison, the arm that is left of a block was not disturbed itself."""
    reason = Reason(subject_of(case, threshold), "not judged")
    spoiled = [m for m in measured if m.disturbed]
    if plan.comparison:
        every, hit = _blocks_of(measured), _blocks_of(spoiled)
        why = f"{hit} {'was' if hit == 1 else 'were'} disturbed ({worst(spoiled)})"
        failed = f"of {'the other' if hit else 'each'} an arm failed" if hit < every else ""
        why = ", and ".join(filter(None, (why if hit else "", failed)))
        of = "the only block does not count" if every == 1 else f"none of {every} blocks counts"
        return replace(reason, why=f"{of}: {why}").and_remark(_REMEDY if hit else "")
    why = (
        f"{len(spoiled)} of {len(measured)} repetitions were disturbed ({worst(spoiled)}), and"
        f" {case.repetitions.min} that were not are needed"
    )
    return replace(reason, why=why).and_remark(_REMEDY)


def with_spoiled_blocks(
    standing: Standing, verdict: ThresholdVerdict, measurements: Sequence[Measurement]
) -> ThresholdVerdict:
    """A verdict on blocks; one that is undecided says how many were disturbed."""
    spoiled = [m for m in measurements if m.case_id in standing.pairs.case_ids and m.disturbed]
    if verdict.outcome is not Outcome.INCONCLUSIVE or not spoiled or not verdict.reason_parts:
        return verdict
    n = len({m.block for m in spoiled})
    blocks = "1 block was" if n == 1 else f"{n} blocks were"
    remark = f"{blocks} disturbed ({worst(spoiled)}): {_REMEDY}"
    return verdict.because(verdict.reason_parts.and_remark(remark))


def worst(measurements: Sequence[Measurement]) -> str:
    """What disturbed most of them, in the words of the one that was disturbed most."""
    counting = [
        disturbance for m in measurements for disturbance in m.disturbances if disturbance.counts
    ]
    if not counting:
        return "the other arm of the block was, or failed"
    ((kind, _),) = Counter(disturbance.kind for disturbance in counting).most_common(1)
    return max(
        (disturbance for disturbance in counting if disturbance.kind == kind),
        key=lambda disturbance: disturbance.value,
    ).text
