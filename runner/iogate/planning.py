"""What a number of blocks can see on this host, and how long they take. Pure: the noise comes
from runs that the history keeps."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from iogate import estimate
from iogate.metrics import metric
from iogate.model.measurement import Measurement
from iogate.model.plan import Case, Plan
from iogate.model.run import Run
from iogate.model.spec import Level, Threshold
from iogate.spec.arms import canary_id
from iogate.stats.boundary import Boundary, Rules, boundary_for

_LEAST_RUNS = 4


@dataclass(frozen=True, slots=True)
class Noise:
    """The standard deviation of a run's log value, and where it comes from."""

    sd: float
    runs: int
    source: str


@dataclass(frozen=True, slots=True)
class Prospect:
    """One threshold: the smallest change that each number of blocks sees in four of five
    runs, and the blocks that would see one as large as the limit (None: more than 999)."""

    case: Case
    threshold: Threshold
    noise: Noise | None
    visible: tuple[float | None, ...]
    blocks_for_limit: int | None


def prospects(
    plan: Plan, runs: Sequence[Run], blocks: Sequence[int], *, most_blocks: int
) -> list[Prospect]:
    """Every relative threshold of the plan. ``runs`` are canaries and earlier runs."""
    gated = [t for case in plan.cases for t in case.thresholds if t.limit.relative]
    family = sum(threshold.level is Level.FAIL for threshold in gated) or len(gated)
    boundary = boundary_for(max(family, 1), Rules(most_blocks=most_blocks))
    return [
        _prospect(plan, case, threshold, runs, blocks, boundary)
        for case in plan.cases
        for threshold in case.thresholds
        if threshold.limit.relative
    ]


def block_seconds(plan: Plan, runs: Sequence[Run]) -> float | None:
    """How long one block of all cases takes: as measured, else as the spec says."""
    total = 0.0
    for case in plan.cases:
        kept = [m.duration_ns for run in runs for m in _measurements(run, case)]
        each = sum(kept) / len(kept) / 1e9 if kept else estimate.seconds(case)
        if each is None:
            return None
        total += 2 * each
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
    if noise is None:
        return Prospect(case, threshold, None, tuple(None for _ in blocks), None)
    sd = noise.sd * math.sqrt(2)
    visible = tuple(
        _as_change(threshold, boundary.visible_after(n, sd)) if n >= boundary.first_fail else None
        for n in blocks
    )
    return Prospect(case, threshold, noise, visible, _blocks_for(threshold, sd, boundary))


def find_noise(plan: Plan, case: Case, threshold: Threshold, runs: Sequence[Run]) -> Noise | None:
    """From the newest run with enough repetitions of the case, canaries first."""
    judged = metric(threshold.metric, plan.metrics)
    ordered = sorted(runs, key=lambda run: (run.plan.comparison is None, -run.started_ns))
    for run in ordered:
        values = [judged.extract(m) for m in _measurements(run, case)]
        logs = [math.log(v) for v in values if v is not None and 0 < v < math.inf]
        if len(logs) >= _LEAST_RUNS:
            mean = math.fsum(logs) / len(logs)
            sd = math.sqrt(math.fsum((x - mean) ** 2 for x in logs) / (len(logs) - 1))
            canary = run.plan.comparison is not None and run.plan.comparison.canary
            return Noise(sd, len(logs), "canary" if canary else "history")
    return None


def _measurements(run: Run, case: Case) -> Iterator[Measurement]:
    ids = {case.id, canary_id(case), *case.aka}
    return (m for m in run.measurements if m.case_id in ids)


def _as_change(threshold: Threshold, log: float) -> float:
    sign = 1.0 if threshold.limit.comparison.wants_low else -1.0
    return math.expm1(min(sign * log, 50.0))


def _blocks_for(threshold: Threshold, sd: float, boundary: Boundary) -> int | None:
    """The least number of blocks, at this boundary's last demand beyond its end."""
    change = threshold.limit.value
    if change <= -1 or change == 0:
        return None
    limit = abs(math.log1p(change))
    most = boundary.rules.most_blocks
    for n in range(boundary.first_fail, most + 1):
        if boundary.visible_after(n, sd) <= limit:
            return n
    n = math.ceil(min((boundary.constant + 0.84) * sd / limit, 100.0) ** 2)
    return max(n, most + 1) if n <= 999 else None
