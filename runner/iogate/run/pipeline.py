"""The whole flow: spec → plan → job files → engine → history → verdict → run folder."""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from pathlib import Path

from iogate.engine import open_engine
from iogate.engine.base import EngineInfo, Stop
from iogate.engine.launcher import find_layers
from iogate.environments import explained
from iogate.errors import ExitCode, IogateError, RefusedError, StoreError, UsageError
from iogate.files.run_folder import RunFolder
from iogate.gate.judge import judge
from iogate.git.revision import find_revision
from iogate.history.baseline import Baseline, find_baseline, used_baseline
from iogate.history.killed import close_killed
from iogate.history.noise import with_noise
from iogate.history.retention import apply_policy
from iogate.host.facts import this_host
from iogate.host.locks.device_locks import device_locks, folder_locks, used_devices, used_folders
from iogate.host.locks.host_lock import Patience
from iogate.host.own_host import own_host
from iogate.host.sandbox import Sandbox, open_sandbox
from iogate.host.stage import check_stage, devices_of, staged
from iogate.host.targets.borrowing import borrowed
from iogate.host.targets.check import Use, check_targets, resolved
from iogate.jobs import estimate
from iogate.model.command import without_credentials
from iogate.model.document import to_document
from iogate.model.plan import Case, Plan
from iogate.model.run import Run, RunStatus
from iogate.model.spec import Repetitions
from iogate.model.verdict import Outcome, RunVerdict
from iogate.recovery.folders import HISTORY
from iogate.run.ending import Ending
from iogate.run.measure import Bench, Observer, measure_all
from iogate.run.precondition import keeping_states, look_at, precondition
from iogate.spec import check_native, load_spec, make_plan, require_trust
from iogate.store import Store, open_store, sqlite_path
from iogate.store.server import SetupError, UnreachableError
from iogate.sut import open_sut
from iogate.sut.base import Sut


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked for: which spec, which part of it, with what, and where to."""

    spec: Path
    overrides: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    engine: str = "native"
    store: str | None = None
    output: Path | None = None
    repetitions: int | None = None
    fail_fast: bool = False
    timeout_s: float | None = None
    wait_s: float = 0.0
    revision: str | None = None
    label: str = ""
    command: tuple[str, ...] = ()
    trusted: bool = False
    unconfined: bool = False
    precondition: bool = False  # also where an earlier one still holds


@dataclass(frozen=True, slots=True)
class Finished:
    """A run that ended, by itself or not, and what it was compared with."""

    run: Run
    baseline: tuple[Run, ...]
    folder: RunFolder
    notes: tuple[str, ...] = ()  # what people should know of the history
    errors: tuple[BaseException, ...] = ()  # what kept it from its end

    @property
    def exit_code(self) -> ExitCode:
        """As the verdict says, which knows of every fault."""
        verdict = self.run.verdict
        return ExitCode.RUN_FAILED if verdict is None else ExitCode(verdict.exit_code)


def make_request_plan(request: Request) -> Plan:
    """The spec as a plan, cut down to what the request selects."""
    spec = load_spec(request.spec)
    plan = make_plan(spec, overrides=request.overrides)
    if request.engine == "native":
        check_native(plan)
    cases = tuple(_resized(case, request) for case in plan.cases if selected(case, request))
    if not cases:
        raise nothing_selected(request, plan)
    return replace(plan, cases=cases)


def nothing_selected(request: Request, plan: Plan) -> UsageError:
    """What is said when no case is left."""
    asked = " and ".join(
        name for name, given in (("--case", request.cases), ("--tag", request.tags)) if given
    )
    return UsageError(
        f"no case of {request.spec} is selected by {asked}",
        remedy=f"its cases are: {', '.join(case.name for case in plan.cases[:20])}",
    )


def check_run(request: Request, plan: Plan) -> None:
    """Every check of ``execute`` that changes nothing, in its order; raises what it would."""
    sut = open_sut()
    info = open_engine(request.engine, sut).info()
    _check_asked(request, plan, info)
    _sandbox(request, sut)
    find_revision(sut, ref=request.revision, label=request.label)
    uses = resolved(sut, uses_of(plan))
    check_targets(sut, uses, trusted=request.trusted)
    check_stage(sut, plan, uses)


def _sandbox(request: Request, sut: Sut) -> Sandbox:
    """What keeps the engines of a run to their targets. RefusedError where nothing does."""
    layers = None if request.unconfined else find_layers(sut)
    return open_sandbox(
        sut,
        layers,
        unconfined=request.unconfined,
        trusted=request.trusted,
        environment=os.environ,
    )


def _check_asked(request: Request, plan: Plan, info: EngineInfo) -> None:
    """What can be refused without a look at the host."""
    require_trust(plan, trusted=request.trusted)
    check_io_engines(plan, info)


def execute(request: Request, plan: Plan, observer: Observer, stop: Stop) -> Finished:
    """Measure, keep, judge. What was measured is kept however this ends."""

    def measure(run: Run, bench: Bench) -> Run:
        return measure_all(run, bench, timeout_s=request.timeout_s, fail_fast=request.fail_fast)

    return execute_with(request, (plan, plan), observer, stop, measure)


def execute_with(
    request: Request,
    plans: tuple[Plan, Plan],
    observer: Observer,
    stop: Stop,
    measure: Callable[[Run, Bench], Run],
) -> Finished:
    """As execute, with another way to measure. The second plan holds all cases that may run,
    of any arm: targets are made for them."""
    plan, everything = plans
    sut = open_sut()
    engine = open_engine(request.engine, sut)
    info = engine.info()
    _check_asked(request, everything, info)
    sandbox = _sandbox(request, sut)
    started = _new_run(request, plan, sut)
    patience = Patience(request.wait_s, observer.waiting, lambda: stop.requested)
    with (
        own_host(sut, started.id, patience, observer, shared=not plan.exclusive),
        closing(open_store(request.store)) as store,
    ):
        started = replace(started, started_ns=time.time_ns())  # what it waited for was another's
        if sandbox.why_not:
            observer.told(f"the engine is not confined: {sandbox.why_not}")
        begun: Ending | None = None
        left: list[str] = []
        try:
            with (
                _taken(sut, everything, patience, trusted=request.trusted) as uses,
                staged(sut, everything, uses, started.id, left.append) as stage,
            ):
                facts = stage.facts() | _engine_facts(info) | sandbox.facts()
                facts |= {} if everything.exclusive else {"host.shared": True}
                started = replace(started, environment=facts)
                folder = RunFolder.create(started, request.output)
                started = replace(started, folder=str(folder.root))
                begun = Ending(started, folder, store)
                _write_inputs(folder, started, request.store)
                store.begin_run(started)
                bench = Bench(engine, store, folder, stage.places, observer, stop, stage, sandbox)
                _measure(begun, bench, _with_states(request, everything, measure))
        except (Exception, KeyboardInterrupt) as error:
            if begun is None:
                raise
            begun.errors.append(error)  # of the host that could not be put back, say
        begun.notes.extend(left)
        return _finished(begun)


@contextmanager
def _taken(sut: Sut, plan: Plan, patience: Patience, *, trusted: bool) -> Iterator[Sequence[Use]]:
    """The targets of a plan, resolved and checked, their devices lent to this user where they
    have to be, and locked."""
    planned = uses_of(plan)
    # What is lent is taken back from all runs at once: who shares the host borrows nothing.
    with borrowed(sut, used_devices(sut, planned) if plan.exclusive else ()):
        uses = resolved(sut, planned)
        check_targets(sut, uses, trusted=trusted)
        folders = () if plan.exclusive else used_folders(uses)
        with device_locks(used_devices(sut, uses), patience), folder_locks(folders, patience):
            yield uses


def uses_of(plan: Plan) -> tuple[Use, ...]:
    """How the plan uses each of its targets, in order of first use."""
    found = []
    for name in dict.fromkeys(case.target.name for case in plan.cases):
        cases = [case for case in plan.cases if case.target.name == name]
        found.append(
            Use(
                target=cases[0].target,
                writes=any(estimate.writes(case) or estimate.shows(case) for case in cases)
                or (plan.precondition is not None and cases[0].target.destroy is not None),
                bytes_needed=estimate.bytes_needed(cases),
                files=tuple(dict.fromkeys(f for case in cases for f in estimate.file_names(case))),
                shows=any(map(estimate.shows, cases)),
            )
        )
    return tuple(found)


def check_io_engines(plan: Plan, info: EngineInfo) -> None:
    """RefusedError when a job asks for an ioengine that the engine does not have here."""
    for case in plan.cases:
        for name, job in estimate.io_engines(case).items():
            if info.ioengines and name not in info.ioengines:
                raise RefusedError(
                    f"case {case.name}: {info.name} has no ioengine {name} here",
                    remedy=f"it has: {', '.join(info.ioengines)}",
                    where=job.places.get("ioengine", job.where),
                )


def selected(case: Case, request: Request) -> bool:
    """Whether ``--case`` and ``--tag`` leave the case in."""
    named = not request.cases or any(
        fnmatchcase(case.name, pattern) or case.id.startswith(pattern) for pattern in request.cases
    )
    return named and (not request.tags or any(tag in case.tags for tag in request.tags))


def _engine_facts(info: EngineInfo) -> dict[str, str]:
    facts = {"name": info.name, "version": info.version, "clock": info.clock}
    return {f"engine.{name}": value for name, value in facts.items() if value}


def _resized(case: Case, request: Request) -> Case:
    n = request.repetitions
    return case if n is None else replace(case, repetitions=Repetitions(min=n, max=n))


def _new_run(request: Request, plan: Plan, sut: Sut) -> Run:
    return Run(
        id=uuid.uuid4().hex,
        plan=plan,
        host=this_host(sut),
        revision=find_revision(sut, ref=request.revision, label=request.label),
        started_ns=time.time_ns(),
        finished_ns=0,
        status=RunStatus.RUNNING,
        command=without_credentials(request.command),
    )


def _write_inputs(folder: RunFolder, run: Run, store: str | None) -> None:
    folder.write_json("plan.json", to_document(run.plan))
    kept = sqlite_path(store)
    history = {HISTORY: str(kept)} if kept else {}
    facts = {"schema": "environment/1", **history, "facts": run.environment}
    folder.write_json("environment.json", facts)
    folder.write_run(run)


def _with_states(
    request: Request, everything: Plan, measure: Callable[[Run, Bench], Run]
) -> Callable[[Run, Bench], Run]:
    """``measure`` on devices that are in a known state, which is remembered rightly."""

    def measured(run: Run, bench: Bench) -> Run:
        precondition(run, bench, anew=request.precondition)
        run = replace(run, preconditions=tuple(bench.kept.preconditions))
        bench.folder.write_run(run)  # a run that is killed says it, too
        if run.preconditions:
            bench.store.keep_preconditions(run.id, run.preconditions)
        with keeping_states(run, everything.cases, bench):
            return measure(run, bench)

    return measured


def precondition_prospects(request: Request, plan: Plan) -> tuple[str, ...]:
    """Whether each device would be preconditioned, and why, in a sentence each."""
    steps, sut = plan.precondition, open_sut()
    if steps is None:
        return ()
    found = []
    for target in devices_of(sut, uses_of(plan)):
        looked = look_at(sut, steps, target, anew=request.precondition)
        holds = f"the {looked.state.name} still holds" if looked.state else ""
        found.append(f"{target.path}: {holds or f'would be preconditioned: {looked.why}'}")
    return tuple(found)


def _measure(begun: Ending, bench: Bench, measure: Callable[[Run, Bench], Run]) -> None:
    """All repetitions. Whatever ends them early, what there is stays."""
    try:
        begun.run = measure(begun.run, bench)
    except (Exception, KeyboardInterrupt) as error:
        begun.errors.append(error)
        interrupted = isinstance(error, KeyboardInterrupt) or bench.stop.requested
        begun.run = replace(
            begun.run,
            measurements=tuple(bench.kept.measurements),
            failures=tuple(bench.kept.failures),
            preconditions=tuple(bench.kept.preconditions),
            status=RunStatus.INTERRUPTED if interrupted else RunStatus.FAILED,
        )


def _finished(begun: Ending) -> Finished:
    """Judged, written and kept, each as far as it can be. A run that ended before it measured
    anything (its status is still that of the beginning) has failed."""
    store, folder = begun.store, begun.folder
    folder.use_room()
    if begun.run.status is RunStatus.RUNNING:
        begun.run = replace(begun.run, status=RunStatus.FAILED)
    none: tuple[Baseline, tuple[str, ...]] = (Baseline(), ("judged without a baseline",))
    baseline, notes = begun.attempt(lambda: _baseline_or_none(begun.run, store), none)
    begun.notes.extend(notes)
    unjudged = RunVerdict(Outcome.INCONCLUSIVE, int(ExitCode.RUN_FAILED), "it could not be judged")
    plain = begun.attempt(lambda: _verdict(begun.run, store, baseline), unjudged)
    begun.run = replace(begun.run, finished_ns=time.time_ns(), verdict=begun.judged(plain))
    begun.attempt(lambda: folder.write_run(begun.run), None)
    begun.attempt(lambda: _keep(begun), None)
    with suppress(StoreError):  # the run is kept; the next one tries again
        apply_policy(store, now_ns=begun.run.finished_ns)
        gone = close_killed(store, begun.run.host.machine_id)
        begun.notes.extend(f"run {each[:12]} was killed: its end is recorded" for each in gone)
    told = begun.judged(plain)
    if told != begun.run.verdict:  # it could not be kept
        begun.run = replace(begun.run, verdict=told)
        with suppress(IogateError):
            folder.write_run(begun.run)
    return Finished(begun.run, baseline.runs, folder, tuple(begun.notes), tuple(begun.errors))


def _verdict(run: Run, store: Store, baseline: Baseline) -> RunVerdict:
    verdict = judge(
        run.plan, run.measurements, run.failures, baseline.runs, segments=baseline.segments
    )
    verdict = replace(explained(verdict, baseline.set_aside, baseline.use), baseline=baseline.use)
    with suppress(StoreError):  # judged it is, whatever is known of the noise
        verdict = with_noise(verdict, run, store, baseline.runs)
    return verdict


def _keep(begun: Ending) -> None:
    run = begun.run
    if run.preconditions:  # again: of a device that did not become steady, say
        begun.store.keep_preconditions(run.id, run.preconditions)
    begun.store.finish_run(
        run.id, status=run.status, finished_ns=run.finished_ns, verdict=run.verdict
    )
    begun.notes.extend(begun.store.sync().notes)


def _baseline_or_none(run: Run, store: Store) -> tuple[Baseline, tuple[str, ...]]:
    """A server that is away does not fail a run: its limits against a baseline say that
    there is none."""
    try:
        return find_baseline(run, store, open_sut()), ()
    except (UnreachableError, SetupError) as error:
        return Baseline(), (f"judged without a baseline: {error.what}",)


def baseline_of(run: Run, store: Store) -> Sequence[Run]:
    """The runs that a run was compared with, newest first; for one that was never judged, those
    that it would be compared with now."""
    if run.verdict and run.verdict.baseline:
        return used_baseline(run, store)
    return find_baseline(run, store, open_sut()).runs
