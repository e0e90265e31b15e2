"""A run against its history, thousands at a time, through the functions that judge real ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from verdict.noise import Source, independent

from iogate.gate.history import FAMILY_LEVEL, RUNS_NEEDED, Asked, judge_history
from iogate.metrics import metric
from iogate.model.plan import Case
from iogate.model.spec import Comparison, JobSpec, Limit, Repetitions, Target, TargetKind, Threshold
from iogate.model.verdict import Outcome, ThresholdVerdict
from iogate.stats.distributions import t_quantile

Floats = NDArray[np.float64]
LIMIT = 0.02
FLIPS = 1000
YOUNG_ROUNDS = 50
_METRIC = "write.clat.mean"
_CASE = Case(
    "0" * 16, "case", "case", Target("t", TargetKind.DIRECTORY), (JobSpec("j", {}),), {},
    Repetitions(), (),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Cell:
    """What is simulated: ``runs`` before the one that is judged, each of so many repetitions,
    which differ by ``sd``; whole runs differ by ``between`` in addition, normally or as
    ``levels`` do. ``shift`` moves the first threshold of the judged run."""

    source: Source
    thresholds: int
    runs: int = 20
    repetitions: int = 5
    shift: float = 0.0
    sd: float = 0.03
    between: float = 0.0
    rounds: int = 2000
    levels: Source = independent


@dataclass(frozen=True, slots=True)
class Rates:
    """Shares of the judged runs: any threshold failed, the first did, the first passed."""

    failed: float
    found: float
    passed: float


def simulate(cell: Cell, seed: int) -> Rates:
    """Every round of a cell."""
    rng = np.random.default_rng(seed)
    outcomes = [_judged(cell, rng) for _ in range(cell.rounds)]
    return Rates(
        failed=float(np.mean([Outcome.FAIL in run_outcomes for run_outcomes in outcomes])),
        found=float(np.mean([run_outcomes[0] is Outcome.FAIL for run_outcomes in outcomes])),
        passed=float(np.mean([run_outcomes[0] is Outcome.PASS for run_outcomes in outcomes])),
    )


def failed(cell: Cell, seed: int) -> int:
    """In how many rounds any threshold failed. A round in which no run is worse than Student's
    prediction for a single threshold cannot fail, and is not judged; nor are more than a few with
    a young baseline, of which none can."""
    rng = np.random.default_rng(seed)
    if cell.runs < RUNS_NEEDED:
        few = (Outcome.FAIL in _judged(cell, rng) for _ in range(min(cell.rounds, YOUNG_ROUNDS)))
        return sum(few)
    drawn = (_logs(cell, rng) for _ in range(cell.rounds))
    return sum(Outcome.FAIL in _outcomes(logs) for logs in drawn if _may_fail(logs))


def _may_fail(logs: Floats) -> bool:
    medians = np.median(logs, axis=2)
    before = medians[:, :-1]
    runs = before.shape[1]
    error = before.std(axis=1, ddof=1) * np.sqrt(1 + 1 / runs)
    far = (medians[:, -1] - before.mean(axis=1)) / np.maximum(error, 1e-9)
    return bool((far >= 0.999 * t_quantile(FAMILY_LEVEL, runs - 1)).any())


def _judged(cell: Cell, rng: np.random.Generator) -> list[Outcome]:
    return _outcomes(_logs(cell, rng))


def _outcomes(logs: Floats) -> list[Outcome]:
    return outcomes(np.exp(logs))


def outcomes(values: Floats, metrics: Sequence[str] = (_METRIC,)) -> list[Outcome]:
    """Of each threshold, which have these metrics in turns."""
    asked = [
        Asked(
            _CASE,
            _draft(tuple(runs[-1]), metrics[row % len(metrics)]),
            tuple((f"run-{n}", tuple(run)) for n, run in enumerate(runs[:-1])),
        )
        for row, runs in enumerate(values.tolist())
    ]
    return [verdict.outcome for verdict in judge_history(asked, min_samples=5, seed=0, flips=FLIPS)]


def _logs(cell: Cell, rng: np.random.Generator) -> Floats:
    """(thresholds, runs, repetitions) in time order; the last run is the one that is judged."""
    shape = cell.thresholds, cell.runs + 1, cell.repetitions
    noise = cell.source(rng, cell.thresholds, shape[1] * shape[2], cell.sd).reshape(shape)
    noise += cell.levels(rng, *shape[:2], cell.between)[:, :, None]
    noise[0, -1] += np.log1p(cell.shift)
    return noise


def _draft(samples: tuple[float, ...], name: str = _METRIC) -> ThresholdVerdict:
    judged = metric(name)
    limit = Limit(Comparison.LESS, LIMIT, relative=True, text=f"vs baseline < {LIMIT:+.0%}")
    return ThresholdVerdict(
        case_id=_CASE.id,
        threshold=Threshold(name, limit),
        outcome=Outcome.INCONCLUSIVE,
        reason="",
        unit=judged.unit,
        better=judged.better,
        value=float(np.median(samples)),
        samples=samples,
    )
