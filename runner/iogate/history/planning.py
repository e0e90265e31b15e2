"""What a number of blocks can see on this host, and how long they take. Pure: the noise comes
from runs that the history keeps."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from iogate.jobs import estimate
from iogate.metrics import metric
from iogate.metrics.thin_quantiles import too_thin, typical_ios
from iogate.model.comparison import ARMS
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.run import Run
from iogate.model.spec import Level, Threshold
from iogate.model.verdict import HostNoise, NoiseSource, Visible
from iogate.spec.arms import canary_ids
from iogate.stats.boundary import Boundary, Rules, boundary_for, rules_of

BLOCKS = (6, 10, 20, 28)
_LEAST_RUNS = 4
LEAST_FREE = 3  # degrees of freedom: four repetitions of one run, or two of each of three
_ENOUGH_FREE = 10


@dataclass(frozen=True, slots=True)
class Prospect:
    """One relative threshold and what is known of its noise (None: nothing). ``thin``: the
    ``ios`` of a run tell the quantile only to this relative standard error, too few."""

    case: Case
    threshold: Threshold
    noise: HostNoise | None
    thin: float | None = None
    ios: int = 0


def host_noise(plan: Plan, runs: Sequence[Run]) -> tuple[HostNoise, ...]:
    """What is known of the noise of every case and metric with a relative limit."""
    rules = rules_of(plan.comparison) if plan.comparison else Rules(most_blocks=max(BLOCKS))
    blocks = [n for n in sorted({*BLOCKS, rules.most_blocks}) if n <= rules.most_blocks]
    expected = prospects(plan, runs, blocks, rules)
    known = {(p.case.id, p.threshold.metric): p.noise for p in expected if p.noise}
    return tuple(known.values())


def prospects(
    plan: Plan, runs: Sequence[Run], blocks: Sequence[int], rules: Rules
) -> list[Prospect]:
    """Every relative threshold of the plan: the smallest change that each number of blocks
    sees. ``runs`` are canaries and earlier runs."""
    gated = [t for case in plan.cases for t in case.thresholds if t.limit.vs_baseline]
    family = sum(threshold.level is Level.FAIL for threshold in gated) or len(gated)
    boundary = boundary_for(max(family, 1), rules)
    return [
        _prospect(plan, case, threshold, of_case, blocks, boundary)
        for case in plan.cases
        for of_case in [[_only(run, case) for run in runs]]  # once, and not for each limit
        for threshold in case.thresholds
        if threshold.limit.vs_baseline
    ]


def block_seconds(plan: Plan, runs: Sequence[Run], *, per_boot: int = 1) -> float | None:
    """How long one block of all cases takes, each ``per_boot`` times in either arm: as measured,
    else as the spec says. Boots are not in it."""
    total = 0.0
    for case in plan.cases:
        kept = [m.duration_ns for run in runs for m in _measurements(run, case)]
        each = sum(kept) / len(kept) / 1e9 if kept else estimate.seconds(case)
        if each is None:
            return None
        total += ARMS * per_boot * each
    return total


def _prospect(  # noqa: PLR0917
    plan: Plan,
    case: Case,
    threshold: Threshold,
    runs: Sequence[Run],
    blocks: Sequence[int],
    boundary: Boundary,
) -> Prospect:
    noise = find_noise(plan, case, threshold, runs)
    measured = _typical_runs(case, runs, noise)
    thin = too_thin(threshold.metric, measured, threshold.limit, plan.metrics)
    ios = typical_ios(threshold.metric, measured, plan.metrics)
    if noise is None:
        return Prospect(case, threshold, None, thin, ios)
    sd = noise.sd * math.sqrt(2)
    limit = _log_limit(threshold)
    visible = tuple(
        Visible(
            n,
            _as_change(threshold, boundary.visible_after(n, sd, limit))
            if n >= boundary.first_fail
            else None,
        )
        for n in blocks
    )
    noise = replace(noise, visible=visible, blocks_for_limit=_blocks_for(threshold, sd, boundary))
    return Prospect(case, threshold, noise, thin, ios)


def _typical_runs(case: Case, runs: Sequence[Run], noise: HostNoise | None) -> list[Measurement]:
    """What the run of the noise measured, or the newest one that measured the case."""
    by_run = [(run, list(_measurements(run, case))) for run in runs]
    kept = [(run, own) for run, own in by_run if own and (noise is None or run.id == noise.run)]
    return max(kept, key=lambda each: each[0].started_ns, default=(None, []))[1]


def find_noise(
    plan: Plan, case: Case, threshold: Threshold, runs: Sequence[Run]
) -> HostNoise | None:
    """From the newest run with enough repetitions of the case, canaries first; where none has
    enough, from those of the newest runs together. A comparison of two arms that differ says
    nothing of noise."""
    sampled = _samples(plan, case, threshold, runs)
    for run, logs in sampled:
        if len(logs) >= _LEAST_RUNS:
            source = NoiseSource.CANARY if is_canary(run) else NoiseSource.HISTORY
            sd = statistics.stdev(logs)
            return HostNoise(
                case.id, threshold.metric, sd, len(logs), source, run.id, run.started_ns
            )
    repeated = [(run, logs) for run, logs in sampled if len(logs) > 1 and not is_canary(run)]
    return _pooled(case, threshold, repeated)


def free(plan: Plan, case: Case, threshold: Threshold, runs: Sequence[Run]) -> int:
    """How many repetitions there are beyond the first of each run: LEAST_FREE say something of
    the noise."""
    return sum(max(len(logs) - 1, 0) for _, logs in _samples(plan, case, threshold, runs))


def _samples(
    plan: Plan, case: Case, threshold: Threshold, runs: Sequence[Run]
) -> list[tuple[Run, list[float]]]:
    """The logs of what each run's repetitions measured: canaries first, then the newest."""
    judged = metric(threshold.metric, plan.metrics)
    sampled = []
    for run in sorted(runs, key=lambda run: (not is_canary(run), -run.started_ns)):
        if run.plan.comparison is None or is_canary(run):
            values = [judged.extract(m) for m in _measurements(run, case)]
            sampled.append(
                (run, [math.log(v) for v in values if v is not None and 0 < v < math.inf])
            )
    return sampled


def _pooled(
    case: Case, threshold: Threshold, sampled: Sequence[tuple[Run, list[float]]]
) -> HostNoise | None:
    """What repetitions differ by within each run: a change from one run to the next, which may
    be one of the revision, is no noise."""
    squares, degrees, values = 0.0, 0, 0
    for _, logs in sampled:
        squares += statistics.variance(logs) * (len(logs) - 1)
        degrees += len(logs) - 1
        values += len(logs)
        if degrees >= _ENOUGH_FREE:
            break
    if degrees < LEAST_FREE:
        return None
    newest, sd = sampled[0][0], math.sqrt(squares / degrees)
    history = NoiseSource.HISTORY
    return HostNoise(case.id, threshold.metric, sd, values, history, newest.id, newest.started_ns)


def is_canary(run: Run) -> bool:
    """Whether a run compared its spec with itself."""
    return run.plan.comparison is not None and run.plan.comparison.canary


def _only(run: Run, case: Case) -> Run:
    return replace(run, measurements=tuple(_measurements(run, case)))


def _measurements(run: Run, case: Case) -> Iterator[Measurement]:
    ids = ids_in(run, case)
    return iter(undisturbed(m for m in run.measurements if m.case_id in ids))


def ids_in(run: Run, case: Case) -> set[str]:
    """The ids that a case, or one of a comparison, may have in a run. A comparison's own ids are
    of both its arms; the canary of its spec as written has cases of the same name."""
    ids = {*run.ids_of(case), *canary_ids(case)}
    if is_canary(run):
        ids |= {other.id for other in run.plan.cases if other.name == case.name}
    return ids


def _as_change(threshold: Threshold, log: float) -> float:
    return math.expm1(min(threshold.limit.worse * log, 50.0))


def _log_limit(threshold: Threshold) -> float:
    """How much worse is allowed, in log units; a fall by all of it counts as none."""
    change = threshold.limit.value
    return abs(math.log1p(change)) if change > -1 else 0.0


def _blocks_for(threshold: Threshold, sd: float, boundary: Boundary) -> int | None:
    """The least number of blocks that see as many times the limit as a pass has to, at this
    boundary's last demand beyond its end."""
    limit = _log_limit(threshold)
    if not limit:
        return None
    rules = boundary.rules
    for n in range(boundary.first_fail, rules.most_blocks + 1):
        if boundary.visible_after(n, sd, limit) <= rules.sees * limit:
            return n
    n = boundary.blocks_to_fail(rules.sees * limit, sd, limit)
    return max(n, rules.most_blocks + 1) if n <= 999 else None
