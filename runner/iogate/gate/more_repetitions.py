"""Whether a case is worth one more repetition."""

from __future__ import annotations

from collections.abc import Sequence

from iogate.gate.absolute import may_decide
from iogate.gate.evidence import samples_of
from iogate.metrics import counts_faults, metric
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.spec import Level


def wants_more(case: Case, measurements: Sequence[Measurement], plan: Plan) -> bool:
    """Whether one more repetition of a case may decide a gated absolute limit. What a
    repetition has no value of, more of them do not decide."""
    own = undisturbed(m for m in measurements if m.case_id == case.id)
    for threshold in case.thresholds:
        if threshold.limit.relative or threshold.level is not Level.FAIL:
            continue
        if counts_faults(threshold.metric, plan.metrics):
            continue  # the worst repetition counts: more do not make it better
        samples = samples_of(own, metric(threshold.metric, plan.metrics))
        if len(samples) == len(own) and may_decide(samples, threshold, case.repetitions):
            return True
    return False
