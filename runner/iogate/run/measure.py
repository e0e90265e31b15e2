"""Repetitions: run a case, read what it gave, keep it, go on."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Protocol

from iogate.engine.base import Engine, EngineJob, Progress, Stop
from iogate.engine.command import CommandEngine
from iogate.errors import IogateError, RefusedError, RunError
from iogate.files.run_folder import RunFolder
from iogate.gate.more_repetitions import wants_more
from iogate.host.sandbox import Sandbox
from iogate.host.stage import Stage
from iogate.jobs import estimate
from iogate.jobs.job_file import render
from iogate.model.measurement import Measurement
from iogate.model.place import Place
from iogate.model.plan import Case, Plan
from iogate.model.run import CaseFailure, Run, RunStatus
from iogate.model.steady import DevicePrecondition
from iogate.run.commands import in_own_folder
from iogate.run.failures import again_within, failure_of, faults_around
from iogate.run.layout import is_to_be_laid_out, laid_out
from iogate.run.work_folder import WorkFolder
from iogate.store.base import Store


class Observer(Protocol):
    """Who is told how a run goes."""

    def preparing(self, what: str, progress: Progress) -> None:
        """A device is brought into its state before anything is measured."""

    def waiting(self, holder: str) -> None:
        """Another run holds the host; this one waits for it."""

    def told(self, text: str) -> None:
        """Something that people should know at once, also those who want no progress."""

    def noted(self, text: str) -> None:
        """Something that is a part of the progress: the report has it, too."""

    def repetition_started(self, case: Case, repetition: int) -> None:
        """The engine is about to start."""

    def progressed(self, progress: Progress) -> None:
        """The engine says where it is."""

    def repetition_ended(self, case: Case, measurement: Measurement) -> None:
        """A repetition was measured and kept."""

    def repetition_failed(self, case: Case, failure: CaseFailure, remedy: str) -> None:
        """A repetition gave nothing; the case is not tried again, unless the failure says so."""


@dataclass(slots=True)
class Kept:
    """What a run has done and measured so far: it is judged however the run ends."""

    measurements: list[Measurement] = field(default_factory=list)
    failures: list[CaseFailure] = field(default_factory=list)
    preconditions: list[DevicePrecondition] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Bench:
    """Everything that a repetition needs. ``places`` is where each target is."""

    engine: Engine
    store: Store
    folder: RunFolder
    places: Mapping[str, Place]
    observer: Observer
    stop: Stop
    stage: Stage
    sandbox: Sandbox
    work: WorkFolder
    kept: Kept = field(default_factory=Kept)


def repetitions_of(
    plan: Plan,
    wanted: Callable[[Case], bool] = lambda _case: False,
    disturbed: Callable[[Case], int] = lambda _case: 0,
) -> Iterator[tuple[Case, int]]:
    """Round-robin: the first repetition of all cases, then the second, so that a drift of
    the host is spread over the cases. Repetitions count from 1. Those beyond the least number
    are only for cases that are ``wanted`` by then; for each that does not count
    (``disturbed``) there is one more, as often as the spec allows."""
    most = max((c.repetitions.max for c in plan.cases), default=0) + plan.validity.again
    for repetition in range(1, most + 1):
        for case in plan.cases:
            planned, more = case.repetitions, min(disturbed(case), plan.validity.again)
            due = repetition <= planned.min + more
            if due or (repetition <= planned.max + more and wanted(case)):
                yield case, repetition


def most_repetitions(plan: Plan) -> Iterator[tuple[Case, int]]:
    """All that there may be, if every case is undecided to the end."""
    return repetitions_of(plan, lambda _case: True)


def measure_all(run: Run, bench: Bench, *, timeout_s: float | None, fail_fast: bool) -> Run:
    """The run with its measurements and failures. A case that failed is not repeated, unless
    its own disk did; the others go on, unless ``fail_fast``. A stop ends it all, keeping what
    there is."""
    measurements, failures = bench.kept.measurements, bench.kept.failures
    for case in run.plan.cases:
        text = render(case, location=bench.places[case.target.name].path)
        bench.work.write_job(case.id, text)
    undecided = partial(wants_more, measurements=measurements, plan=run.plan)
    spoiled = partial(times_disturbed, measurements, failures=failures)
    for case, repetition in repetitions_of(run.plan, undecided, spoiled):
        ended = {failure.case_id for failure in failures if not failure.again}
        if bench.stop.requested or (ended and fail_fast):
            break
        if case.id in ended:
            continue
        bench.observer.repetition_started(case, repetition)
        try:
            bench.stage.ready(case)
            measurement = measure_once(case, repetition, bench, timeout_s)
        except (RunError, RefusedError) as error:
            failure = failed(case, repetition, error, bench)
            before: list[Measurement | CaseFailure] = [*measurements, *failures]
            failure = again_within(failure, before, spoiled(case), run.plan.validity.again)
            failures.append(failure)
            bench.store.add_failure(run.id, failure)
            bench.observer.repetition_failed(case, failure, error.remedy)
            if isinstance(error, RefusedError):
                raise  # what is there is not what was allowed: nothing more is touched
            continue
        measurements.append(measurement)
        bench.store.add_measurement(run.id, measurement)
        bench.observer.repetition_ended(case, measurement)
    status = RunStatus.INTERRUPTED if bench.stop.requested else status_of(failures)
    return replace(run, measurements=tuple(measurements), failures=tuple(failures), status=status)


def times_disturbed(
    measurements: Iterable[Measurement], case: Case, failures: Iterable[CaseFailure] = ()
) -> int:
    """How many repetitions of a case, in a comparison how many of its blocks, do not count: they
    were disturbed, or the disk failed. The first of either ends its block."""
    spoiled = [m for m in measurements if m.case_id == case.id and m.disturbed]
    broken = [f for f in failures if f.case_id == case.id and f.again]
    return len({m.block or -m.repetition for m in spoiled}) + len(broken)


def status_of(failures: Iterable[CaseFailure]) -> RunStatus:
    """How a run ended that was measured to its end."""
    return RunStatus.FAILED if any(not each.again for each in failures) else RunStatus.COMPLETE


def failed(
    case: Case, repetition: int, error: IogateError, bench: Bench, why: str = ""
) -> CaseFailure:
    """The failure of a repetition, with what there is to tell of it."""
    return failure_of(
        (case.id, repetition),
        error,
        bench.folder,
        bench.stage.seen(case),
        why=why,
        stopped=bench.stop.requested,
    )


def measure_once(
    case: Case, repetition: int, bench: Bench, timeout_s: float | None, *, job: str = ""
) -> Measurement:
    """One repetition; RunError when it gave nothing, RefusedError when that is because somebody
    exchanged its file meanwhile, or uses what it wrote. ``job`` names the job file where it is not
    the case's own."""
    try:
        measurement = _measure_once(case, repetition, bench, timeout_s, job)
    except RunError:
        bench.stage.footing.require_unexchanged(case.target)
        raise
    if not _is_claimed(case, bench):
        bench.stage.footing.require_unused(case.target)
    return measurement


def _is_claimed(case: Case, bench: Bench) -> bool:
    """Whether the kernel has kept everybody else from the target: a file cannot be claimed, and a
    device is for an engine that claims none by what confines it."""
    return case.target.is_block and bench.sandbox.layers is not None


def _measure_once(
    case: Case, repetition: int, bench: Bench, timeout_s: float | None, job: str
) -> Measurement:
    place = bench.places[case.target.name]
    files = bench.work.files(case.id, repetition, job)
    asked = EngineJob(
        job_file=files.job,
        result_file=files.result,
        kept_file=files.kept,
        log_file=files.log,
        folder=files.folder,
        timeout_s=timeout_s or estimate.timeout_s(case),
        readonly=case.target.is_block and not estimate.writes(case),
        cpus=case.environment.cpus_allowed if case.environment else "",
        places=(place,),
        confinement=bench.sandbox.of(case, place, files.folder, bench.work.jobs),
    )
    if is_to_be_laid_out(bench.engine.name, case, place, bench.sandbox):
        asked = laid_out(case, asked, bench.sandbox, bench.work, bench.stop)
    token = f"{case.id}-{repetition}-{uuid.uuid4().hex[:8]}"
    with in_own_folder(case, asked, bench.sandbox, token, bench.observer.told) as placed:
        watch = bench.stage.watch(case)
        asked = replace(placed, on_tick=watch.tick)
        engine = CommandEngine(bench.stage.sut) if case.command else bench.engine
        started_ns, began = time.time_ns(), time.monotonic_ns()
        try:
            result = engine.run(asked, on_progress=bench.observer.progressed, stop=bench.stop)
            duration_ns = time.monotonic_ns() - began
        finally:
            bench.work.settle(case.id, repetition)
        around = watch.ended()
    bench.stage.measured(case)
    kernel_log = bench.stage.seen(case)
    disturbances = (*around.disturbances, *faults_around(case, kernel_log))
    if disturbances:
        bench.folder.write_disturbances(case.id, repetition, disturbances)
    return Measurement(
        case_id=case.id,
        repetition=repetition,
        started_ns=started_ns,
        duration_ns=duration_ns,
        engine=result.engine,
        jobs=result.jobs,
        disks=result.disks,
        raw_file=bench.folder.relative(bench.folder.raw_file(case.id, repetition)),
        warnings=(*bench.stage.unwritten.warnings, *result.warnings),
        unwritten=bench.stage.unwritten.share,
        kernel_log=kernel_log,
        disturbances=disturbances,
        surroundings=around.readings,
    )
