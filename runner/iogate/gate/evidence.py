"""What is known about a case when it is judged: the repetitions that count, those of the
baseline, and those that were disturbed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from iogate.gate.arm_runs import mean_of, values_of
from iogate.gate.faults import Faults
from iogate.metrics import Metric
from iogate.model.comparison import LEAST_BLOCKS
from iogate.model.measurement import Measurement, arm_runs, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run
from iogate.model.spec import Repetitions


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is known about one case: its repetitions that count, those that were ``disturbed``,
    the baseline's, by the id of their run, and what went wrong in any repetition, also in one
    that was disturbed, or failed."""

    case: Case
    measurements: tuple[Measurement, ...]
    baseline_runs: tuple[tuple[str, tuple[Measurement, ...]], ...]
    faults: Faults
    disturbed: tuple[Measurement, ...] = ()

    @property
    def runs(self) -> int:
        """How many values of a metric it has, if each repetition has one: as many as repetitions,
        and where boots have several, as many as boots."""
        return len(arm_runs(self.measurements))

    @property
    def has_too_few(self) -> bool:
        """Whether what was disturbed leaves fewer repetitions than the spec asks for."""
        return bool(self.disturbed) and self.runs < self.case.repetitions.min

    @property
    def is_unknown(self) -> bool:
        """Whether what was disturbed leaves nothing, or too few blocks of a canary, and no limit
        says so."""
        rule = self.faults.plan.comparison
        least = LEAST_BLOCKS if rule and rule.canary else 1
        is_short = self.runs < least
        return bool(self.disturbed) and is_short and not self.case.thresholds


def evidence_of(
    case: Case,
    plan: Plan,
    measurements: Sequence[Measurement],
    failures: Sequence[CaseFailure],
    baseline: Sequence[Run],
) -> Evidence:
    """What a run (its measurements and failures) and those of the baseline say of a case. In a
    comparison the base's arm is the baseline."""
    everything = tuple(m for m in measurements if m.case_id == case.id)
    own = undisturbed(everything)
    spoiled = tuple(m for m in everything if m not in own)
    faults = Faults(plan, everything, tuple(f for f in failures if f.case_id == case.id))
    if plan.comparison is not None:
        base = tuple(m for m in own if m.arm == plan.comparison.base.name)
        case = replace(case, repetitions=Repetitions())  # how many blocks there are, others decide
        spoiled = tuple(m for m in spoiled if m.arm != plan.comparison.base.name or m.disturbed)
        arm = tuple(m for m in own if m not in base)
        return Evidence(case, arm, (("", base),), faults, spoiled)
    engines = {m.engine.name for m in own}
    groups = (
        (
            run.id,
            undisturbed(
                m for m in run.measurements if m.case_id in ids and m.engine.name in engines
            ),
        )
        for run in baseline
        for ids in [run.ids_of(case)]
    )
    held = tuple((run, group) for run, group in groups if group)
    return Evidence(case, own, held, faults, spoiled)


def samples_of(measurements: Iterable[Measurement], judged: Metric) -> tuple[float, ...]:
    """The finite values: what is missing, NaN or infinite was not measured. Of the repetitions of
    a boot there is one, their mean."""
    return tuple(map(mean_of, samples_in_full(measurements, judged)))


def samples_in_full(
    measurements: Iterable[Measurement], judged: Metric
) -> tuple[tuple[float, ...], ...]:
    """What each of these values is made of."""
    values = (values_of(run, judged) for run in arm_runs(measurements))
    return tuple(each for each in values if each)


def each_of(measurements: Iterable[Measurement], judged: Metric) -> tuple[float, ...]:
    """The finite value of every repetition, whatever boot it was in."""
    return tuple(value for each in measurements for value in values_of([each], judged))
