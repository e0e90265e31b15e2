"""Blocks of a comparison: one run of each arm, in pairs of blocks of opposite order,
until every case is decided."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from iogate.errors import RefusedError, RunError
from iogate.gate.anytime import evidence_so_far
from iogate.gate.blocks import Standing, State, open_cases, stand
from iogate.gate.comparison import thin_words
from iogate.jobs.job_file import render
from iogate.model.comparison import ARMS, Arm, Comparison, block_of, repetition_of
from iogate.model.measurement import Measurement, undisturbed
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.run.failures import again_within
from iogate.run.measure import Bench, failed, measure_once, status_of, times_disturbed
from iogate.stats.signtest import LEAST_RUNS

PREPARE_TIMEOUT_S = 600.0


@dataclass(frozen=True, slots=True)
class Side:
    """One arm on its bench, with its cases by id."""

    arm: Arm
    bench: Bench
    cases: Mapping[str, Case]


@dataclass(slots=True)
class Progress:
    """What was measured so far, and the cases that go on. The blocks before ``first`` were
    measured by earlier runs. In each boot a case is measured ``per_boot`` times."""

    measurements: list[Measurement] = field(default_factory=list)
    failures: list[CaseFailure] = field(default_factory=list)
    open: frozenset[str] = frozenset()
    first: int = 1
    per_boot: int = 1

    @property
    def seen(self) -> tuple[Measurement | CaseFailure, ...]:
        """Every repetition so far, whatever became of it."""
        return (*self.measurements, *self.failures)

    @property
    def ended(self) -> frozenset[str]:
        """Cases of which an arm failed for good."""
        return frozenset(failure.case_id for failure in self.failures if not failure.again)

    def spoiled(self, case: Case) -> int:
        """How many blocks of a case do not count, of those that this run measured."""
        own = [m for m in self.measurements if m.block >= self.first]
        failures = [f for f in self.failures if self.block_of(f) >= self.first]
        return times_disturbed(own, case, failures)

    def block_of(self, attempt: Measurement | CaseFailure) -> int:
        """The block that a repetition was measured in, or was to be."""
        return block_of(attempt.repetition, per_boot=self.per_boot)

    def left_out(self, plan: Plan) -> int:
        """How many of the earlier runs' blocks do not count, of the case with most of them that
        goes on."""
        going = [case for case in plan.cases if case.id in self.open]
        done = [counted_blocks(self.measurements, case) for case in going]
        return self.first - 1 - min(done, default=self.first - 1)


def measure_blocks(
    run: Run,
    sides: Sequence[Side],
    *,
    timeout_s: float | None,
    fail_fast: bool,
    announce: Callable[[str], None],
) -> Run:
    """The run with its measurements and failures, both arms on benches that stand all the while:
    within a block, case by case."""
    _write_jobs(run, sides)
    bench = sides[0].bench

    def measure(block: int, cases: Sequence[Case], progress: Progress) -> None:
        for case in cases:
            if not bench.stop.requested and not (progress.ended and fail_fast):
                _measure_block((run, case, block), sides, progress, timeout_s)

    return in_blocks(run, bench, measure, fail_fast=fail_fast, announce=announce)


def in_blocks(
    run: Run,
    bench: Bench,
    measure: Callable[[int, Sequence[Case], Progress], None],
    *,
    fail_fast: bool,
    announce: Callable[[str], None],
) -> Run:
    """The run with what ``measure`` gives for each block and the cases that it is due for. A case
    of which one arm fails ends there, unless its own disk failed: then the block is measured again.
    The others go on; a stop ends it all, keeping what there is. Of what earlier runs of the same
    comparison measured, the run goes on."""
    comparison = run.plan.comparison
    assert comparison is not None
    stop = bench.stop
    kept = bench.kept
    every = frozenset(case.id for case in run.plan.cases)
    progress = Progress(kept.measurements, kept.failures, every, per_boot=comparison.per_boot)
    left_out = _take_over(run.plan, progress)
    all_blocks = comparison.most_blocks + left_out + run.plan.validity.again
    budget_s = math.inf if comparison.budget_s is None else comparison.budget_s
    began = time.monotonic()
    for block in range(progress.first, all_blocks + 1):
        if block > progress.first and time.monotonic() - began >= budget_s:
            announce(
                f"the time budget is used up after block {block - 1}: nothing more is measured"
            )
            break
        measure(block, [case for case in run.plan.cases if case.id in progress.open], progress)
        if stop.requested or (progress.ended and fail_fast):
            break
        standings = stand(run.plan, progress.measurements)
        progress.open = _still_open(run.plan, standings, progress)
        each_s = (time.monotonic() - began) / (block - progress.first + 1)
        if block == progress.first:
            for text in hopeless(standings):
                announce(text)
        spoiled = max(progress.spoiled(case) for case in run.plan.cases)
        again = min(spoiled, run.plan.validity.again)
        which = (left_out + again, spoiled > again)
        still = progress.open
        text = block_text(block, standings, comparison, still, each_s, disturbed=which)
        announce("; ".join(filter(None, (text, evidence_so_far(run.plan, progress.measurements)))))
        if not progress.open:
            break
    return replace(
        run,
        measurements=tuple(progress.measurements),
        failures=tuple(progress.failures),
        status=RunStatus.INTERRUPTED if stop.requested else status_of(progress.failures),
    )


def _take_over(plan: Plan, progress: Progress) -> int:
    """Go on after what earlier runs measured, with the cases that are undecided; how many of
    those blocks do not count."""
    if not progress.seen:
        return 0
    progress.first = 1 + max(map(progress.block_of, progress.seen))
    progress.open = _still_open(plan, stand(plan, progress.measurements), progress)
    return progress.left_out(plan)


def order_in_block(comparison: Comparison, case: Case, place: int) -> tuple[int, int]:
    """Which arm runs first in the block that is the ``place``-th (from 1) of those that count.
    Blocks come in pairs: the seed and the case decide the order of the first, and the second has
    the other one, so that what running second does is the same in both arms."""
    return order_of(comparison, case.id, place)


def order_of(comparison: Comparison, key: str, place: int) -> tuple[int, int]:
    """The same for all that shares a key."""
    pair = (place - 1) // ARMS
    coin = random.Random(f"{comparison.seed}/{key}/{pair}")  # noqa: S311
    base_first = (coin.random() < 0.5) == (place % 2 == 1)
    return (0, 1) if base_first else (1, 0)


def hopeless(standings: Sequence[Standing]) -> list[str]:
    """Why some thresholds cannot be decided by runs such as those so far, whatever their number:
    who hears it after the first block can stop and correct the spec."""
    thinness = [(s.pairs, s.pairs.thin) for s in standings if s.state is not State.FAILED]
    return [thin_words(pairs, thin) for pairs, thin in thinness if thin is not None]


def block_text(
    block: int,
    standings: Sequence[Standing],
    comparison: Comparison,
    still_open: frozenset[str],
    each_s: float,
    *,
    disturbed: tuple[int, bool] = (0, False),
) -> str:
    """``block 6 of at most 28: 3 of 8 limits decided; about 4 more blocks, 5 min``.
    ``disturbed`` is how many are measured again, and whether a case ended as that were too
    many."""
    again, too_many = disturbed
    bound = "at most " if comparison.sequential else ""
    all_blocks = comparison.most_blocks + again
    text = f"block {block} of {bound}{all_blocks}"
    if standings:
        text += f": {_counts(standings)}"
    most = all_blocks - block
    if not still_open or not most:
        if too_many:
            return f"{text}; too many blocks do not count: nothing more is measured"
        given_up = any(standing.state is State.OPEN for standing in standings)
        return f"{text}; {'nothing more can be measured' if given_up else 'done'}"
    if not comparison.sequential:
        return f"{text}; {_blocks(most)}, {_minutes(most * each_s)}"
    undecided = [standing for standing in standings if standing.pairs.case_ids & still_open]
    if all(standing.sd is None for standing in undecided):
        return f"{text}; at most {_blocks(most)}, {_minutes(most * each_s)}"
    guess = min(max(standing.more for standing in undecided), most)
    return f"{text}; about {_blocks(guess)}, {_minutes(guess * each_s)} (at most {most})"


def _counts(standings: Sequence[Standing]) -> str:
    states = [standing.state for standing in standings]
    never, failed = states.count(State.UNDECIDABLE), states.count(State.FAILED)
    text = f"{failed + states.count(State.SETTLED)} of {len(states)} limits decided"
    if failed:
        text += f", {failed} failed"
    return f"{text}, {never} cannot be" if never else text


def _blocks(number: int) -> str:
    return "1 more block" if number == 1 else f"{number} more blocks"


def _minutes(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def _still_open(plan: Plan, standings: Sequence[Standing], progress: Progress) -> frozenset[str]:
    """Cases with an undecided limit. Those that only have absolute limits get as many blocks
    as these need to be counted. A block that was disturbed, or whose disk failed, is none, as
    often as the spec allows."""
    comparison = plan.comparison
    assert comparison is not None
    ended, again = set(progress.ended), plan.validity.again
    done = {}
    for case in plan.cases:
        done[case.id] = counted_blocks(progress.measurements, case)
        if progress.spoiled(case) > again or done[case.id] >= comparison.most_blocks:
            ended.add(case.id)
    if not comparison.sequential:
        return progress.open - ended
    compared = {name for standing in standings for name in standing.pairs.case_ids}
    # A pool gets no further than the case that has ended.
    going = [each for each in standings if not (each.pairs.pool and each.pairs.case_ids & ended)]
    counted = {name for name in progress.open - compared if done[name] < LEAST_RUNS}
    return (progress.open & open_cases(going) | counted) - ended


def counted_blocks(measurements: Sequence[Measurement], case: Case) -> int:
    """How many blocks of a case count: whole ones that nothing disturbed."""
    own = [m for m in measurements if m.case_id == case.id]
    return len({m.block for m in undisturbed(own)})


def _write_jobs(run: Run, sides: Sequence[Side]) -> None:
    for place, side in enumerate(sides):
        write_jobs(run, side, place)


def write_jobs(run: Run, side: Side, place: int) -> None:
    """The job files of one arm."""
    for case in run.plan.cases:
        own = side.cases[case.id]
        text = render(own, location=side.bench.places[own.target.name].path)
        side.bench.work.write_job(_job_name(case, place), text)


def _job_name(case: Case, place: int) -> str:
    """The base's job file is the case's own: reports show it."""
    return case.id if place == 0 else f"{case.id}-candidate"


def _measure_block(
    which: tuple[Run, Case, int],
    sides: Sequence[Side],
    progress: Progress,
    timeout_s: float | None,
) -> None:
    """One block of one case of a run; nothing more once an arm has failed."""
    run, case, _ = which
    comparison = run.plan.comparison
    assert comparison is not None
    for place in order_in_block(comparison, case, counted_blocks(progress.measurements, case) + 1):
        if sides[place].bench.stop.requested:
            return
        if not measure_arm(which, sides[place], place, progress, timeout_s):
            return


def measure_arm(
    which: tuple[Run, Case, int],
    side: Side,
    place: int,
    progress: Progress,
    timeout_s: float | None,
    *,
    turn: int = 1,
) -> bool:
    """One repetition of one arm (0: the base) in a block, in a boot of several the ``turn``-th.
    Whether the rest of the block is still worth measuring: not when this one failed, or was
    disturbed, as then the block does not count."""
    run, case, block = which
    repetition = repetition_of(block, place, turn, per_boot=progress.per_boot)
    bench = side.bench
    bench.observer.repetition_started(case, repetition)
    try:
        bench.stage.ready(side.cases[case.id], anew=True)
        _prepare(side, case, block)
        measured = measure_once(
            side.cases[case.id], repetition, bench, timeout_s, job=_job_name(case, place)
        )
    except (RunError, RefusedError) as error:
        failure = failed(case, repetition, error, bench, f"arm {side.arm.name}: ")
        again = run.plan.validity.again
        failure = again_within(failure, progress.seen, progress.spoiled(case), again)
        note_failure(run, bench, progress, failure, error.remedy)
        if isinstance(error, RefusedError):
            raise
        return False
    measured = replace(measured, arm=side.arm.name, block=block)
    progress.measurements.append(measured)
    bench.store.add_measurement(run.id, measured)
    bench.observer.repetition_ended(case, measured)
    return not measured.disturbed


def note_failure(
    run: Run, bench: Bench, progress: Progress, failure: CaseFailure, remedy: str
) -> None:
    """Keep a repetition that gave nothing, and tell of it."""
    progress.failures.append(failure)
    bench.store.add_failure(run.id, failure)
    case = next(each for each in run.plan.cases if each.id == failure.case_id)
    bench.observer.repetition_failed(case, failure, remedy)


def _prepare(side: Side, case: Case, block: int) -> None:
    """Run the arm's shell command. RunError when it fails."""
    if not side.arm.prepare:
        return
    place = side.bench.places[side.cases[case.id].target.name].path
    env = {"IOGATE_ARM": side.arm.name, "IOGATE_BLOCK": str(block), "IOGATE_TARGET": place}
    done = side.bench.stage.sut.run(
        ["/bin/sh", "-c", side.arm.prepare], timeout_s=PREPARE_TIMEOUT_S, env=env
    )
    if done.status:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise RunError(
            f"prepare exited with {done.status}: {said[-1] if said else 'it said nothing'}",
            remedy="correct the arm's prepare in the spec",
        )
