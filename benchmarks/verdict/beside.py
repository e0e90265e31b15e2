"""Cases held against a case of their own run, by the gate itself: how often clean runs fail, and
how often a change is found.

All limits of a run name one case, so that its chance deviations are in each of them. The
repetitions of each case have noise of their own; what drifts, drifts in all of them.

usage: PYTHONPATH=benchmarks nice python -m verdict.beside
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np
from verdict.clean import upper_end
from verdict.noise import MODELS, Source, independent, two_states
from verdict.promises import Promises

from iogate.gate.beside import Beside, judge_beside
from iogate.gate.evidence import Evidence
from iogate.gate.faults import Faults
from iogate.model.measurement import Direction, EngineFacts, JobMeasurement, Measurement
from iogate.model.plan import Case, Plan
from iogate.model.spec import Comparison, Limit, Repetitions, Target, TargetKind, Threshold
from iogate.model.units import Better, Unit
from iogate.model.verdict import Outcome, ThresholdVerdict

_SECOND = 1_000_000_000
_MOST = 0.01
_PLAN = Plan("demo", "demo.yaml", "", "", ())
_AUTOCORRELATED = "AR(1) 0.7"
_KEPT_APART = {f"two states, stays of {stay} repetitions": two_states(stay) for stay in (1, 20)}


@dataclass(frozen=True, slots=True)
class Cell:
    """``limits`` cases of ``repetitions`` each, of which one does ``shift`` fewer I/Os, and
    the case that they are held against."""

    source: Source
    limits: int
    repetitions: int = 5
    shift: float = 0.0
    limit: float = 0.05
    runs: int = 2000


def simulate(cell: Cell, seed: int) -> tuple[float, float]:
    """The shares of runs in which a limit fails, and in which that of the first case does."""
    rng = np.random.default_rng(seed)
    failed = first = 0
    for _ in range(cell.runs):
        logs = cell.source(rng, cell.limits + 1, cell.repetitions, 0.03)
        logs[1] -= np.log1p(-cell.shift)
        outcomes = _judged(1e6 * np.exp(-logs), cell.limit)
        failed += Outcome.FAIL in outcomes
        first += outcomes[0] is Outcome.FAIL
    return failed / cell.runs, first / cell.runs


def _judged(values: np.ndarray, limit: float) -> list[Outcome]:
    text = f"vs case bs=0 > {-limit:+.0%}"
    threshold = Threshold("write.iops", Limit(Comparison.GREATER, -limit, True, text, {"bs": "0"}))
    items = [_evidence(n, own, threshold) for n, own in enumerate(values)]
    asked = [Beside(item, _draft(item, own, threshold), items[0])
             for item, own in zip(items[1:], values[1:], strict=True)]  # fmt: skip
    return [verdict.outcome for verdict in judge_beside(asked, _PLAN)]


def _evidence(number: int, values: np.ndarray, threshold: Threshold) -> Evidence:
    name = str(number)
    case = Case(
        name, f"w/bs={name}", "w", Target("d", TargetKind.DIRECTORY), (), {"bs": name},
        Repetitions(), (threshold,),
    )  # fmt: skip
    measured = tuple(_repetition(name, float(value)) for value in values)
    return Evidence(case, measured, (), Faults(_PLAN, measured, ()))


def _repetition(case_id: str, value: float) -> Measurement:
    write = Direction(1000, 4096, _SECOND, value, value)
    job = JobMeasurement("job", 1, {"write": write}, 1.0, 1.0, 1, 0, 0, _SECOND, 0, {})
    return Measurement(case_id, 1, 0, _SECOND, EngineFacts("native", "0"), (job,))


def _draft(item: Evidence, values: np.ndarray, threshold: Threshold) -> ThresholdVerdict:
    return ThresholdVerdict(
        item.case.id, threshold, Outcome.INCONCLUSIVE, "", Unit.PER_SECOND, Better.HIGH,
        samples=tuple(map(float, values)),
    )  # fmt: skip


def beside_table(seed: int, promises: Promises, runs: int = 2000) -> Iterator[str]:
    """Clean runs of every noise, and runs in which one case is worse."""
    yield "## Cases of one run\n"
    yield (
        f"Limits `vs case … > -5%`, noise of 3 %, {runs:,} runs a cell. Promised: the upper end of"
        " the 95 % interval of\nclean runs that fail is at most 1 %, where no case keeps a state of"
        " its own for the whole run\n(autocorrelation 0.7: it is near 1 %).\n"
    )
    yield "| noise | repetitions | 4 limits | 40 limits |"
    yield "|---|---|---|---|"
    for (name, source), repetitions in product((MODELS | _KEPT_APART).items(), (5, 10)):
        row = f"| {name} | {repetitions} |"
        for limits in (4, 40):
            rate, _ = simulate(Cell(source, limits, repetitions, runs=runs), seed)
            end = upper_end(rate, runs)
            holds = end <= _MOST or name in (_AUTOCORRELATED, *_KEPT_APART)
            told = promises.mark(f"{rate:.2%} (≤ {end:.2%})", holds=holds)
            row += f" {told} |"
        yield row
    yield ""
    yield from _power_table(seed, runs)


def _power_table(seed: int, runs: int) -> Iterator[str]:
    yield "One case is worse: how often its limit fails. At -5 % the true change is at the limit.\n"
    yield "| true change | repetitions | 4 limits | 40 limits |"
    yield "|---|---|---|---|"
    for shift, repetitions in product((0.05, 0.10, 0.15, 0.20), (5, 10)):
        row = f"| {-shift:+.0%} | {repetitions} |"
        for limits in (4, 40):
            _, found = simulate(Cell(independent, limits, repetitions, shift, runs=runs), seed + 1)
            row += f" {found:.2%} |"
        yield row
    yield ""


if __name__ == "__main__":
    for text in beside_table(1, Promises()):
        print(text, flush=True)
