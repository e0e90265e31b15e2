"""The blocks of a comparison as differences: for each limit the logs of its metric in both arms."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from iogate.gate.arm_runs import mean_of, several, values_of
from iogate.metrics import metric
from iogate.metrics.base import Metric
from iogate.metrics.thin_quantiles import too_thin
from iogate.model.comparison import ARMS, Comparison
from iogate.model.measurement import Measurement, arm_runs, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.pool import FEWEST_MEMBERS, Pool
from iogate.model.spec import Threshold
from iogate.stats.confidence import limit_confidence

_LEAST_LEFT = 1e-9
UNUSABLE_BLOCKS = 2
"""More than one in which there is nothing to compare, and a limit is given up."""

Blocks = Sequence[tuple[int, Sequence[Measurement], Sequence[Measurement]]]
"""The number of each, and what was measured in the base's arm and in the candidate's: a repetition,
or those of a boot."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """The blocks of one threshold. Logs are signed so that positive is worse. ``place`` is
    that of the threshold in its case, or of a pool among those of the plan. A pool has ``members``
    and those ``left_out``, with why; its base is 1 in every block. ``thin`` is what too few I/Os of
    all blocks tell, ``thin_after`` those up to a block; None where they are enough. Where a value
    is the mean of a boot, ``repetitions`` are what it is made of, of the base and the candidate."""

    case: Case | Pool
    threshold: Threshold
    metric: Metric
    base: tuple[float, ...]
    candidate: tuple[float, ...]
    blocks: tuple[int, ...]
    differences: tuple[float, ...]
    sums: tuple[float, ...]
    unusable: tuple[int, ...]
    thin: float | None = None
    place: int = 0
    members: tuple[Pairs, ...] = ()
    left_out: tuple[tuple[Pairs, str], ...] = ()
    thin_after: Callable[[int], float | None] | None = None
    repetitions: tuple[tuple[tuple[float, ...], ...], ...] = ((), ())

    @property
    def pool(self) -> Pool | None:
        return self.case if isinstance(self.case, Pool) else None

    @property
    def case_ids(self) -> frozenset[str]:
        """The cases whose blocks these are."""
        return frozenset(each.case.id for each in self.members) or frozenset({self.case.id})

    @property
    def never(self) -> bool:
        """Whether no number of blocks would decide it."""
        return self.is_small or self.thin is not None

    @property
    def is_small(self) -> bool:
        """Whether it is a pool of too few members."""
        return self.pool is not None and len(self.members) < FEWEST_MEMBERS

    @property
    def lost_at(self) -> int:
        """The number of the block in which a pool lost a member for want of a ratio, the last
        one; 0 where it lost none."""
        lost = (each.unusable for each, _ in self.left_out)
        nth = UNUSABLE_BLOCKS - 1
        return max((each[nth] for each in lost if len(each) > nth), default=0)

    def was_thin(self, block: int) -> bool:
        """Whether the I/Os of the blocks up to this one told too little."""
        return self.thin_after is not None and self.thin_after(block) is not None

    @property
    def worse(self) -> float:
        """The sign of a change for the worse."""
        return self.threshold.limit.worse

    @property
    def confidence(self) -> float:
        """What is asked of the interval of the change, at all looks of the first stage together."""
        return self.threshold.confidence or limit_confidence(self.threshold.limit.value)

    @property
    def limit(self) -> float:
        """The limit in log units, positive: how much worse is still allowed."""
        return max(_signed_log(self.worse, self.threshold.limit.value), 0.0)


def pairs_of(plan: Plan, by_case: Mapping[str, Blocks]) -> Iterator[Pairs]:
    """Of every relative limit of the plan's cases, in their order."""
    for case in plan.cases:
        for place, threshold in enumerate(case.thresholds):
            if threshold.limit.vs_baseline:
                yield replace(pairs(case, threshold, by_case[case.id], plan), place=place)


def blocks_of(
    plan: Plan, measurements: Sequence[Measurement], comparison: Comparison
) -> dict[str, Blocks]:
    """The whole, undisturbed blocks of each case of the plan, by its id."""
    kept = undisturbed(measurements)
    by_case: dict[str, Blocks] = {}
    for case in plan.cases:
        arms = {
            arm: _by_block(m for m in kept if m.case_id == case.id and m.arm == arm)
            for arm in (comparison.base.name, comparison.candidate.name)
        }
        base, candidate = arms[comparison.base.name], arms[comparison.candidate.name]
        both = sorted(base.keys() & candidate.keys())
        by_case[case.id] = [(n, base[n], candidate[n]) for n in both]
    return by_case


def _by_block(measurements: Iterable[Measurement]) -> dict[int, Sequence[Measurement]]:
    return {run[0].block: run for run in arm_runs(measurements)}


def pairs(case: Case, threshold: Threshold, blocks: Blocks, plan: Plan) -> Pairs:
    """The blocks of a case as a limit sees them."""
    judged = metric(threshold.metric, plan.metrics)
    numbers, base, candidate, differences, sums, unusable = [], [], [], [], [], []
    for number, *runs in blocks:
        values = [values_of(run, judged) for run in runs]
        logs = _logs(*map(mean_of, values)) if all(values) else None
        if logs is None:
            unusable.append(number)
            continue
        numbers.append(number)
        base.append(values[0])
        candidate.append(values[1])
        differences.append(threshold.limit.worse * (logs[1] - logs[0]))
        sums.append(logs[1] + logs[0])

    def thin_after(last: int) -> float | None:
        return thin_of(threshold, [each for each in blocks if each[0] <= last], plan)

    return Pairs(
        case, threshold, judged, tuple(map(mean_of, base)), tuple(map(mean_of, candidate)),
        tuple(numbers), tuple(differences), tuple(sums), tuple(unusable),
        thin_of(threshold, blocks, plan), thin_after=thin_after,
        repetitions=(several(base), several(candidate)),
    )  # fmt: skip


def thin_of(threshold: Threshold, blocks: Blocks, plan: Plan) -> float | None:
    """As ``too_thin``, of the arm whose I/Os tell less."""
    arms = ([one for _, *runs in blocks for one in runs[arm]] for arm in range(ARMS))
    path, limit = threshold.metric, threshold.limit
    errors = (too_thin(path, runs, limit, plan.metrics) for runs in arms)
    return max((error for error in errors if error is not None), default=None)


def _logs(base: float, candidate: float) -> tuple[float, float] | None:
    """None where there is no ratio. Zero to zero is no change."""
    if base == candidate == 0:
        return 0.0, 0.0
    return (math.log(base), math.log(candidate)) if base > 0 and candidate > 0 else None


def _signed_log(sign: float, change: float) -> float:
    """Nothing falls by 100 % or more: such a limit is as good as the last before it."""
    return sign * math.log1p(max(change, -1 + _LEAST_LEFT))
