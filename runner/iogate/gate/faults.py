"""Limits on counts of faults. The median of these would be the wrong number: one repetition of
five with an error is no noise, and one that gave no result has not done without errors."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

from iogate.gate.sentences import fault_reason
from iogate.metrics import KERNEL_ERRORS, failed_value, metric
from iogate.model.measurement import KernelTrouble, Measurement, Whose
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure
from iogate.model.spec import Comparison, Limit, Threshold
from iogate.model.verdict import Outcome, ThresholdVerdict

OWN_LIMIT = Threshold(
    KERNEL_ERRORS, Limit(Comparison.LESS, 1.0, relative=False, text="< 1 (iogate's own)")
)


@dataclass(frozen=True, slots=True)
class Faults:
    """The repetitions of a case that gave numbers, in a comparison of both arms, and those that
    failed. There, the candidate alone is held to its errors, and both arms to those of the disk
    that they share."""

    plan: Plan
    measured: tuple[Measurement, ...]
    failed: tuple[CaseFailure, ...]

    def values(self, path: str) -> Iterator[tuple[int, float | None]]:
        """Every value of a metric of faults, with its repetition: None where one that was
        measured has none."""
        judged = metric(path, self.plan.metrics)
        for measurement in self.measured:
            if self._is_held(measurement.repetition, path):
                value = judged.extract(measurement)
                yield measurement.repetition, value if math.isfinite(value or 0.0) else None
        for failure in self.failed:
            value = failed_value(path, failure, self.plan.metrics)
            if self._is_held(failure.repetition, path) and value is not None:
                yield failure.repetition, value

    def _is_held(self, repetition: int, path: str) -> bool:
        rule = self.plan.comparison
        return rule is None or path == KERNEL_ERRORS or not rule.place_of(repetition).is_base

    def told(self, path: str, repetition: int) -> str:
        """What there is to say of a repetition: that it failed, or what the kernel told."""
        if path != KERNEL_ERRORS:
            return "it failed" if any(f.repetition == repetition for f in self.failed) else ""
        logs = [m.kernel_log for m in self.measured if m.repetition == repetition]
        logs += [f.kernel_log for f in self.failed if f.repetition == repetition]
        return next((line for log in logs for line in _own_lines(log or ())), "")


def judge_faults(verdict: ThresholdVerdict, case: Case, faults: Faults) -> ThresholdVerdict:
    """Fail when any repetition breaks the limit, pass when all that were measured keep it."""
    threshold = verdict.threshold
    values = sorted(faults.values(threshold.metric), key=lambda pair: pair[0])
    known = [(repetition, value) for repetition, value in values if value is not None]
    if not known:
        return verdict
    limit = threshold.limit
    repetition, value = max(known, key=lambda pair: limit.worse * pair[1])
    holds = limit.holds(value)
    verdict = replace(
        verdict,
        samples=tuple(each for _, each in known),
        repetitions=(),
        value=value,
        outcome=Outcome.PASS if holds else Outcome.FAIL,
    )
    told = "" if holds else faults.told(threshold.metric, repetition)
    reason = fault_reason(case, verdict, _name(faults.plan, repetition), told)
    missing = len(values) - len(known)
    if holds and missing:
        reason = reason.and_remark(f"but of {missing} of {len(values)} repetitions it is not known")
        return verdict.because(reason, outcome=Outcome.INCONCLUSIVE)
    return verdict.because(reason)


def _name(plan: Plan, repetition: int) -> str:
    """What a repetition is called: in a comparison, the block and the arm."""
    if plan.comparison is None:
        return f"repetition {repetition}"
    return str(plan.comparison.place_of(repetition))


def _own_lines(log: tuple[KernelTrouble, ...]) -> Iterator[str]:
    for trouble in log:
        if trouble.whose is Whose.TARGET:
            yield from trouble.lines or (trouble.kind,)
